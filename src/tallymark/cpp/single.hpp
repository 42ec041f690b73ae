// Sums along a ranking with one whole row at each score.
//
// The k highest scores hold tp[k] rows of the positive class and k - tp[k] of the others, so that
// one array tells all. Terms of both classes are computed of every row, without a branch, and
// multiplied by 1 or 0: labels come in no order that a processor could foresee.
#pragma once
#include <array>
#include <cstddef>

namespace tallymark {

// What add_ranks of along.hpp gives of such a ranking of n rows.
std::array<double, 7> add_ranks_of_single(const double* tp, std::size_t n);

}  // namespace tallymark
