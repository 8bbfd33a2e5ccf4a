/* The C interface of the Strata dialect library.
 *
 * Attributes of the StableHLO dialect are read field by field: every accessor
 * takes the field's name as the text form spells it and returns false when the
 * attribute has no such field. */

#ifndef STRATA_CAPI_H
#define STRATA_CAPI_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds all dialects of this library to the registry. */
void strataRegisterDialects(MlirDialectRegistry registry);

/* Adds those of MLIR's own dialects that Strata uses, with their extensions, and their translation to LLVM IR. */
void strataRegisterUpstream(MlirDialectRegistry registry);

/* Makes the passes of these dialects known by name; once per process. */
void strataRegisterPasses(void);

/* Loads all dialects of this library into the context. */
void strataLoadDialects(MlirContext context);

/* Whether programs left constants in the context that are stored apart from them (`dense_resource<name>`). */
bool strataHoldsResources(MlirContext context);

/* Parses text or bytecode whose locations name `name`. */
MlirModule strataParseModule(MlirContext context, MlirStringRef source, MlirStringRef name);

/* Bytes that stay what and where they are to the end of the process: elements that are read from them refer to them. */
void strataKeepBytes(MlirStringRef bytes);

/* Whether `bytes` are among those. */
bool strataAreKept(MlirStringRef bytes);

/* Bytes of elements, and who owns them: `owner` is released when nothing refers to them any more, with the context of the
 * elements at the latest. */
typedef void (*StrataRelease)(void *owner);
typedef struct {
  MlirStringRef bytes;
  void *owner;
  StrataRelease release;
} StrataOwnedBytes;

/* Elements of a type, which refer to the bytes where that saves a copy. Null where the bytes do not fit the type. */
MlirAttribute strataOwnedElements(MlirType type, StrataOwnedBytes bytes);

/* What `#vhlo.numbered<0> : type` and numbers in bytecode stand for, each once, in what this thread parses next. An owner that was taken is
 * null then; the list must live until it is replaced. */
void strataNumberElements(StrataOwnedBytes *elements, intptr_t count);

/* Dense elements that refer to the bytes of a `dense_resource<name>`; null where it has none, or too few. */
MlirAttribute strataElementsOfResource(MlirAttribute resource);

/* Writes a module as bytecode for this process. Elements that `number` gives a number (from 0 on) are not in it: it stands for them
 * as in `strataNumberElements`. */
typedef int64_t (*StrataNumberOf)(MlirStringRef bytes, void *data);
void strataWriteModule(MlirOperation module, MlirStringCallback sink, StrataNumberOf number, void *data);

/* All attributes of an operation as one dictionary, inherent ones included. */
MlirAttribute strataOperationAttributes(MlirOperation op);

/* Folds views of buffers into the operations in `root` that read and write
 * them. Regions stay as they are. */
void strataFoldMemRefViews(MlirOperation root);

/* Calls `hear` with a pass's name on the command line (`canonicalize`) when the manager begins and ends to run it. */
typedef void (*StrataPassSink)(MlirStringRef name, bool begins);
void strataListenToPasses(MlirPassManager manager, StrataPassSink hear);

/* Gives the only result of a dot_general, convolution or ragged_dot the shape that follows from
 * operands and attributes, and keeps its elements. Returns false, with a diagnostic, when these
 * violate the operation's constraints. */
bool strataInferResult(MlirOperation op);

/* Calls `sink` with each result's type that follows from operands, attributes and regions as they are now; the results
 * keep theirs. Returns false for operations that do not infer, and, with a diagnostic, where constraints are violated. */
typedef void (*StrataTypeSink)(MlirType type, void *data);
bool strataInferredTypes(MlirOperation op, StrataTypeSink sink, void *data);

/* Types. */
bool strataTypeIsToken(MlirType type);
bool strataTypeIsFuture(MlirType type);
MlirType strataTokenTypeGet(MlirContext context);
intptr_t strataFutureTypeGetNumTypes(MlirType type);
MlirType strataFutureTypeGetType(MlirType type, intptr_t index);

/* Tensor encodings: bounds of dimensions, INT64_MIN where there is none.
 * Returns false when the type is not a ranked tensor with bounds. */
typedef void (*StrataIntsSink)(const int64_t *values, intptr_t count, void *data);
bool strataTypeBounds(MlirType type, StrataIntsSink sink, void *data);

/* The mnemonic of a StableHLO attribute ("gather", "comparison_direction", …);
 * a null reference for others. The text lives as long as the library. */
MlirStringRef strataAttrMnemonic(MlirAttribute attribute);

/* Lists of integers; a single integer or boolean is a list of one. */
bool strataAttrInts(MlirAttribute attribute, MlirStringRef field, StrataIntsSink sink, void *data);

/* Numbers: atol and rtol of result_accuracy. */
bool strataAttrFloat(MlirAttribute attribute, MlirStringRef field, double *value);

/* Types: lhs_precision_type, rhs_precision_type, accumulation_type of
 * dot_algorithm. */
bool strataAttrType(MlirAttribute attribute, MlirStringRef field, MlirType *type);

/* Attributes inside attributes: mode of result_accuracy; mesh and axes of
 * replica_group_mesh_axes; name and sub_axis_info of axis_ref; name of
 * mesh_axis; axes and device_ids of mesh. Lists are array attributes; an absent
 * optional field is a null attribute. */
bool strataAttrNested(MlirAttribute attribute, MlirStringRef field, MlirAttribute *nested);

/* Enumerations: the number and the keyword of the value. Either pointer may be
 * null. The keyword lives as long as the library. */
bool strataEnumAttr(MlirAttribute attribute, int32_t *value, MlirStringRef *keyword);

/* The enumeration attribute of a mnemonic ("precision", "fft_type", …) with the
 * given number; null when there is none. */
MlirAttribute strataEnumAttrGet(MlirContext context, MlirStringRef mnemonic, int32_t value);

/* The same for enumerations of MLIR's own dialects, by the name that stands before the value in their text: "arith.fastmath" (a
 * set of flags), "linalg.iterator_type", "llvm.linkage", "vector.iterator_type", "vector.kind". */
MlirAttribute strataUpstreamEnumAttrGet(MlirContext context, MlirStringRef name, int64_t value);

/* The name, and the number of the value; an empty name for other attributes. The name lives as long as the library. */
MlirStringRef strataUpstreamEnumAttr(MlirAttribute attribute, int64_t *value);

#ifdef __cplusplus
}
#endif

#endif /* STRATA_CAPI_H */
