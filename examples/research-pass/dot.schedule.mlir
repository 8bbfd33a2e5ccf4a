module attributes {transform.with_named_sequence} {
transform.named_sequence @clean(%func: !transform.any_op {transform.readonly}) {
  transform.strata.clean %func : !transform.any_op
  transform.yield
}

transform.named_sequence @nest0(%func: !transform.any_op {transform.readonly}) {
  // a panel of columns
  %1 = transform.structured.match attributes{strata.root} in %func : (!transform.any_op) -> !transform.any_op
  %2, %3 = transform.structured.fuse %1 tile_sizes [0, 24, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %4 = transform.cast %3 : !transform.any_op to !transform.op<"scf.for">
  %5, %6 = transform.loop.peel %4 : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  // a register tile
  %7 = transform.structured.match attributes{strata.root} in %func : (!transform.any_op) -> !transform.any_op
  %8, %9 = transform.split_handle %7 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %10, %11 = transform.structured.fuse %8 tile_sizes [3, 0, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %12 = transform.structured.match attributes{strata.root} in %func : (!transform.any_op) -> !transform.any_op
  %13, %14 = transform.split_handle %12 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %15, %16 = transform.structured.fuse %14 tile_sizes [3, 0, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %17 = transform.structured.match attributes{strata.reduction} in %func : (!transform.any_op) -> !transform.any_op
  %18, %19 = transform.split_handle %17 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.annotate %18 "strata.region0" : !transform.any_op
  %20 = transform.structured.match ops{["linalg.fill"]} in %func : (!transform.any_op) -> !transform.any_op
  %21, %22 = transform.split_handle %20 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.annotate %21 "strata.region0_fill" : !transform.any_op
  %23 = transform.structured.match attributes{strata.reduction} in %func : (!transform.any_op) -> !transform.any_op
  %24, %25 = transform.split_handle %23 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.annotate %25 "strata.region1" : !transform.any_op
  %26 = transform.structured.match ops{["linalg.fill"]} in %func : (!transform.any_op) -> !transform.any_op
  %27, %28 = transform.split_handle %26 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.annotate %28 "strata.region1_fill" : !transform.any_op
  // 3 x 24 results in registers
  %29 = transform.structured.match attributes{strata.region0} in %func : (!transform.any_op) -> !transform.any_op
  %30, %31 = transform.structured.tile_using_for %29 tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %32 = transform.structured.match attributes{strata.region0} in %func : (!transform.any_op) -> !transform.any_op
  %33, %34, %35 = transform.structured.tile_using_for %32 tile_sizes [1, 8, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %36 = transform.structured.match attributes{strata.region0} in %func : (!transform.any_op) -> !transform.any_op
  %37 = transform.get_parent_op %36 {op_name = "scf.for", nth_parent = 1, deduplicate} : (!transform.any_op) -> !transform.any_op
  %38 = transform.get_parent_op %36 {op_name = "scf.for", nth_parent = 2, deduplicate} : (!transform.any_op) -> !transform.any_op
  %39 = transform.get_parent_op %36 {op_name = "scf.for", nth_parent = 3, deduplicate} : (!transform.any_op) -> !transform.any_op
  transform.apply_patterns to %39 { transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice transform.apply_patterns.canonicalization } : !transform.any_op
  %40 = transform.structured.match ops{["linalg.generic"]} in %39 : (!transform.any_op) -> !transform.any_op
  transform.structured.vectorize %40 : !transform.any_op
  transform.apply_patterns to %func { transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers } : !transform.any_op
  %41 = transform.cast %37 : !transform.any_op to !transform.op<"scf.for">
  transform.loop.unroll %41 {factor = 3} : !transform.op<"scf.for">
  %42 = transform.cast %38 : !transform.any_op to !transform.op<"scf.for">
  transform.loop.unroll %42 {factor = 3} : !transform.op<"scf.for">
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %43 = transform.structured.match attributes{strata.region0_fill} in %func : (!transform.any_op) -> !transform.any_op
  %44, %45, %46 = transform.structured.tile_using_for %43 tile_sizes [1, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %47 = transform.structured.match attributes{strata.region0_fill} in %func : (!transform.any_op) -> !transform.any_op
  %48 = transform.get_parent_op %47 {op_name = "scf.for", nth_parent = 1, deduplicate} : (!transform.any_op) -> !transform.any_op
  %49 = transform.get_parent_op %47 {op_name = "scf.for", nth_parent = 2, deduplicate} : (!transform.any_op) -> !transform.any_op
  transform.structured.vectorize %47 : !transform.any_op
  transform.apply_patterns to %func { transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers } : !transform.any_op
  %50 = transform.cast %48 : !transform.any_op to !transform.op<"scf.for">
  transform.loop.unroll %50 {factor = 3} : !transform.op<"scf.for">
  %51 = transform.cast %49 : !transform.any_op to !transform.op<"scf.for">
  transform.loop.unroll %51 {factor = 3} : !transform.op<"scf.for">
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  // 3 x 16 results in registers
  %52 = transform.structured.match attributes{strata.region1} in %func : (!transform.any_op) -> !transform.any_op
  %53, %54 = transform.structured.tile_using_for %52 tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %55 = transform.structured.match attributes{strata.region1} in %func : (!transform.any_op) -> !transform.any_op
  %56, %57, %58 = transform.structured.tile_using_for %55 tile_sizes [1, 8, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %59 = transform.structured.match attributes{strata.region1} in %func : (!transform.any_op) -> !transform.any_op
  %60 = transform.get_parent_op %59 {op_name = "scf.for", nth_parent = 1, deduplicate} : (!transform.any_op) -> !transform.any_op
  %61 = transform.get_parent_op %59 {op_name = "scf.for", nth_parent = 2, deduplicate} : (!transform.any_op) -> !transform.any_op
  %62 = transform.get_parent_op %59 {op_name = "scf.for", nth_parent = 3, deduplicate} : (!transform.any_op) -> !transform.any_op
  transform.apply_patterns to %62 { transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice transform.apply_patterns.canonicalization } : !transform.any_op
  %63 = transform.structured.match ops{["linalg.generic"]} in %62 : (!transform.any_op) -> !transform.any_op
  transform.structured.vectorize %63 : !transform.any_op
  transform.apply_patterns to %func { transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers } : !transform.any_op
  %64 = transform.cast %60 : !transform.any_op to !transform.op<"scf.for">
  transform.loop.unroll %64 {factor = 2} : !transform.op<"scf.for">
  %65 = transform.cast %61 : !transform.any_op to !transform.op<"scf.for">
  transform.loop.unroll %65 {factor = 3} : !transform.op<"scf.for">
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %66 = transform.structured.match attributes{strata.region1_fill} in %func : (!transform.any_op) -> !transform.any_op
  %67, %68, %69 = transform.structured.tile_using_for %66 tile_sizes [1, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %70 = transform.structured.match attributes{strata.region1_fill} in %func : (!transform.any_op) -> !transform.any_op
  %71 = transform.get_parent_op %70 {op_name = "scf.for", nth_parent = 1, deduplicate} : (!transform.any_op) -> !transform.any_op
  %72 = transform.get_parent_op %70 {op_name = "scf.for", nth_parent = 2, deduplicate} : (!transform.any_op) -> !transform.any_op
  transform.structured.vectorize %70 : !transform.any_op
  transform.apply_patterns to %func { transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers } : !transform.any_op
  %73 = transform.cast %71 : !transform.any_op to !transform.op<"scf.for">
  transform.loop.unroll %73 {factor = 2} : !transform.op<"scf.for">
  %74 = transform.cast %72 : !transform.any_op to !transform.op<"scf.for">
  transform.loop.unroll %74 {factor = 3} : !transform.op<"scf.for">
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  // vectors stay in registers
  transform.apply_patterns to %func { transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers } : !transform.any_op
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.apply_patterns to %func { transform.apply_patterns.vector.transfer_permutation_patterns transform.apply_patterns.vector.cast_away_vector_leading_one_dim transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers transform.apply_patterns.canonicalization } : !transform.any_op
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  %75 = transform.structured.match ops{["scf.for"]} in %func : (!transform.any_op) -> !transform.any_op
  transform.loop.hoist_loop_invariant_subsets %75 : !transform.any_op
  transform.include @clean failures(propagate) (%func) : (!transform.any_op) -> ()
  transform.yield
}
}
