// Count scores in bins: stretches of the line, each cut evenly.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "arrays.hpp"
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

// Write the bin of each score.
template <class Bin>
void find_bins(Vector<const double> scores, Vector<const double> breaks, Vector<const double> scale,
               std::size_t per, Vector<Bin> bins) {
  const BinFinder find({breaks.data(), scale.data(), scale.size(), per});
  split(scores.size(), workers(scores.size()),
        [&](std::size_t, std::size_t begin, std::size_t end) {
          const double* const x = scores.data();
          Bin* const to = bins.data();
          for (std::size_t i = begin; i < end; ++i) to[i] = static_cast<Bin>(find(x[i]));
        });
}

// Add rows to a table of lines: a bin's lowest and highest score, its counts of each class and,
// where rows are weighted, the sums of squared weights. Of two classes a line of unweighted rows
// fills half a cache line, so that a row waits for memory once.
inline void add_to_bins(Vector<const std::int64_t> codes, Vector<const double> scores,
                        std::optional<Vector<const double>> weights, Vector<const double> breaks,
                        Vector<const double> scale, std::size_t per, std::size_t classes,
                        Table<double> table) {
  const BinFinder find({breaks.data(), scale.data(), scale.size(), per});
  // Blocks keep the searches apart from the additions, whose lines are fetched meanwhile.
  constexpr std::size_t block = 128;
  double* lines[block];
  for (std::size_t start = 0; start < scores.size(); start += block) {
    const std::size_t size = std::min(block, scores.size() - start);
    for (std::size_t i = 0; i < size; ++i) {
      lines[i] = table.data() + find(scores[start + i]) * table.shape(1);
      prefetch(lines[i]);
    }
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t row = start + i;
      double* line = lines[i];
      double* count = line + 2 + codes[row];
      line[0] = std::min(line[0], scores[row]);
      line[1] = std::max(line[1], scores[row]);
      const double weight = weights ? (*weights)[row] : 1.0;
      *count += weight;
      if (weights) count[classes] += weight * weight;
    }
  }
}

}  // namespace tallymark
