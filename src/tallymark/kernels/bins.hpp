// Count scores in bins: stretches of the line, each cut evenly.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "parallel.hpp"

namespace tallymark {

// Where the bins lie. The same three operations in double precision (subtract, multiply, round
// down) are done by every engine that counts in bins, so that a score is in one bin everywhere.
struct BinEdges {
  const double* breaks;  // stretches + 1 ascending numbers
  const double* scale;   // bins per unit, of each stretch
  std::size_t stretches;
  std::size_t per;  // bins of each stretch
};

class BinFinder {
 public:
  BinFinder() = default;
  explicit BinFinder(const BinEdges& edges) : edges_(edges) {
    while (width_ < edges.stretches) width_ *= 2;
    inner_.assign(width_, std::numeric_limits<double>::infinity());
    for (std::size_t i = 1; i < edges.stretches; ++i) inner_[i] = edges.breaks[i];
  }

  std::size_t operator()(double score) const {
    const std::size_t at = stretch(score);
    return at * edges_.per + bin(score, at);
  }

  std::size_t stretch(double score) const {
    std::size_t at = 0;  // every search takes the same steps: no branch is ever mispredicted
    for (std::size_t step = width_ / 2; step; step /= 2)
      at += step * (inner_[at + step] <= score);
    return at;
  }

  // The bin of a stretch that a score of it lies in; the first where the stretch has no width.
  std::size_t bin(double score, std::size_t at) const {
    const double x = (score - edges_.breaks[at]) * edges_.scale[at];
    const double last = static_cast<double>(edges_.per - 1);
    return static_cast<std::size_t>(std::min(std::max(0.0, x), last));
  }

 private:
  BinEdges edges_{};
  std::size_t width_ = 1;
  std::vector<double> inner_;
};

inline void find_bins(const double* scores, std::size_t n, const BinEdges& edges,
                      std::int64_t* bins) {
  const BinFinder find(edges);
  split(n, workers(n), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      bins[i] = static_cast<std::int64_t>(find(scores[i]));
  });
}

// Add rows to a table of lines: a bin's lowest and highest score, its counts of each class and,
// where rows are weighted, the sums of squared weights. Of two classes a line of unweighted rows
// fills half a cache line, so that a row waits for memory once.
inline void add_to_bins(const std::int64_t* codes, const double* scores, const double* weights,
                        std::size_t n, const BinEdges& edges, std::size_t classes, double* table,
                        std::size_t width) {
  const BinFinder find(edges);
  // Blocks keep the searches apart from the additions, whose lines are fetched meanwhile.
  constexpr std::size_t block = 128;
  double* lines[block];
  for (std::size_t start = 0; start < n; start += block) {
    const std::size_t size = std::min(block, n - start);
    for (std::size_t i = 0; i < size; ++i) {
      lines[i] = table + find(scores[start + i]) * width;
#if defined(__GNUC__)
      __builtin_prefetch(lines[i], 1);
#endif
    }
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t row = start + i;
      double* line = lines[i];
      double* count = line + 2 + codes[row];
      line[0] = std::min(line[0], scores[row]);
      line[1] = std::max(line[1], scores[row]);
      *count += weights ? weights[row] : 1.0;
      if (weights) count[classes] += weights[row] * weights[row];
    }
  }
}

}  // namespace tallymark
