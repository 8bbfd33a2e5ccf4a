/* The part of MPI 5's standard ABI that strata/mpi.c uses: handles are pointers, constants have fixed values, and the functions are taken
 * from a library that is loaded when the program runs. */
#ifndef STRATA_MPI_ABI_H
#define STRATA_MPI_ABI_H

#include <stdint.h>

typedef struct strata_mpi_comm_ *MPI_Comm;
typedef struct strata_mpi_group_ *MPI_Group;
typedef struct strata_mpi_datatype_ *MPI_Datatype;
typedef struct strata_mpi_op_ *MPI_Op;
typedef struct strata_mpi_request_ *MPI_Request;
typedef struct strata_mpi_errhandler_ *MPI_Errhandler;
typedef intptr_t MPI_Aint;

typedef struct MPI_Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  int reserved[5];
} MPI_Status;

#define STRATA_MPI_HANDLE_(type, value) ((type)(uintptr_t)(value))
#define MPI_COMM_WORLD STRATA_MPI_HANDLE_(MPI_Comm, 0x101)
#define MPI_COMM_NULL STRATA_MPI_HANDLE_(MPI_Comm, 0x100)
#define MPI_REQUEST_NULL STRATA_MPI_HANDLE_(MPI_Request, 0x180)
#define MPI_ERRORS_RETURN STRATA_MPI_HANDLE_(MPI_Errhandler, 0x143)

#define MPI_SUM STRATA_MPI_HANDLE_(MPI_Op, 0x21)
#define MPI_MIN STRATA_MPI_HANDLE_(MPI_Op, 0x22)
#define MPI_MAX STRATA_MPI_HANDLE_(MPI_Op, 0x23)
#define MPI_PROD STRATA_MPI_HANDLE_(MPI_Op, 0x24)
#define MPI_BAND STRATA_MPI_HANDLE_(MPI_Op, 0x28)
#define MPI_BOR STRATA_MPI_HANDLE_(MPI_Op, 0x29)
#define MPI_BXOR STRATA_MPI_HANDLE_(MPI_Op, 0x2a)

#define MPI_FLOAT STRATA_MPI_HANDLE_(MPI_Datatype, 0x210)
#define MPI_C_FLOAT_COMPLEX STRATA_MPI_HANDLE_(MPI_Datatype, 0x212)
#define MPI_DOUBLE STRATA_MPI_HANDLE_(MPI_Datatype, 0x214)
#define MPI_C_DOUBLE_COMPLEX STRATA_MPI_HANDLE_(MPI_Datatype, 0x216)
#define MPI_INT8_T STRATA_MPI_HANDLE_(MPI_Datatype, 0x240)
#define MPI_UINT8_T STRATA_MPI_HANDLE_(MPI_Datatype, 0x241)
#define MPI_BYTE STRATA_MPI_HANDLE_(MPI_Datatype, 0x247)
#define MPI_INT16_T STRATA_MPI_HANDLE_(MPI_Datatype, 0x248)
#define MPI_UINT16_T STRATA_MPI_HANDLE_(MPI_Datatype, 0x249)
#define MPI_INT32_T STRATA_MPI_HANDLE_(MPI_Datatype, 0x250)
#define MPI_UINT32_T STRATA_MPI_HANDLE_(MPI_Datatype, 0x251)
#define MPI_INT64_T STRATA_MPI_HANDLE_(MPI_Datatype, 0x258)
#define MPI_UINT64_T STRATA_MPI_HANDLE_(MPI_Datatype, 0x259)

#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_SUCCESS 0
#define MPI_ANY_SOURCE (-1)
#define MPI_THREAD_SERIALIZED 2048
#define MPI_MAX_ERROR_STRING 512

/* Every function that is used: its name and what it takes. */
#define STRATA_MPI_FUNCTIONS_(X)                                                                                              \
  X(Initialized, (int *))                                                                                                     \
  X(Init_thread, (int *, char ***, int, int *))                                                                               \
  X(Finalized, (int *))                                                                                                       \
  X(Finalize, (void))                                                                                                         \
  X(Error_string, (int, char *, int *))                                                                                       \
  X(Comm_rank, (MPI_Comm, int *))                                                                                             \
  X(Comm_size, (MPI_Comm, int *))                                                                                             \
  X(Comm_idup, (MPI_Comm, MPI_Comm *, MPI_Request *))                                                                         \
  X(Comm_set_errhandler, (MPI_Comm, MPI_Errhandler))                                                                          \
  X(Comm_group, (MPI_Comm, MPI_Group *))                                                                                      \
  X(Comm_create_group, (MPI_Comm, MPI_Group, int, MPI_Comm *))                                                                \
  X(Comm_free, (MPI_Comm *))                                                                                                  \
  X(Group_incl, (MPI_Group, int, const int *, MPI_Group *))                                                                   \
  X(Group_free, (MPI_Group *))                                                                                                \
  X(Type_contiguous, (int, MPI_Datatype, MPI_Datatype *))                                                                     \
  X(Type_create_resized, (MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype *))                                                  \
  X(Type_commit, (MPI_Datatype *))                                                                                            \
  X(Type_free, (MPI_Datatype *))                                                                                              \
  X(Isend, (const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *))                                              \
  X(Irecv, (void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *))                                                    \
  X(Test, (MPI_Request *, int *, MPI_Status *))                                                                               \
  X(Cancel, (MPI_Request *))                                                                                                  \
  X(Ibarrier, (MPI_Comm, MPI_Request *))                                                                                      \
  X(Ibcast, (void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *))                                                        \
  X(Iallgather, (const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Request *))                        \
  X(Iallgatherv, (const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm, MPI_Request *))  \
  X(Ialltoall, (const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm, MPI_Request *))                         \
  X(Ialltoallv, (const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *, MPI_Datatype,        \
                 MPI_Comm, MPI_Request *))                                                                                    \
  X(Iallreduce, (const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *))

#define STRATA_MPI_FIELD_(name, parameters) int(*name) parameters;
static struct strata_mpi_functions_ {
  STRATA_MPI_FUNCTIONS_(STRATA_MPI_FIELD_)
} strata_mpi_functions_;
#undef STRATA_MPI_FIELD_

#define MPI_Initialized strata_mpi_functions_.Initialized
#define MPI_Init_thread strata_mpi_functions_.Init_thread
#define MPI_Finalized strata_mpi_functions_.Finalized
#define MPI_Finalize strata_mpi_functions_.Finalize
#define MPI_Error_string strata_mpi_functions_.Error_string
#define MPI_Comm_rank strata_mpi_functions_.Comm_rank
#define MPI_Comm_size strata_mpi_functions_.Comm_size
#define MPI_Comm_idup strata_mpi_functions_.Comm_idup
#define MPI_Comm_set_errhandler strata_mpi_functions_.Comm_set_errhandler
#define MPI_Comm_group strata_mpi_functions_.Comm_group
#define MPI_Comm_create_group strata_mpi_functions_.Comm_create_group
#define MPI_Comm_free strata_mpi_functions_.Comm_free
#define MPI_Group_incl strata_mpi_functions_.Group_incl
#define MPI_Group_free strata_mpi_functions_.Group_free
#define MPI_Type_contiguous strata_mpi_functions_.Type_contiguous
#define MPI_Type_create_resized strata_mpi_functions_.Type_create_resized
#define MPI_Type_commit strata_mpi_functions_.Type_commit
#define MPI_Type_free strata_mpi_functions_.Type_free
#define MPI_Isend strata_mpi_functions_.Isend
#define MPI_Irecv strata_mpi_functions_.Irecv
#define MPI_Test strata_mpi_functions_.Test
#define MPI_Cancel strata_mpi_functions_.Cancel
#define MPI_Ibarrier strata_mpi_functions_.Ibarrier
#define MPI_Ibcast strata_mpi_functions_.Ibcast
#define MPI_Iallgather strata_mpi_functions_.Iallgather
#define MPI_Iallgatherv strata_mpi_functions_.Iallgatherv
#define MPI_Ialltoall strata_mpi_functions_.Ialltoall
#define MPI_Ialltoallv strata_mpi_functions_.Ialltoallv
#define MPI_Iallreduce strata_mpi_functions_.Iallreduce

#endif /* STRATA_MPI_ABI_H */
