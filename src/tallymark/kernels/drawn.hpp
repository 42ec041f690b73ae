// Draws of how many rows are positive, and what isotonic calibration makes of each.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tallymark {

// The numbers of hits among n tries of chance p at uniform numbers: exact, by the distribution
// function in a table. Its length is that of some standard deviations.
class Hits {
 public:
  Hits(double n, double p) {
    p = p > 0 ? std::min(p, 1.0) : 0.0;
    const double mode = std::min(n, std::floor((n + 1) * p)), odds = p / (1 - p);
    low_ = mode;
    if (p == 0 || p == 1) {
      below_ = {1.0};
      first_ = {0};
      return;
    }
    // From the most likely number on both ways, until nothing is left of any weight.
    std::vector<double> down;
    for (double share = 1; low_ > 0;) {
      share *= low_ / ((n - low_ + 1) * odds);
      if (share < kFaint) break;
      down.push_back(share);
      --low_;
    }
    below_.assign(down.rbegin(), down.rend());
    below_.push_back(1.0);
    for (double k = mode, share = 1; k < n; ++k) {
      share *= (n - k) / (k + 1) * odds;
      if (share < kFaint) break;
      below_.push_back(share);
    }
    double sum = 0;
    for (double& share : below_) share = sum += share;
    for (double& share : below_) share /= sum;
    below_.back() = 1.0;
    // Where to start looking: no number before it has so much below it.
    first_.resize(below_.size());
    std::uint32_t k = 0;
    for (std::size_t i = 0; i < first_.size(); ++i) {
      while (below_[k] * static_cast<double>(first_.size()) < static_cast<double>(i)) ++k;
      first_[i] = k;
    }
  }

  double at(double uniform) const {
    auto i = static_cast<std::size_t>(uniform * static_cast<double>(first_.size()));
    std::size_t k = first_[std::min(i, first_.size() - 1)];
    while (below_[k] <= uniform && k + 1 < below_.size()) ++k;
    return low_ + static_cast<double>(k);
  }

 private:
  static constexpr double kFaint = 1e-18;
  double low_;
  std::vector<double> below_;  // of low_, low_ + 1, ...: the chance of no more
  std::vector<std::uint32_t> first_;
};

// Turn uniform numbers [draws, size] into hits among n[c] tries of chance p[c].
inline void draw_hits(const double* n, const double* p, std::size_t draws, std::size_t size,
                      double* values) {
  for (std::size_t c = 0; c < size; ++c) {
    const Hits hits(n[c], p[c]);
    for (std::size_t d = 0; d < draws; ++d) values[d * size + c] = hits.at(values[d * size + c]);
  }
}

// The share of positives at every group of each row of two tables [rows, groups], after pooling
// neighbours until it strictly rises: see pool(). Groups above the last one with weight have none.
inline void isotonic(const double* pos, const double* neg, std::size_t rows, std::size_t groups,
                     double* out) {
  struct Block {
    double pos, neg;
    std::size_t end;
  };
  std::vector<Block> pile(groups + 1);
  for (std::size_t row = 0; row < rows; ++row, pos += groups, neg += groups, out += groups) {
    std::size_t count = 0;
    Block top{0, 0, 0};  // beside the pile, where it is at hand
    for (std::size_t g = 0; g < groups; ++g) {
      if (pos[g] == 0 && neg[g] == 0) continue;
      // Shares compared as products, so that no division rounds.
      if (top.pos * neg[g] < pos[g] * top.neg) {
        pile[count++] = top;
        top = {pos[g], neg[g], 0};
      } else {
        top.pos += pos[g], top.neg += neg[g];
        for (; count && pile[count - 1].pos * top.neg >= top.pos * pile[count - 1].neg; --count)
          top.pos += pile[count - 1].pos, top.neg += pile[count - 1].neg;
      }
      top.end = g + 1;
    }
    if (top.end) pile[count++] = top;
    std::size_t g = 0;
    for (std::size_t b = 0; b < count; ++b) {
      const double share = pile[b].pos / (pile[b].pos + pile[b].neg);
      for (; g < pile[b].end; ++g) out[g] = share;
    }
    for (; g < groups; ++g) out[g] = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace tallymark
