; Functions that LLVM's code generator may call by name. runtime.rs finds the functions by their
; `define` lines that are not internal.

; Bytes in ascending order.
define ptr @memcpy(ptr noalias returned writeonly %to, ptr noalias readonly %from, i64 %count) {
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %source = getelementptr inbounds i8, ptr %from, i64 %i
  %target = getelementptr inbounds i8, ptr %to, i64 %i
  %byte = load i8, ptr %source
  store i8 %byte, ptr %target
  %next = add nuw i64 %i, 1
  %last = icmp eq i64 %next, %count
  br i1 %last, label %done, label %loop
done:
  ret ptr %to
}

; Bytes in descending order if the target begins inside the source.
define ptr @memmove(ptr returned %to, ptr %from, i64 %count) {
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %choose
choose:
  %a = ptrtoint ptr %to to i64
  %b = ptrtoint ptr %from to i64
  %distance = sub i64 %a, %b
  %inside = icmp ult i64 %distance, %count
  br i1 %inside, label %down, label %up
up:
  %i = phi i64 [ 0, %choose ], [ %next, %up ]
  %up.source = getelementptr inbounds i8, ptr %from, i64 %i
  %up.target = getelementptr inbounds i8, ptr %to, i64 %i
  %up.byte = load i8, ptr %up.source
  store i8 %up.byte, ptr %up.target
  %next = add nuw i64 %i, 1
  %up.last = icmp eq i64 %next, %count
  br i1 %up.last, label %done, label %up
down:
  %above = phi i64 [ %count, %choose ], [ %j, %down ]
  %j = sub nuw i64 %above, 1
  %down.source = getelementptr inbounds i8, ptr %from, i64 %j
  %down.target = getelementptr inbounds i8, ptr %to, i64 %j
  %down.byte = load i8, ptr %down.source
  store i8 %down.byte, ptr %down.target
  %down.last = icmp eq i64 %j, 0
  br i1 %down.last, label %done, label %down
done:
  ret ptr %to
}

define ptr @memset(ptr returned writeonly %to, i32 %value, i64 %count) {
  %byte = trunc i32 %value to i8
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %target = getelementptr inbounds i8, ptr %to, i64 %i
  store i8 %byte, ptr %target
  %next = add nuw i64 %i, 1
  %last = icmp eq i64 %next, %count
  br i1 %last, label %done, label %loop
done:
  ret ptr %to
}

; f16 -> f32. The exponent is rebased by 112; subnormals are normalised by a subtraction of floats,
; NaNs become quiet.
define float @__extendhfsf2(half %x) {
  %h = bitcast half %x to i16
  %w = zext i16 %h to i32
  %magnitude = and i32 %w, 32767
  %shifted = shl i32 %magnitude, 13
  %rebased = add i32 %shifted, 939524096
  %high.sign = and i32 %w, 32768
  %sign = shl i32 %high.sign, 16
  %special = icmp uge i32 %magnitude, 31744
  %infinite.or.nan = or i32 %shifted, 2139095040
  %is.nan = icmp ugt i32 %magnitude, 31744
  %quiet = or i32 %infinite.or.nan, 4194304
  %not.finite = select i1 %is.nan, i32 %quiet, i32 %infinite.or.nan
  %small = icmp ult i32 %magnitude, 1024
  %one.up = add i32 %rebased, 8388608
  %as.float = bitcast i32 %one.up to float
  %difference = fsub float %as.float, 0x3F10000000000000
  %subnormal = bitcast float %difference to i32
  %finite = select i1 %small, i32 %subnormal, i32 %rebased
  %bits = select i1 %special, i32 %not.finite, i32 %finite
  %signed = or i32 %bits, %sign
  %y = bitcast i32 %signed to float
  ret float %y
}

; f32 -> f16, to nearest, ties to even.
define half @__truncsfhf2(float %x) {
  %y = call half @f32_to_f16(float %x)
  ret half %y
}

; f64 -> f16 through a float rounded to odd, so that the second rounding sees what the first lost.
define half @__truncdfhf2(double %x) {
  %odd = call float @round_to_odd(double %x)
  %y = call half @f32_to_f16(float %odd)
  ret half %y
}

define bfloat @__truncsfbf2(float %x) {
  %y = call bfloat @f32_to_bf16(float %x)
  ret bfloat %y
}

define bfloat @__truncdfbf2(double %x) {
  %odd = call float @round_to_odd(double %x)
  %y = call bfloat @f32_to_bf16(float %odd)
  ret bfloat %y
}

; x to the power n by squaring.
define float @__powisf2(float %x, i32 %n) {
  %wide = fpext float %x to double
  %power = call double @power(double %wide, i32 %n)
  %y = fptrunc double %power to float
  ret float %y
}

define double @__powidf2(double %x, i32 %n) {
  %y = call double @power(double %x, i32 %n)
  ret double %y
}

define internal half @f32_to_f16(float %x) alwaysinline {
  %bits = bitcast float %x to i32
  %magnitude = and i32 %bits, 2147483647
  %sign32 = lshr i32 %bits, 16
  %sign = and i32 %sign32, 32768
  ; 2^16 and above, infinity, NaN
  %large = icmp uge i32 %magnitude, 1199570944
  %is.nan = icmp ugt i32 %magnitude, 2139095040
  %payload = lshr i32 %magnitude, 13
  %payload10 = and i32 %payload, 1023
  %nan = or i32 %payload10, 32256
  %not.finite = select i1 %is.nan, i32 %nan, i32 31744
  ; below 2^-14: the float's own addition rounds to multiples of 2^-24
  %small = icmp ult i32 %magnitude, 947912704
  %as.float = bitcast i32 %magnitude to float
  %sum = fadd float %as.float, 5.000000e-01
  %sum.bits = bitcast float %sum to i32
  %subnormal = sub i32 %sum.bits, 1056964608
  ; the rest: rebase the exponent by -112 and round the lower 13 bits
  %lsb.at = lshr i32 %magnitude, 13
  %lsb = and i32 %lsb.at, 1
  %rebased = add i32 %magnitude, -939520001
  %rounded = add i32 %rebased, %lsb
  %normal = lshr i32 %rounded, 13
  %finite = select i1 %small, i32 %subnormal, i32 %normal
  %half32 = select i1 %large, i32 %not.finite, i32 %finite
  %signed = or i32 %half32, %sign
  %half16 = trunc i32 %signed to i16
  %y = bitcast i16 %half16 to half
  ret half %y
}

define internal bfloat @f32_to_bf16(float %x) alwaysinline {
  %bits = bitcast float %x to i32
  %lsb.at = lshr i32 %bits, 16
  %lsb = and i32 %lsb.at, 1
  %bias = add i32 %lsb, 32767
  %sum = add i32 %bits, %bias
  %rounded = lshr i32 %sum, 16
  %quiet = or i32 %lsb.at, 64
  %is.nan = fcmp uno float %x, %x
  %upper = select i1 %is.nan, i32 %quiet, i32 %rounded
  %half16 = trunc i32 %upper to i16
  %y = bitcast i16 %half16 to bfloat
  ret bfloat %y
}

; The float towards zero, with its last bit set where that was not exact.
define internal float @round_to_odd(double %x) alwaysinline {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %differs = fcmp one double %back, %x
  %bits = bitcast float %near to i32
  %odd.bit = and i32 %bits, 1
  %even = icmp eq i32 %odd.bit, 0
  %adjust = and i1 %differs, %even
  %size = call double @llvm.fabs.f64(double %x)
  %back.size = call double @llvm.fabs.f64(double %back)
  %away = fcmp ogt double %back.size, %size
  %down = sub i32 %bits, 1
  %up = or i32 %bits, 1
  %moved = select i1 %away, i32 %down, i32 %up
  %odd = select i1 %adjust, i32 %moved, i32 %bits
  %y = bitcast i32 %odd to float
  ret float %y
}

define internal double @power(double %x, i32 %n) alwaysinline {
  %negative = icmp slt i32 %n, 0
  %minus = sub i32 0, %n
  %count = select i1 %negative, i32 %minus, i32 %n
  br label %loop
loop:
  %left = phi i32 [ %count, %0 ], [ %rest, %loop ]
  %square = phi double [ %x, %0 ], [ %squared, %loop ]
  %product = phi double [ 1.000000e+00, %0 ], [ %chosen, %loop ]
  %bit = and i32 %left, 1
  %set = icmp ne i32 %bit, 0
  %times = fmul double %product, %square
  %chosen = select i1 %set, double %times, double %product
  %squared = fmul double %square, %square
  %rest = lshr i32 %left, 1
  %last = icmp eq i32 %rest, 0
  br i1 %last, label %done, label %loop
done:
  %inverse = fdiv double 1.000000e+00, %chosen
  %y = select i1 %negative, double %inverse, double %chosen
  ret double %y
}

declare double @llvm.fabs.f64(double)
