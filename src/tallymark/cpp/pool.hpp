// Pool adjacent violators: isotonic calibration, and so the convex hull of a ROC curve.
#pragma once
#include <cstddef>
#include <vector>

namespace tallymark {

// In each row of two tables, put neighbouring groups together until the share pos / (pos + neg)
// strictly rises from group to group. A block's counts end up at its last group, zeros before it.
inline void pool(double* pos, double* neg, std::size_t rows, std::size_t groups) {
  std::vector<std::size_t> last;
  for (std::size_t row = 0; row < rows; ++row, pos += groups, neg += groups) {
    last.clear();
    for (std::size_t g = 0; g < groups; ++g) {
      if (pos[g] == 0 && neg[g] == 0) continue;
      // Shares compared as products, so that no division rounds.
      while (!last.empty() && pos[last.back()] * neg[g] >= pos[g] * neg[last.back()]) {
        const std::size_t below = last.back();
        pos[g] += pos[below], neg[g] += neg[below];
        pos[below] = neg[below] = 0;
        last.pop_back();
      }
      last.push_back(g);
    }
  }
}

}  // namespace tallymark
