// Lines of log odds of greatest likelihood, each of a row of groups: truth ~ a + b x, or a + x.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"

namespace tallymark {

constexpr int kSteps = 200;
constexpr double kNear = 1e-12;
// Newton's method squares what it is off by: after a step as short as this it is off by less than
// rounding is.
constexpr double kLastStep = 1e-8;

// A row at log odds of eta: how likely the class that they speak for is, and the other one.
struct Odds {
  double far, small, likely, other;
  bool up;
  explicit Odds(double eta) : far(std::abs(eta)), up(eta > 0) {
    small = std::exp(-far);
    likely = 1 / (1 + small);
    other = small * likely;
  }
  double bend() const { return likely * other; }
  double pos_off() const { return up ? other : likely; }
  double neg_off() const { return up ? likely : other; }
};

// Return a of a + x: Newton's method, halving an interval where it strays. From a start, if there
// is one that lies in the interval.
inline double fit_intercept(const double* x, const double* pos, const double* neg, std::size_t n,
                            const double* start) {
  double positives = 0, negatives = 0;
  std::size_t first = n, last = 0;
  for (std::size_t k = 0; k < n; ++k) {
    positives += pos[k], negatives += neg[k];
    if (pos[k] > 0 || neg[k] > 0) first = std::min(first, k), last = k;
  }
  if (first == n) return std::nan("");
  const double at = std::log(positives / negatives);
  double low = at - x[last], high = at - x[first], a = low + (high - low) / 2, before = high - low;
  if (start && low < *start && *start < high) a = *start;
  for (int i = 0; i < kSteps; ++i) {
    double slack = 0, bend = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const Odds odds(a + x[k]);
      slack += pos[k] * odds.pos_off() - neg[k] * odds.neg_off();
      bend += (pos[k] + neg[k]) * odds.bend();
    }
    if (slack > 0) low = a;
    if (slack < 0) high = a;
    double step = slack / bend;
    const bool straight = low <= a + step && a + step <= high && 2 * std::abs(step) <= std::abs(before);
    if (!straight) step = low + (high - low) / 2 - a;
    a += step, before = step;
    if (!(std::abs(step) > (straight ? kLastStep : kNear) * (1 + std::abs(a)))) break;
  }
  return a;
}

// Return a and b of a + b x: Newton's method, with steps that lower the loss. From a start, if
// there is one whose loss is lower than of a level line.
inline std::array<double, 2> fit_line(const double* x, const double* pos, const double* neg,
                                      std::size_t n, const double* start) {
  double positives = 0, negatives = 0, sum = 0, square = 0;
  for (std::size_t k = 0; k < n; ++k)
    positives += pos[k], negatives += neg[k], sum += (pos[k] + neg[k]) * x[k];
  const double total = positives + negatives, centre = sum / total;
  // Centred and scaled, so that both coefficients are identifiable.
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
      const Odds at(a + b * z[k]);
      const double rows = pos[k] + neg[k];
      // ln(1 + e^-eta) for a positive, ln(1 + e^eta) for a negative.
      loss += (at.up ? neg[k] : pos[k]) * at.far + rows * std::log1p(at.small);
      w[k] = rows * at.bend();
      error[k] = pos[k] * at.pos_off() - neg[k] * at.neg_off();
    }
    return loss;
  };
  const double level = std::log(positives / negatives);
  double a = level, b = 0;
  if (start) a = start[0] + start[1] * centre, b = start[1] * scale;
  double loss = look(a, b);
  // Of a level line the loss is known without a look.
  const double least = positives * std::log(total / positives) + negatives * std::log(total / negatives);
  if (start && !(loss < least)) a = level, b = 0, loss = look(a, b);
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
    if (std::abs(step_b) <= kLastStep * (1 + std::abs(b)) &&
        std::abs(step_a) <= kLastStep * (1 + std::abs(a))) {
      a += step_a, b += step_b;
      break;
    }
    double size = 1, next = look(a + step_a, b + step_b);
    for (int j = 1; j < kSteps && next > loss * (1 + kNear); ++j) {
      size /= 2;
      next = look(a + size * step_a, b + size * step_b);
    }
    a += size * step_a, b += size * step_b, loss = next;
    if (!(std::abs(step_b) > kNear * (1 + std::abs(b)))) break;
  }
  return {a - b / scale * centre, b / scale};
}

// Fit each row of two tables of counts: out[rows, 2], of an intercept alone out[rows, 1]. Rows are
// mostly drawn from the same: all start where the first one ends.
inline void fit(Vector<const double> x, Table<const double> pos, Table<const double> neg,
                bool sloped, Table<double> out) {
  const std::size_t rows = pos.shape(0), n = x.size(), width = sloped ? 2 : 1;
  double* const first = out.data();
  const auto one = [&](std::size_t r, const double* start) {
    const double *hits = pos.data() + r * n, *misses = neg.data() + r * n;
    double* const line = first + width * r;
    if (sloped) {
      const auto fitted = fit_line(x.data(), hits, misses, n, start);
      std::copy(fitted.begin(), fitted.end(), line);
    } else {
      *line = fit_intercept(x.data(), hits, misses, n, start);
    }
  };
  if (!rows) return;
  one(0, nullptr);
  const bool fitted = std::isfinite(first[0]) && std::isfinite(first[width - 1]);
  const std::size_t count = std::min(rows, parts(rows * n * 32));  // each group is looked at often
  split(rows - 1, count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) one(r + 1, fitted ? first : nullptr);
  });
}

}  // namespace tallymark
