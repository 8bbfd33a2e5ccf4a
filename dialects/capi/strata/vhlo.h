/* The C interface of the VHLO dialect: portable artifacts. */

#ifndef STRATA_VHLO_CAPI_H
#define STRATA_VHLO_CAPI_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A type or attribute as the number of its row in dialects/vhlo/lib/encoding.cpp and its
 * fields. Lists are preceded by their length among the integers. What is read stays valid as
 * long as the context. */
typedef struct StrataVhloRecord {
  uint32_t code;
  const int64_t *integers;
  intptr_t integerCount;
  const MlirAttribute *attributes;
  intptr_t attributeCount;
  const MlirType *types;
  intptr_t typeCount;
  MlirStringRef bytes;
  /* Only read: the name, and the first version of StableHLO that has it. */
  MlirStringRef mnemonic;
  MlirStringRef since;
} StrataVhloRecord;

/* False when it is not of the VHLO dialect. */
bool strataVhloReadAttribute(MlirAttribute attribute, StrataVhloRecord *record);
bool strataVhloReadType(MlirType type, StrataVhloRecord *record);

/* Null when the fields do not fit the number. */
MlirAttribute strataVhloAttribute(MlirContext context, const StrataVhloRecord *record);
MlirType strataVhloType(MlirContext context, const StrataVhloRecord *record);

/* Types of VHLO as those of MLIR and StableHLO, and back; null when there is none. */
MlirType strataVhloTypeToBuiltin(MlirType type);
MlirType strataVhloTypeFromBuiltin(MlirType type);

/* Booleans, numbers, strings, types and elements; null for all others. */
MlirAttribute strataVhloAttributeToBuiltin(MlirAttribute attribute);
MlirAttribute strataVhloAttributeFromBuiltin(MlirAttribute attribute);

/* Bytecode of a format version, with a producer's name; false when MLIR cannot write it. */
bool strataWriteBytecode(MlirOperation operation, MlirStringRef producer, int64_t version,
                         MlirStringCallback sink, void *data);

#ifdef __cplusplus
}
#endif

#endif /* STRATA_VHLO_CAPI_H */
