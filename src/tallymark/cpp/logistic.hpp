// Truth against log odds of a few groups: the same steps as in metric/logistic.py, of one ranking.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tallymark {

constexpr int kSteps = 200;
constexpr double kNear = 1e-12;

// Return a of logit(positive) ~ a + x, found between low and high.
inline double balance(const double* x, const double* pos, const double* neg, std::size_t n,
                      double low, double high) {
  double a = low + (high - low) / 2, before = high - low;
  for (int i = 0; i < kSteps; ++i) {
    double slack = 0, bend = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double eta = a + x[k];
      const double up = 1 / (1 + std::exp(-eta)), down = 1 / (1 + std::exp(eta));
      slack += pos[k] * down - neg[k] * up;
      bend += (pos[k] + neg[k]) * up * down;
    }
    if (slack > 0) low = a;
    if (slack < 0) high = a;
    double step = slack / bend;
    const bool usable =
        low <= a + step && a + step <= high && 2 * std::fabs(step) <= std::fabs(before);
    if (!usable) step = low + (high - low) / 2 - a;
    a += step;
    before = step;
    if (!(std::fabs(step) > kNear * (1 + std::fabs(a)))) break;
  }
  return a;
}

// Return a, b of logit(positive) ~ a + b x, from the log of the odds of all rows.
inline std::array<double, 2> fit_line(const double* x, const double* pos, const double* neg,
                                      std::size_t n, double odds) {
  std::vector<double> z(n), eta(n), small(n);
  double total = 0, centre = 0, scale = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double rows = pos[k] + neg[k];
    total += rows;
    centre += rows * x[k];
  }
  centre /= total;
  for (std::size_t k = 0; k < n; ++k) {
    z[k] = x[k] - centre;
    scale += (pos[k] + neg[k]) * (z[k] * z[k]);
  }
  scale = std::sqrt(scale / total);
  for (double& v : z) v /= scale;

  const auto look = [&](double a, double b) {
    double loss = 0;
    for (std::size_t k = 0; k < n; ++k) {
      eta[k] = a + b * z[k];
      small[k] = std::exp(-std::fabs(eta[k]));
      loss += (eta[k] > 0 ? neg[k] : pos[k]) * std::fabs(eta[k]) +
              (pos[k] + neg[k]) * std::log1p(small[k]);
    }
    return loss;
  };
  double a = odds, b = 0, now = look(a, b);
  std::vector<double> w(n), error(n);
  for (int i = 0; i < kSteps; ++i) {
    double flat = 0, middle = 0, up = 0, bend = 0, slope = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double likely = 1 / (1 + small[k]), other = small[k] * likely;
      w[k] = (pos[k] + neg[k]) * likely * other;
      error[k] = eta[k] > 0 ? pos[k] * other - neg[k] * likely : pos[k] * likely - neg[k] * other;
      flat += w[k];
      middle += w[k] * z[k];
      up += error[k];
    }
    middle /= flat;  // of the rows that still bend, where both steps part
    for (std::size_t k = 0; k < n; ++k) {
      const double off = z[k] - middle;
      slope += error[k] * off;
      bend += w[k] * (off * off);
    }
    const double step_b = slope / bend, step_a = up / flat - step_b * middle;
    double size = 1, then = 0;
    for (int j = 0; j < kSteps; ++j) {
      then = look(a + size * step_a, b + size * step_b);
      if (!(then > now * (1 + kNear))) break;
      size /= 2;
    }
    a += size * step_a;
    b += size * step_b;
    now = then;
    if (!(std::fabs(step_b) > kNear * (1 + std::fabs(b)))) break;
  }
  const double sloped = b / scale;
  return {a - sloped * centre, sloped};
}

}  // namespace tallymark
