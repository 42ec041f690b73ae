// Sums along a ranking with one whole row at each score.
//
// The k highest scores hold tp[k] rows of the positive class and k - tp[k] of the others, so that
// one array tells all. Terms of both classes are computed of every row, without a branch, and
// multiplied by 1 or 0: labels come in no order that a processor could foresee.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace tallymark {

// What add_ranks of along.hpp gives of such a ranking of n rows, and then sums of squares: of the
// others above each positive row less their mean, and of the positives above each other row.
std::array<double, 9> add_ranks_of_single(const double* tp, std::size_t n);

// Scores of a stretch, so many of them, have one sum.
constexpr std::size_t kStretch = 1024;

// Sums of rising probabilities over stretches; of those from 1/2 on, sums of what they lack to 1,
// which loses no digits near 1. A stretch with scores on both sides is nobody's.
void stretch_sums(const double* scores, std::size_t n, double* sums);

// Of m ranges that begin at starts and end where the next one does, the last at starts[m]: the sum
// of probabilities below 1/2, how many others there are, and the sum of what these lack to 1.
// Out[3][m]; ranges that end before they begin are empty.
void range_sums(const double* scores, std::size_t n, const double* sums,
                const std::int64_t* starts, std::size_t m, double* out);

}  // namespace tallymark
