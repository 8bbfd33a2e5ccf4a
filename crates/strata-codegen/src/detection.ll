; The result of `cpuid`, zeros if the processor has no such leaf.
define internal { i32, i32, i32, i32 } @strata.cpuid(i32 %leaf, i32 %subleaf) {
  %range = and i32 %leaf, -2147483648
  %first = call { i32, i32, i32, i32 } asm "cpuid", "={ax},={bx},={cx},={dx},0,2"(i32 %range, i32 0)
  %last = extractvalue { i32, i32, i32, i32 } %first, 0
  %is_there = icmp uge i32 %last, %leaf
  br i1 %is_there, label %ask, label %none
ask:
  %answer = call { i32, i32, i32, i32 } asm "cpuid", "={ax},={bx},={cx},={dx},0,2"(i32 %leaf, i32 %subleaf)
  ret { i32, i32, i32, i32 } %answer
none:
  ret { i32, i32, i32, i32 } zeroinitializer
}

; The registers that the system saves when it switches, as bits; 0 if it does not use XSAVE.
define internal i64 @strata.saved() {
  %leaf = call { i32, i32, i32, i32 } @strata.cpuid(i32 1, i32 0)
  %features = extractvalue { i32, i32, i32, i32 } %leaf, 2
  %bit = and i32 %features, 134217728
  %is_used = icmp ne i32 %bit, 0
  br i1 %is_used, label %ask, label %none
ask:
  %pair = call { i32, i32 } asm "xgetbv", "={ax},={dx},{cx}"(i32 0)
  %low = extractvalue { i32, i32 } %pair, 0
  %wide = zext i32 %low to i64
  ret i64 %wide
none:
  ret i64 0
}

