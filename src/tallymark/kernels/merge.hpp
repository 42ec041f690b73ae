// Add up two tables of counts by distinct ascending scores.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "parallel.hpp"

namespace tallymark {

// Distinct scores, ascending, and as many counts of each of so many columns, column by column.
struct Counted {
  const double* scores;
  std::size_t size;
  const double* counts;
};

// Where both tables are cut, so that the pieces are merged side by side: no score lies in two.
struct Cuts {
  std::vector<std::size_t> a, b;

  Cuts(const Counted& left, const Counted& right) {
    const std::size_t count = parts(left.size + right.size);
    for (std::size_t p = 0; p <= count; ++p) {
      a.push_back(left.size * p / count);
      b.push_back(p == 0 ? 0
                  : p == count
                      ? right.size
                      : static_cast<std::size_t>(
                            std::lower_bound(right.scores, right.scores + right.size,
                                             a.back() < left.size ? left.scores[a.back()]
                                                                  : right.scores[0]) -
                            right.scores));
    }
  }
  std::size_t pieces() const { return a.size() - 1; }
};

// Go through the scores of both as they rise: tell each step who has the next one, without a branch
// that would be mispredicted at every other score.
template <class Step, class Rest>
void rising(const Counted& left, const Counted& right, const Cuts& cuts, std::size_t p, Step&& both,
            Rest&& rest) {
  std::size_t i = cuts.a[p], j = cuts.b[p];
  const std::size_t ends_left = cuts.a[p + 1], ends_right = cuts.b[p + 1];
  while (i < ends_left && j < ends_right) {
    const double x = left.scores[i], y = right.scores[j];
    const std::size_t is_left = x <= y, is_right = y <= x;
    both(i, j, is_left, is_right);
    i += is_left;
    j += is_right;
  }
  rest(i, ends_left, j, ends_right);
}

// How many distinct scores each piece has in both tables together.
inline std::vector<std::size_t> merged_sizes(const Counted& left, const Counted& right,
                                             const Cuts& cuts) {
  std::vector<std::size_t> sizes(cuts.pieces());
  split(sizes.size(), sizes.size(), [&](std::size_t p, std::size_t, std::size_t) {
    std::size_t size = 0;
    rising(
        left, right, cuts, p, [&](auto, auto, auto, auto) { ++size; },
        [&](auto i, auto left_end, auto j, auto right_end) { size += left_end - i + right_end - j; });
    sizes[p] = size;
  });
  return sizes;
}

// Write the scores of both tables, and of every column the counts of both added up.
inline void merge(const Counted& left, const Counted& right, std::size_t columns, const Cuts& cuts,
                  const std::vector<std::size_t>& sizes, double* scores, double* counts) {
  std::vector<std::size_t> starts{0};
  for (const std::size_t size : sizes) starts.push_back(starts.back() + size);
  const std::size_t total = starts.back();
  split(sizes.size(), sizes.size(), [&](std::size_t p, std::size_t, std::size_t) {
    std::size_t at = starts[p];
    const auto copy = [&](const Counted& from, std::size_t begin, std::size_t end) {
      std::copy(from.scores + begin, from.scores + end, scores + at);
      for (std::size_t c = 0; c < columns; ++c)
        std::copy(from.counts + c * from.size + begin, from.counts + c * from.size + end,
                  counts + c * total + at);
      at += end - begin;
    };
    rising(
        left, right, cuts, p,
        [&](auto i, auto j, auto is_left, auto is_right) {
          scores[at] = std::min(left.scores[i], right.scores[j]);
          const double of_left = static_cast<double>(is_left), of_right = static_cast<double>(is_right);
          for (std::size_t c = 0; c < columns; ++c)
            counts[c * total + at] = of_left * left.counts[c * left.size + i] +
                                     of_right * right.counts[c * right.size + j];
          ++at;
        },
        [&](auto i, auto left_end, auto j, auto right_end) {
          copy(left, i, left_end);
          copy(right, j, right_end);
        });
  });
}

}  // namespace tallymark
