// Add up two tables of counts by distinct ascending scores.
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"

namespace tallymark {

// Distinct scores, ascending, and as many counts of each of so many columns, column by column.
struct Counted {
  Vector<const double> scores;
  Table<const double> counts;
  std::size_t size = scores.size();
};

// Two tables cut into pieces that are merged side by side: no score lies in two of them.
class Merged {
 public:
  std::size_t size = 0;  // distinct scores of both

  Merged(const Counted& left, const Counted& right) : left_(left), right_(right) {
    const std::size_t count = parts(left.size + right.size);
    const double* const other = right.scores.data();
    for (std::size_t p = 0; p <= count; ++p) {
      const std::size_t a = left.size * p / count;
      std::size_t b = p ? right.size : 0;
      if (p && p < count && a < left.size)
        b = static_cast<std::size_t>(
            std::lower_bound(other, other + right.size, left.scores[a]) - other);
      cuts_.push_back({a, b, 0});
    }
    for_each_piece([&](std::size_t p) {
      std::size_t rows = 0;
      walk(p, [&](std::size_t, std::size_t, std::size_t, std::size_t) { ++rows; });
      cuts_[p].to = rows;
    });
    for (auto& cut : cuts_) size += std::exchange(cut.to, size);
  }

  // Write the scores of both tables, and of every column the counts of both added up.
  void write(double* scores, double* counts) const {
    const std::size_t columns = left_.counts.shape(0);
    const double none = 0;  // an empty table has no line to multiply by 0
    const double* const of_a = left_.size ? left_.counts.data() : &none;
    const double* const of_b = right_.size ? right_.counts.data() : &none;
    const double *const a = left_.scores.data(), *const b = right_.scores.data();
    for_each_piece([&](std::size_t p) {
      std::size_t at = cuts_[p].to;
      walk(p, [&](std::size_t i, std::size_t j, std::size_t is_left, std::size_t is_right) {
        const double* const score = is_left ? a + i : b + j;
        scores[at] = *score;
        const auto with_a = static_cast<double>(is_left), with_b = static_cast<double>(is_right);
        for (std::size_t c = 0; c < columns; ++c)
          counts[c * size + at] =
              with_a * of_a[c * left_.size + i] + with_b * of_b[c * right_.size + j];
        ++at;
      });
    });
  }

 private:
  struct Cut {
    std::size_t left, right, to;
  };

  template <class Body>
  void for_each_piece(Body&& body) const {
    split(cuts_.size() - 1, cuts_.size() - 1,
          [&](std::size_t p, std::size_t, std::size_t) { body(p); });
  }

  // Go through the scores of both as they rise: tell each step where both are and who has the next
  // one, without a branch that would be mispredicted at every other score.
  template <class Step>
  void walk(std::size_t p, Step&& step) const {
    std::size_t i = cuts_[p].left, j = cuts_[p].right;
    const std::size_t i_end = cuts_[p + 1].left, j_end = cuts_[p + 1].right;
    while (i < i_end && j < j_end) {
      const double x = left_.scores[i], y = right_.scores[j];
      const std::size_t is_left = x <= y, is_right = y <= x;
      step(i, j, is_left, is_right);
      i += is_left, j += is_right;
    }
    // What is left of one table; of the other one any line will do, which is multiplied by 0.
    for (; i < i_end; ++i) step(i, j - (j > 0), 1, 0);
    for (; j < j_end; ++j) step(i - (i > 0), j, 0, 1);
  }

  Counted left_, right_;
  std::vector<Cut> cuts_;
};

}  // namespace tallymark
