// Elementwise arithmetic, mathematical functions, bits and complex parts.

#ifndef STRATA_VHLO_ELEMENTWISE
#define STRATA_VHLO_ELEMENTWISE

include "vhlo/base.td"

def AbsOpV1 : VHLO_Unary<"abs_v1", "0.9.0", VHLO_Current>;
def AddOpV1 : VHLO_Binary<"add_v1", "0.9.0", VHLO_Current>;
def AndOpV1 : VHLO_Binary<"and_v1", "0.9.0", VHLO_Current>;
def Atan2OpV1 : VHLO_Binary<"atan2_v1", "0.9.0", VHLO_Current>;
def CbrtOpV1 : VHLO_Unary<"cbrt_v1", "0.9.0", "1.9.0">;
def CbrtOpV2 : VHLO_AccurateUnary<"cbrt_v2", "1.10.0", VHLO_Current>;
def CeilOpV1 : VHLO_Unary<"ceil_v1", "0.9.0", VHLO_Current>;
def ComplexOpV1 : VHLO_Binary<"complex_v1", "0.9.0", VHLO_Current>;
def CosineOpV1 : VHLO_Unary<"cosine_v1", "0.9.0", "1.9.0">;
def CosineOpV2 : VHLO_AccurateUnary<"cosine_v2", "1.10.0", VHLO_Current>;
def CountLeadingZerosOpV1 : VHLO_Unary<"count_leading_zeros_v1", "0.9.0", VHLO_Current>;
def DivideOpV1 : VHLO_Binary<"divide_v1", "0.9.0", VHLO_Current>;
def ExponentialMinusOneOpV1 : VHLO_Unary<"exponential_minus_one_v1", "0.9.0", "1.9.0">;
def ExponentialMinusOneOpV2
    : VHLO_AccurateUnary<"exponential_minus_one_v2", "1.10.0", VHLO_Current>;
def ExponentialOpV1 : VHLO_Unary<"exponential_v1", "0.9.0", "1.8.0">;
def ExponentialOpV2 : VHLO_AccurateUnary<"exponential_v2", "1.9.0", VHLO_Current>;
def FloorOpV1 : VHLO_Unary<"floor_v1", "0.9.0", VHLO_Current>;
def ImagOpV1 : VHLO_Unary<"imag_v1", "0.9.0", VHLO_Current>;

def IsFiniteOpV1 : VHLO_Op<"is_finite_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$x);
  let results = (outs VHLO_Value:$y);
}

def LogPlusOneOpV1 : VHLO_Unary<"log_plus_one_v1", "0.9.0", "1.9.0">;
def LogPlusOneOpV2 : VHLO_AccurateUnary<"log_plus_one_v2", "1.10.0", VHLO_Current>;
def LogOpV1 : VHLO_Unary<"log_v1", "0.9.0", "1.9.0">;
def LogOpV2 : VHLO_AccurateUnary<"log_v2", "1.10.0", VHLO_Current>;
def LogisticOpV1 : VHLO_Unary<"logistic_v1", "0.9.0", "1.9.0">;
def LogisticOpV2 : VHLO_AccurateUnary<"logistic_v2", "1.10.0", VHLO_Current>;
def MaximumOpV1 : VHLO_Binary<"maximum_v1", "0.9.0", VHLO_Current>;
def MinimumOpV1 : VHLO_Binary<"minimum_v1", "0.9.0", VHLO_Current>;
def MultiplyOpV1 : VHLO_Binary<"multiply_v1", "0.9.0", VHLO_Current>;
def NegateOpV1 : VHLO_Unary<"negate_v1", "0.9.0", VHLO_Current>;
def NotOpV1 : VHLO_Unary<"not_v1", "0.9.0", VHLO_Current>;
def OrOpV1 : VHLO_Binary<"or_v1", "0.9.0", VHLO_Current>;
def PopcntOpV1 : VHLO_Unary<"popcnt_v1", "0.9.0", VHLO_Current>;
def PowerOpV1 : VHLO_Binary<"power_v1", "0.9.0", VHLO_Current>;
def RealOpV1 : VHLO_Unary<"real_v1", "0.9.0", VHLO_Current>;
def RemainderOpV1 : VHLO_Binary<"remainder_v1", "0.9.0", VHLO_Current>;
def RoundNearestAfzOpV1 : VHLO_Unary<"round_nearest_afz_v1", "0.9.0", VHLO_Current>;
def RoundNearestEvenOpV1 : VHLO_Unary<"round_nearest_even_v1", "0.9.0", VHLO_Current>;
def RsqrtOpV1 : VHLO_Unary<"rsqrt_v1", "0.9.0", "1.9.0">;
def RsqrtOpV2 : VHLO_AccurateUnary<"rsqrt_v2", "1.10.0", VHLO_Current>;
def ShiftLeftOpV1 : VHLO_Binary<"shift_left_v1", "0.9.0", VHLO_Current>;
def ShiftRightArithmeticOpV1 : VHLO_Binary<"shift_right_arithmetic_v1", "0.9.0", VHLO_Current>;
def ShiftRightLogicalOpV1 : VHLO_Binary<"shift_right_logical_v1", "0.9.0", VHLO_Current>;
def SignOpV1 : VHLO_Unary<"sign_v1", "0.9.0", VHLO_Current>;
def SineOpV1 : VHLO_Unary<"sine_v1", "0.9.0", "1.9.0">;
def SineOpV2 : VHLO_AccurateUnary<"sine_v2", "1.10.0", VHLO_Current>;
def SqrtOpV1 : VHLO_Unary<"sqrt_v1", "0.9.0", "1.9.0">;
def SqrtOpV2 : VHLO_AccurateUnary<"sqrt_v2", "1.10.0", VHLO_Current>;
def SubtractOpV1 : VHLO_Binary<"subtract_v1", "0.9.0", VHLO_Current>;
def TanOpV1 : VHLO_Unary<"tan_v1", "1.4.0", "1.9.0">;
def TanOpV2 : VHLO_AccurateUnary<"tan_v2", "1.10.0", VHLO_Current>;
def TanhOpV1 : VHLO_Unary<"tanh_v1", "0.9.0", "1.9.0">;
def TanhOpV2 : VHLO_AccurateUnary<"tanh_v2", "1.10.0", VHLO_Current>;
def XorOpV1 : VHLO_Binary<"xor_v1", "0.9.0", VHLO_Current>;

#endif // STRATA_VHLO_ELEMENTWISE
