// Sorting.

#ifndef STRATA_VHLO_SORT
#define STRATA_VHLO_SORT

include "vhlo/base.td"

def SortOpV1 : VHLO_Op<"sort_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Values:$inputs, VHLO_Attr:$dimension, VHLO_Attr:$is_stable);
  let regions = (region AnyRegion:$comparator);
  let results = (outs VHLO_Values:$results);
}

#endif // STRATA_VHLO_SORT
