// The narrow dialect: dot products of elements narrower than the vector lanes that they are added in, and lanes in an order that they
// decide. Stage `linalg` makes its operations, stage `llvm` takes them out again.

#ifndef STRATA_NARROW_OPS
#define STRATA_NARROW_OPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Narrow_Dialect : Dialect {
  let name = "narrow";
  let cppNamespace = "::strata::narrow";
  let summary = "Lanes that hold several narrow elements";
}

// What a lane of 32 bits holds, lowest bits first: `s8` and `u8` four bytes, `s16` two integers, `bf16` and `f16` two numbers.
def Narrow_Lanes : Type<CPred<"$_self.isSignlessInteger(32)">, "lane of 32 bits", "::mlir::IntegerType">;
def Narrow_Sum : Type<CPred<"$_self.isSignlessInteger(32) || $_self.isF32()">, "sum of the products of a lane">;

def DotOp : Op<Narrow_Dialect, "dot", !listconcat(ElementwiseMappable.traits, [
    Pure, AllTypesMatch<["lhs", "rhs"]>])> {
  let summary = "the sum of the products of the elements of two lanes, modulo the sum's type";
  let description = [{
    Sums of `bf16` and `f16` are in `f32`. The products are exact; in which order they are added, also to other numbers, and whether numbers
    below the normal range are zero, before and after, is open.
  }];
  let arguments = (ins TypeOrValueSemanticsContainer<Narrow_Lanes, "lanes">:$lhs,
                       TypeOrValueSemanticsContainer<Narrow_Lanes, "lanes">:$rhs,
                       StrAttr:$left, StrAttr:$right);
  let results = (outs TypeOrValueSemanticsContainer<Narrow_Sum, "sums">:$result);
  let assemblyFormat = [{
    $left $lhs `,` $right $rhs attr-dict `:` type($lhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def PackOp : Op<Narrow_Dialect, "pack", [Pure]> {
  let summary = "elements that follow each other along a dimension as lanes, the last one filled with zeros";
  let description = [{
    A lane holds the elements as `to`, the numbers of the operand being `from`: integers without sign as `s8`, which has no
    room for them, are less 128 each, those with a sign as `u8` more 128.

    In elements of 32 bits the operand has several integers each, with or without a sign, `s4` and `u4` of four bits, `s8` and `u8` of
    eight: number `e` at bit `bits (e / 2) + 16 (e mod 2)`. The lanes are then of `bf16`; those at the end may be missing. The lanes of a word
    follow each other, or are `stride` lanes apart along the last dimension: then each `stride` words have that many times their lanes. With
    a scale, and a zero point besides or not, they are scaled (`narrow.scale`); groups of as many lanes each along `dimension` have one in
    common.
  }];
  let arguments = (ins RankedTensorOf<[I8, BF16, F16, I32]>:$operand, Variadic<RankedTensorOf<[F32]>>:$params, I64Attr:$dimension,
                       StrAttr:$from, StrAttr:$to, OptionalAttr<I64Attr>:$stride);
  let results = (outs RankedTensorOf<[Narrow_Lanes]>:$result);
  let assemblyFormat = [{
    $from $operand (`by` $params^)? `to` $to `along` $dimension attr-dict `:` type($operand) (`by` type($params)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def WidenOp : Op<Narrow_Dialect, "widen", !listconcat(ElementwiseMappable.traits, [
    Pure, AllTypesMatch<["operand", "result"]>])> {
  let summary = "the lowest four or eight bits of each half of a lane as two numbers of `bf16`";
  let arguments = (ins StrAttr:$from, TypeOrValueSemanticsContainer<Narrow_Lanes, "lanes">:$operand);
  let results = (outs TypeOrValueSemanticsContainer<Narrow_Lanes, "lanes">:$result);
  let assemblyFormat = [{ $from $operand attr-dict `:` type($operand) }];
  let hasVerifier = 1;
}

def ScaleOp : Op<Narrow_Dialect, "scale", !listconcat(ElementwiseMappable.traits, [
    Pure, AllTypesMatch<["operand", "result"]>])> {
  let summary = "two integers as `bf16`, less a zero point if there is one, times a scale, rounded to `bf16`";
  let description = [{
    The difference is exact, the product is rounded to `f32`, then to `bf16`. Scales are zero or normal numbers, and zero points integers
    of at most eight bits, so that neither a NaN nor a subnormal number comes of them.
  }];
  let arguments = (ins TypeOrValueSemanticsContainer<Narrow_Lanes, "lanes">:$operand,
                       Variadic<TypeOrValueSemanticsContainer<F32, "a scale and a zero point">>:$params);
  let results = (outs TypeOrValueSemanticsContainer<Narrow_Lanes, "lanes">:$result);
  let assemblyFormat = [{ $operand `by` $params attr-dict `:` type($operand) `by` type($params) }];
  let hasVerifier = 1;
}

def Narrow_Tile : VectorOfRankAndType<[2], [Narrow_Lanes]>;
def Narrow_SumTile : VectorOfRankAndType<[2], [Narrow_Sum]>;

def MatmulOp : Op<Narrow_Dialect, "matmul", [Pure, AllTypesMatch<["sums", "result"]>]> {
  let summary = "sums and the product of two matrices of lanes, which a processor has in tiles";
  let description = [{
    Adds to each sum the dots of the lanes of a row of `lhs` and a column of `rhs`: integers modulo 2^32, and of `bf16` and `f16`
    with the order and the subnormal numbers of `narrow.dot` open.
  }];
  let arguments = (ins StrAttr:$left, Narrow_Tile:$lhs, StrAttr:$right, Narrow_Tile:$rhs, Narrow_SumTile:$sums);
  let results = (outs Narrow_SumTile:$result);
  let assemblyFormat = [{
    $left $lhs `,` $right $rhs `into` $sums attr-dict `:` type($lhs) `,` type($rhs) `->` type($sums)
  }];
  let hasVerifier = 1;
}

class Narrow_Row<list<Type> elements> : AnyTypeOf<[1DTensorOf<elements>, VectorOfRankAndType<[1], elements>]>;

def PartitionOp : Op<Narrow_Dialect, "partition", [Pure, AllTypesMatch<["operand", "result"]>, AllShapesMatch<["operand", "mask"]>]> {
  let summary = "the lanes that a mask selects, then the others, each in their order, and how many it selects";
  let arguments = (ins Narrow_Row<[I32, I64]>:$operand, Narrow_Row<[I1]>:$mask);
  let results = (outs Narrow_Row<[I32, I64]>:$result, Index:$count);
  let assemblyFormat = [{ $operand `by` $mask attr-dict `:` type($operand) `,` type($mask) }];
  let hasVerifier = 1;
}

#endif // STRATA_NARROW_OPS
