// Draws of how many rows are positive, and of blocks of rows.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.hpp"

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
inline void draw_hits(Vector<const double> n, Vector<const double> p, Table<double> values) {
  const std::size_t size = n.size();
  for (std::size_t c = 0; c < size; ++c) {
    const Hits hits(n[c], p[c]);
    for (std::size_t d = 0; d < values.shape(0); ++d) {
      double& value = values.data()[d * size + c];
      value = hits.at(value);
    }
  }
}

// The rows in each group of draws of blocks: times [draws, blocks] by counts [blocks, groups]. Few
// counts are above 0, and only these are multiplied.
inline void draw_blocks(Table<const double> times, Table<const double> counts, Table<double> out) {
  constexpr std::size_t kSide = 8;  // draws side by side
  struct Filled {
    std::size_t block, group;
    double count;
  };
  const std::size_t draws = times.shape(0), blocks = times.shape(1), groups = counts.shape(1);
  std::vector<Filled> filled;
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t g = 0; g < groups; ++g)
      if (const double count = counts.data()[b * groups + g]; count != 0)
        filled.push_back({b * kSide, g * kSide, count});
  std::vector<double> side(blocks * kSide), sums(groups * kSide);
  for (std::size_t first = 0; first < draws; first += kSide) {
    const std::size_t n = std::min(kSide, draws - first);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t b = 0; b < blocks; ++b)
        side[b * kSide + k] = times.data()[(first + k) * blocks + b];
    std::fill(sums.begin(), sums.end(), 0.0);
    for (const Filled& f : filled) {
      const double* from = side.data() + f.block;
      double* to = sums.data() + f.group;
      for (std::size_t k = 0; k < kSide; ++k) to[k] += f.count * from[k];
    }
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t g = 0; g < groups; ++g)
        out.data()[(first + k) * groups + g] = sums[g * kSide + k];
  }
}

}  // namespace tallymark
