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

// A line a + b x, and at each x how far off a row of either class is there, how much it bends and
// what it loses.
struct Line {
  double a, b;
  std::vector<double> pos_off, neg_off, bend, pos_loss, neg_loss;
  Line(double a_, double b_, const double* x, std::size_t n) : a(a_), b(b_) {
    for (auto* column : {&pos_off, &neg_off, &bend, &pos_loss, &neg_loss}) column->resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const Odds at(a + b * x[k]);
      const double rest = std::log1p(at.small);
      pos_off[k] = at.pos_off(), neg_off[k] = at.neg_off(), bend[k] = at.bend();
      pos_loss[k] = rest + (at.up ? 0 : at.far), neg_loss[k] = rest + (at.up ? at.far : 0);
    }
  }
};

// Return a of a + x: Newton's method, halving an interval where it strays. From a start, if there
// is one that lies in the interval.
inline double fit_intercept(const double* x, const double* pos, const double* neg, std::size_t n,
                            const Line* start) {
  double positives = 0, negatives = 0;
  std::size_t first = n, last = 0;
  for (std::size_t k = 0; k < n; ++k) {
    positives += pos[k], negatives += neg[k];
    if (pos[k] > 0 || neg[k] > 0) first = std::min(first, k), last = k;
  }
  if (first == n) return std::nan("");
  const double at = std::log(positives / negatives);
  double low = at - x[last], high = at - x[first], a = low + (high - low) / 2, before = high - low;
  const bool started = start && low < start->a && start->a < high;
  if (started) a = start->a;
  for (int i = 0; i < kSteps; ++i) {
    double slack = 0, bend = 0;
    if (started && i == 0)
      for (std::size_t k = 0; k < n; ++k) {
        slack += pos[k] * start->pos_off[k] - neg[k] * start->neg_off[k];
        bend += (pos[k] + neg[k]) * start->bend[k];
      }
    else
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
                                      std::size_t n, const Line* start) {
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
      const Odds at(a + b * z[k]);
      const double rows = pos[k] + neg[k];
      // ln(1 + e^-eta) for a positive, ln(1 + e^eta) for a negative.
      loss += (at.up ? neg[k] : pos[k]) * at.far + rows * std::log1p(at.small);
      w[k] = rows * at.bend();
      error[k] = pos[k] * at.pos_off() - neg[k] * at.neg_off();
    }
    return loss;
  };
  const auto look_at_start = [&] {
    double loss = 0;
    for (std::size_t k = 0; k < n; ++k) {
      loss += pos[k] * start->pos_loss[k] + neg[k] * start->neg_loss[k];
      w[k] = (pos[k] + neg[k]) * start->bend[k];
      error[k] = pos[k] * start->pos_off[k] - neg[k] * start->neg_off[k];
    }
    return loss;
  };
  // Of a level line the loss is known without a look.
  double a = std::log(positives / negatives), b = 0;
  double now = positives * std::log(total / positives) + negatives * std::log(total / negatives);
  const double then = start ? look_at_start() : now;
  if (then < now)
    a = start->a + start->b * centre, b = start->b * scale, now = then;
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
    if (std::abs(step_b) <= kLastStep * (1 + std::abs(b)) &&
        std::abs(step_a) <= kLastStep * (1 + std::abs(a))) {
      a += step_a, b += step_b;
      break;
    }
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
  const auto one = [=](std::size_t r, const Line* start) {
    const double *hits = pos + r * n, *misses = neg + r * n;
    if (!sloped) {
      out[r] = fit_intercept(x, hits, misses, n, start);
      return;
    }
    const auto found = fit_line(x, hits, misses, n, start);
    out[2 * r] = found[0], out[2 * r + 1] = found[1];
  };
  one(0, nullptr);
  if (rows == 1) return;
  const double slope = sloped ? out[1] : 1.0;
  const bool told = std::isfinite(out[0]) && std::isfinite(slope);
  const Line first(told ? out[0] : 0.0, told ? slope : 0.0, x, n);
  const Line* start = told ? &first : nullptr;
  const std::size_t count = std::min(rows, parts(rows * n * 32));  // each group is looked at often
  split(rows - 1, count, [=](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) one(r + 1, start);
  });
}

}  // namespace tallymark
