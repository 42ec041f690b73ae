// Lines of log odds of greatest likelihood, each of a row of groups: truth ~ a + b x, or a + x.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "parallel.hpp"

namespace tallymark {

constexpr int kSteps = 200;
constexpr double kNear = 1e-12;

// Return a of a + x: Newton's method, halving an interval where it strays. From a start, if it lies
// in the interval.
inline double fit_intercept(const double* x, const double* pos, const double* neg, std::size_t n,
                            double start) {
  double positives = 0, negatives = 0;
  std::size_t first = n, last = 0;
  for (std::size_t k = 0; k < n; ++k) {
    positives += pos[k], negatives += neg[k];
    if (pos[k] > 0 || neg[k] > 0) first = std::min(first, k), last = k;
  }
  if (first == n) return std::nan("");
  const double at = std::log(positives / negatives);
  double low = at - x[last], high = at - x[first], a = low + (high - low) / 2, before = high - low;
  if (low < start && start < high) a = start;
  for (int i = 0; i < kSteps; ++i) {
    double slack = 0, bend = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double eta = a + x[k], small = std::exp(-std::abs(eta)), likely = 1 / (1 + small);
      const double other = small * likely, up = eta > 0 ? likely : other;
      slack += pos[k] * (eta > 0 ? other : likely) - neg[k] * up;
      bend += (pos[k] + neg[k]) * likely * other;
    }
    if (slack > 0) low = a;
    if (slack < 0) high = a;
    double step = slack / bend;
    if (!(low <= a + step && a + step <= high && 2 * std::abs(step) <= std::abs(before)))
      step = low + (high - low) / 2 - a;
    a += step, before = step;
    if (!(std::abs(step) > kNear * (1 + std::abs(a)))) break;
  }
  return a;
}

// Return a and b of a + b x: Newton's method, with steps that lower the loss. From a start, if the
// loss is lower there than of a level line.
inline std::array<double, 2> fit_line(const double* x, const double* pos, const double* neg,
                                      std::size_t n, const std::array<double, 2>& start) {
  double positives = 0, negatives = 0, sum = 0, square = 0;
  for (std::size_t k = 0; k < n; ++k)
    positives += pos[k], negatives += neg[k], sum += (pos[k] + neg[k]) * x[k];
  const double total = positives + negatives, centre = sum / total;
  // Centred and scaled, so that both coefficients are told apart.
  std::vector<double> z(n), error(n), w(n);
  for (std::size_t k = 0; k < n; ++k) {
    z[k] = x[k] - centre;
    square += (pos[k] + neg[k]) * (z[k] * z[k]);
  }
  const double scale = std::sqrt(square / total);
  for (double& v : z) v /= scale;

  // Look at a line: its loss, and what it is off by and bends at each group.
  const auto look = [&](double a, double b) {
    double loss = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double eta = a + b * z[k], far = std::abs(eta), small = std::exp(-far);
      const double rows = pos[k] + neg[k], likely = 1 / (1 + small), other = small * likely;
      // ln(1 + e^-eta) for a positive, ln(1 + e^eta) for a negative.
      loss += (eta > 0 ? neg[k] : pos[k]) * far + rows * std::log1p(small);
      w[k] = rows * likely * other;
      error[k] = eta > 0 ? pos[k] * other - neg[k] * likely : pos[k] * likely - neg[k] * other;
    }
    return loss;
  };
  // Of a level line the loss is known without a look.
  double a = std::log(positives / negatives), b = 0;
  double now = positives * std::log(total / positives) + negatives * std::log(total / negatives);
  const double near_a = start[0] + start[1] * centre, near_b = start[1] * scale;
  const double then = std::isfinite(near_a + near_b) ? look(near_a, near_b) : now;
  if (then < now)
    a = near_a, b = near_b, now = then;
  else
    now = look(a, b);
  for (int i = 0; i < kSteps; ++i) {
    double off = 0, flat = 0, leaning = 0;
    for (std::size_t k = 0; k < n; ++k) off += error[k], flat += w[k], leaning += w[k] * z[k];
    // Around the mean of the rows that still bend, where both steps part.
    const double middle = leaning / flat;
    double turn = 0, stiff = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double from = z[k] - middle;
      turn += error[k] * from, stiff += w[k] * (from * from);
    }
    const double step_b = turn / stiff, step_a = off / flat - step_b * middle;
    double size = 1, then = look(a + step_a, b + step_b);
    for (int j = 1; j < kSteps && then > now * (1 + kNear); ++j) {
      size /= 2;
      then = look(a + size * step_a, b + size * step_b);
    }
    a += size * step_a, b += size * step_b, now = then;
    if (!(std::abs(step_b) > kNear * (1 + std::abs(b)))) break;
  }
  return {a - b / scale * centre, b / scale};
}

// Fit each of so many rows of two tables of counts: out[rows][2], of an intercept alone out[rows].
// Rows are mostly drawn from the same: all start where the first one ends.
inline void fit(const double* x, const double* pos, const double* neg, std::size_t rows,
                std::size_t n, bool sloped, double* out) {
  if (!rows) return;
  const auto one = [=](std::size_t r, const std::array<double, 2>& start) {
    const double *hits = pos + r * n, *misses = neg + r * n;
    if (!sloped) {
      out[r] = fit_intercept(x, hits, misses, n, start[0]);
      return;
    }
    const auto found = fit_line(x, hits, misses, n, start);
    out[2 * r] = found[0], out[2 * r + 1] = found[1];
  };
  const double none = std::nan("");
  one(0, {none, none});
  const std::array<double, 2> start{out[0], sloped ? out[1] : 1.0};
  const std::size_t count = std::min(rows, parts(rows * n * 32));  // each group is looked at often
  split(rows - 1, count, [=](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) one(r + 1, start);
  });
}

}  // namespace tallymark
