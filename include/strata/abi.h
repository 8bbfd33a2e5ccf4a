/* What compiled programs exchange with executors, hosts and the functions that they call; see docs/abi.md. */
#include <stddef.h>
#include <stdint.h>

#ifndef STRATA_ABI
#define STRATA_ABI 1

/* A dense buffer; `dimensions` has `rank` entries and is NULL for rank 0. */
typedef struct strata_buffer {
  int32_t element_type;
  int32_t rank;
  const int64_t *dimensions;
  void *data;
} strata_buffer;

#define STRATA_COLLECTIVES 1
/* One exchange between devices, a constant of the object. `members` has the devices of all groups, each
 * replica * partition_count + partition, and `group_starts` where each group begins and the last one ends.
 * `combine` combines elements, lhs[i] with rhs[i] in this order; `result` may be `lhs` or `rhs`. */
typedef struct strata_collective {
  size_t size; /* sizeof(strata_collective) */
  uint64_t program; /* a hash of the program, the same on all devices */
  const char *operation;
  int64_t channel;
  int64_t group_count;
  const int64_t *group_starts; /* group_count + 1 */
  const int64_t *members;
  int32_t element_type;
  int32_t element_size; /* bytes */
  int32_t reduction; /* enum strata_reduction, or 0 */
  int32_t reserved;
  void (*combine)(const void *lhs, const void *rhs, void *result, int64_t count);
} strata_collective;

/* An exchange of rows, as many for each member as lists say: entries `n * updates` to `(n + 1) * updates` are of
 * member n. Of each entry `send_sizes` rows of `input`, from `input_offsets` on, go to those of `output` of that member from
 * `output_offsets` on; later ones replace earlier ones, in the order of members. Rows that `input` or `output`
 * lacks, or less than none, are STRATA_WRONG_SIZES. */
typedef struct strata_ragged {
  size_t size; /* sizeof(strata_ragged) */
  int64_t row_size; /* elements */
  int64_t input_rows;
  int64_t output_rows;
  int64_t updates; /* entries of a list for each member */
  const int64_t *input_offsets;
  const int64_t *send_sizes;
  const int64_t *output_offsets;
  const void *input;
  void *output; /* keeps the rows that none writes */
} strata_ragged;

/* A device and how it exchanges values with the others, in elements; a nonzero status ends the program. */
typedef struct strata_collectives {
  size_t size; /* sizeof(strata_collectives) */
  void *context;
  int64_t replica_count;
  int64_t partition_count;
  int64_t replica;
  int64_t partition;
  /* all members' `count` elements combined, in their order */
  int32_t (*all_reduce)(void *context, const strata_collective *what, int64_t count,
      const void *input, void *output);
  /* all members' `count` elements, one after another */
  int32_t (*all_gather)(void *context, const strata_collective *what, int64_t count,
      const void *input, void *output);
  /* of `count` elements for each member those for this one, combined */
  int32_t (*reduce_scatter)(void *context, const strata_collective *what, int64_t count,
      const void *input, void *output);
  /* `count` elements for each member become as many from each */
  int32_t (*all_to_all)(void *context, const strata_collective *what, int64_t count,
      const void *input, void *output);
  /* the first member's elements for the second one of the same group; zeros for others */
  int32_t (*collective_permute)(void *context, const strata_collective *what, int64_t count,
      const void *input, void *output);
  /* the first member's elements for all; zeros without a group */
  int32_t (*collective_broadcast)(void *context, const strata_collective *what, int64_t count,
      const void *input, void *output);
  /* to the second member of each group in which this device is the first */
  int32_t (*send)(void *context, const strata_collective *what, int64_t count, const void *data);
  /* from the first member of the group in which this device is the second */
  int32_t (*recv)(void *context, const strata_collective *what, int64_t count, void *data);
  /* rows, as many for each member as lists say */
  int32_t (*ragged_all_to_all)(void *context, const strata_collective *what,
      const strata_ragged *rows);
  /* Begins an exchange that the function of that kind would do: `input` stays as it is, and `output` is not looked at, until `wait` is
   * called with both. Several may be under way, and are waited for in any order that is the same on all devices. NULL, with the other
   * two, where exchanges are done at once. */
  int32_t (*start)(void *context, int32_t kind, const strata_collective *what, int64_t count,
      const void *input, void *output);
  int32_t (*wait)(void *context, const void *input, void *output);
  /* ends those that are under way, when the program ends with another status than 0: none writes to a buffer any more */
  void (*abandon)(void *context);
} strata_collectives;

/* Callbacks for infeed, outfeed, send and recv; a nonzero status ends the program. */
typedef struct strata_host {
  size_t size; /* sizeof(strata_host) */
  void *context;
  int32_t (*infeed)(void *context, const char *config, size_t count,
      const strata_buffer *buffers);
  int32_t (*outfeed)(void *context, const char *config, size_t count,
      const strata_buffer *buffers);
  int32_t (*send)(void *context, int64_t channel, size_t count,
      const strata_buffer *buffers);
  int32_t (*recv)(void *context, int64_t channel, size_t count,
      const strata_buffer *buffers);
  const strata_collectives *collectives; /* for programs for several devices; else NULL */
} strata_host;

/* A named constant: numbers, the bytes of a string, or further attributes. */
typedef struct strata_attribute {
  const char *name;
  int32_t kind; /* an element type, STRATA_STRING, STRATA_DICTIONARY or STRATA_LIST */
  int32_t is_array;
  int64_t count;
  const void *data;
} strata_attribute;

/* The argument of a typed target. */
typedef struct strata_call {
  int32_t version; /* 1 */
  int32_t input_count;
  int32_t output_count;
  int32_t attribute_count;
  const strata_buffer *inputs;
  const strata_buffer *outputs;
  const strata_attribute *attributes;
} strata_call;

/* Threads to run on. `parallel_for` calls `task(state, begin, end)` for disjoint ranges that
 * cover 0 to `count`, at most `concurrency` at a time, and returns when all have ended. */
typedef struct strata_executor {
  void *context;
  size_t concurrency;
  void (*parallel_for)(void *context, size_t count,
      void (*task)(void *state, size_t begin, size_t end), void *state);
  const strata_host *host; /* for infeed, outfeed, send and recv; else NULL */
} strata_executor;

/* The statuses of an entry. */
enum strata_status {
  STRATA_OK = 0, /* done */
  STRATA_NULL_INPUT = 1, /* `inputs`, or a buffer in it that has elements, is NULL */
  STRATA_NULL_OUTPUT = 2, /* `outputs`, or a buffer in it that has elements, is NULL */
  STRATA_NULL_WORKSPACE = 3, /* `workspace` is NULL and its size is not 0 */
  STRATA_UNALIGNED_WORKSPACE = 4, /* `workspace` is not aligned */
  STRATA_NO_HOST = 5, /* the program exchanges data with a host, and no executor offers one */
  STRATA_BAD_WEIGHTS = 6, /* the weights, after the inputs, are NULL or not aligned */
  STRATA_NO_WEIGHTS_FILE = 7, /* the weights file cannot be mapped */
  STRATA_WRONG_WEIGHTS_FILE = 8, /* the file is not the one written with the object */
  STRATA_UNSUPPORTED_CPU = 9, /* the object has no code for this processor */
  STRATA_WRONG_SIZES = 10, /* the sizes disagree, or violate a condition of the program */
  STRATA_NO_COLLECTIVES = 11, /* the program is for several devices, and no executor offers them */
  STRATA_WRONG_DEVICES = 12, /* the program is for another number of devices */
  STRATA_TIMED_OUT = 13, /* another device did not come in time */
  STRATA_DEVICE_FAILED = 14, /* another device failed, or ended without taking part */
  STRATA_DIFFERENT_PROGRAMS = 15, /* the devices run different programs, or parts of one */
  STRATA_NOT_PREPARED = 16, /* the prepared inputs are not aligned, or not made for the program */
};

/* Kinds of exchanges that may be under way while the program goes on. */
enum strata_exchange {
  STRATA_ALL_REDUCE = 1,
  STRATA_ALL_GATHER = 2,
  STRATA_REDUCE_SCATTER = 3,
  STRATA_ALL_TO_ALL = 4,
  STRATA_COLLECTIVE_PERMUTE = 5,
  STRATA_COLLECTIVE_BROADCAST = 6,
};

/* Kinds of reductions. */
enum strata_reduction {
  STRATA_REDUCE_OTHER = 1,
  STRATA_REDUCE_SUM = 2,
  STRATA_REDUCE_PRODUCT = 3,
  STRATA_REDUCE_MINIMUM = 4,
  STRATA_REDUCE_MAXIMUM = 5,
  STRATA_REDUCE_AND = 6,
  STRATA_REDUCE_OR = 7,
  STRATA_REDUCE_XOR = 8,
};

/* Element types. */
enum strata_element_type {
  STRATA_BOOL = 0x101,
  STRATA_I2 = 0x202,
  STRATA_I4 = 0x204,
  STRATA_I8 = 0x208,
  STRATA_I16 = 0x210,
  STRATA_I32 = 0x220,
  STRATA_I64 = 0x240,
  STRATA_U2 = 0x302,
  STRATA_U4 = 0x304,
  STRATA_U8 = 0x308,
  STRATA_U16 = 0x310,
  STRATA_U32 = 0x320,
  STRATA_U64 = 0x340,
  STRATA_F16 = 0x410,
  STRATA_F32 = 0x420,
  STRATA_F64 = 0x440,
  STRATA_BF16 = 0x510,
  STRATA_C64 = 0x640,
  STRATA_C128 = 0x680,
  STRATA_F4E2M1FN = 0x701,
  STRATA_F6E2M3FN = 0x702,
  STRATA_F6E3M2FN = 0x703,
  STRATA_F8E3M4 = 0x704,
  STRATA_F8E4M3 = 0x705,
  STRATA_F8E4M3B11FNUZ = 0x706,
  STRATA_F8E4M3FN = 0x707,
  STRATA_F8E4M3FNUZ = 0x708,
  STRATA_F8E5M2 = 0x709,
  STRATA_F8E5M2FNUZ = 0x70a,
  STRATA_F8E8M0FNU = 0x70b,
  STRATA_STRING = 0x800, /* among attributes only */
  STRATA_DICTIONARY = 0x900, /* among attributes only */
  STRATA_LIST = 0xa00, /* among attributes only */
};

/* A tensor; `dimensions` has `rank` entries, outermost first, and is NULL for rank 0. */
typedef struct strata_tensor {
  int32_t element_type;
  int32_t rank;
  const int64_t *dimensions;
} strata_tensor;

/* What stored integers mean: (integer - zero point) * scale, with one of each, or one for each index
 * of dimension `axis`. */
typedef struct strata_quantization {
  int32_t expressed_type;
  int32_t axis; /* -1: one scale and zero point for all */
  int64_t count;
  const double *scales;
  const int64_t *zero_points;
  int64_t minimum;
  int64_t maximum;
} strata_quantization;

/* The inputs and outputs of an entry. `donations` has an entry per output: the input whose
 * buffer it may share, or -1; it is NULL if there is none. */
typedef struct strata_signature {
  int32_t version; /* 2, or 3 where an input or output is quantized */
  int32_t workspace_alignment;
  int32_t input_count;
  int32_t output_count;
  int64_t workspace_size;
  const strata_tensor *inputs;
  const strata_tensor *outputs;
  int64_t weights_size; /* bytes of the weights after the inputs, or 0 */
  const int32_t *donations;
  /* Only of version 3: for each tensor what it means, or NULL. */
  const strata_quantization *const *quantized_inputs;
  const strata_quantization *const *quantized_outputs;
} strata_signature;

#endif /* STRATA_ABI */
