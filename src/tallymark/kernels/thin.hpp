// Few points of a curve for drawing: those at even steps along it, and the error this makes.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tallymark {

struct Thinned {
  std::vector<std::int64_t> kept;
  double error;
};

// Of the finite values, the highest less the lowest; 1 where that is nothing.
inline double span(const double* v, std::size_t n) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  double low[4] = {inf, inf, inf, inf}, high[4] = {-inf, -inf, -inf, -inf};
  const auto read = [&](double value, std::size_t lane) {
    low[lane] = value < low[lane] && value > -inf ? value : low[lane];
    high[lane] = value > high[lane] && value < inf ? value : high[lane];
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) read(v[i + lane], lane);
  for (; i < n; ++i) read(v[i], 0);
  const double least = *std::min_element(low, low + 4), most = *std::max_element(high, high + 4);
  return most > least ? most - least : 1.0;
}

// How far apart neighbouring values are, as a share of their range; 0 without a value.
inline double step(const double* v, std::size_t i, double range) {
  const double found = std::abs(v[i + 1] - v[i]) / range;
  return found <= std::numeric_limits<double>::max() ? found : 0.0;
}

// How far the line from point a to point b is off the points between them at most, in x or y.
inline double off_line(const double* x, const double* y, const double* along, std::size_t a,
                       std::size_t b) {
  constexpr std::size_t block = 64, lanes = 4;
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double length = along[b] - along[a], unit = length > 0 ? length : inf;
  const double from = along[a], x0 = x[a], y0 = y[a], dx = x[b] - x0, dy = y[b] - y0;
  double off[2 * block] = {}, worst[lanes] = {};
  for (std::size_t start = a; start < b; start += block) {
    const std::size_t size = std::min(block, b - start);
    const double *at = along + start, *xs = x + start, *ys = y + start;
    for (std::size_t i = 0; i < size; ++i) {
      const double share = (at[i] - from) / unit, left = x0 + share * dx - xs[i];
      const double below = y0 + share * dy - ys[i];
      off[i] = std::abs(left) < inf ? std::abs(left) : 0.0;
      off[block + i] = std::abs(below) < inf ? std::abs(below) : 0.0;
    }
    for (std::size_t i = 0; i < 2 * block; i += lanes)  // what is left of a block before counts too
      for (std::size_t l = 0; l < lanes; ++l)
        worst[l] = off[i + l] > worst[l] ? off[i + l] : worst[l];
  }
  return *std::max_element(worst, worst + lanes);
}

// At most `points` of n > points places: the ends, and those at even steps of the length in x plus
// y, each axis counted by its range. A point left out lies between two kept ones: at worst as far
// off as the line between these.
inline Thinned thin(const double* x, const double* y, std::size_t n, std::size_t points) {
  const double wide = span(x, n), high = span(y, n);
  std::vector<double> along(n);
  for (std::size_t i = 0; i + 1 < n; ++i) along[i + 1] = step(x, i, wide) + step(y, i, high);
  for (std::size_t i = 1; i < n; ++i) along[i] += along[i - 1];
  Thinned found{{0}, 0.0};
  const double total = along.back();
  const double each = points > 2 ? total / static_cast<double>(points - 2) : 0.0;
  const auto keep = [&](std::size_t place) {
    const auto last = static_cast<std::size_t>(found.kept.back());
    if (place == last) return;
    found.kept.push_back(static_cast<std::int64_t>(place));
    found.error = std::max(found.error, off_line(x, y, along.data(), last, place));
  };
  for (std::size_t k = 1; k + 1 < points; ++k) {
    const double wanted = k + 2 == points ? total : static_cast<double>(k) * each;
    const auto place = std::lower_bound(along.begin() + found.kept.back(), along.end(), wanted);
    keep(std::min<std::size_t>(place - along.begin(), n - 1));
  }
  keep(n - 1);
  return found;
}

}  // namespace tallymark
