// Sums over the order of the scores: areas under curves, of one pass for all.
#pragma once
#include <array>
#include <cstddef>

namespace tallymark {

// The sums of RankTerms over n groups, of which tp and fp are the cumulative counts from the
// highest score down.
//
// Where every group is one row, terms of both classes are computed of every row, without a branch,
// and multiplied by 1 or 0: labels come in no order that a processor could foresee.
std::array<double, 7> rank_sums(const double* tp, const double* fp, std::size_t n);

}  // namespace tallymark
