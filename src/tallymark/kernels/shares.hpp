// Groups of a long ranking: where running sums reach given shares, and what scores add up to.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "parallel.hpp"

namespace tallymark {

// For each of m rising shares the first of n groups with as many rows at or below it, n where none
// has. `top` (n + 1) are running sums of whole rows from the last group down, whose differences
// are exact.
//
// Every other place is looked for between two found before, first in their middle: sums rise
// evenly there. What the memory is to bring of the middle it is told some places ahead.
inline void at_shares(const double* top, std::size_t n, const double* shares, std::size_t m,
                      std::int64_t* found) {
  constexpr std::size_t near = 32, ahead = 16;
  const double total = top[n];
  std::size_t step = 1;
  while (step < m) step *= 2;
  const auto floor = [&](std::size_t j) {
    return static_cast<std::size_t>(j >= step ? found[j - step] : 0);
  };
  const auto ceiling = [&](std::size_t j) {
    return static_cast<std::size_t>(j + step < m ? found[j + step] : static_cast<std::int64_t>(n));
  };
  for (; step; step /= 2)
    for (std::size_t j = step - 1; j < m; j += 2 * step) {
#if defined(__GNUC__)
      if (const std::size_t later = j + 2 * step * ahead; later < m) {
        const std::size_t middle = n - (floor(later) + ceiling(later) + 1) / 2;
        __builtin_prefetch(top + middle - std::min(middle, near));
        __builtin_prefetch(top + middle);
        __builtin_prefetch(top + std::min(middle + near, n));
      }
#endif
      const auto before = [&](std::size_t i) { return total - top[n - 1 - i] < shares[j]; };
      std::size_t low = floor(j), end = ceiling(j);
      if (end - low > 4 * near) {
        const std::size_t middle = low + (end - low) / 2;
        if (before(middle + near))
          low = middle + near + 1;
        else if (before(middle - near))
          low = middle - near + 1, end = middle + near;
        else
          end = middle - near;
      }
      for (std::size_t size = end - low; size;) {
        const std::size_t half = size / 2;
        const bool beyond = before(low + half);
        low = beyond ? low + half + 1 : low;
        size = beyond ? size - half - 1 : half;
      }
      found[j] = static_cast<std::int64_t>(low);
    }
}

// The sum of some values, of what each of them counts.
template <class Each>
double add_up(const double* values, std::size_t size, Each&& each) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4)
    for (std::size_t l = 0; l < 4; ++l) sums[l] += each(values[i + l]);
  for (; i < size; ++i) sums[0] += each(values[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The sums of groups of n scores from each start to the next, in units: so that none overflows.
inline void add_score_groups(const double* scores, std::size_t n, double unit,
                             const std::int64_t* starts, std::size_t m, double* out) {
  const double scale = 1 / unit;
  const bool fine = std::isfinite(scale);  // not of a unit so small that its inverse is infinite
  split(m, std::min(m, parts(n)), [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t g = first; g < last; ++g) {
      const auto begin = static_cast<std::size_t>(starts[g]);
      const std::size_t end = g + 1 < m ? static_cast<std::size_t>(starts[g + 1]) : n;
      out[g] = fine ? add_up(scores + begin, end - begin, [=](double s) { return s * scale; })
                    : add_up(scores + begin, end - begin, [=](double s) { return s / unit; });
    }
  });
}

}  // namespace tallymark
