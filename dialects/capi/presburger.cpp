// Linear inequalities over integers.

#include "strata/presburger.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"

using namespace mlir;
using namespace mlir::presburger;

bool strataHasIntegerSolution(intptr_t unknowns, const int64_t *rows, intptr_t count) {
  IntegerPolyhedron system(PresburgerSpace::getSetSpace(unknowns));
  for (intptr_t row = 0; row < count; ++row)
    system.addInequality(ArrayRef(rows + row * (unknowns + 1), unknowns + 1));
  return !system.isIntegerEmpty();
}
