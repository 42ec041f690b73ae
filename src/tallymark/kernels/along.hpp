// Sums over groups of rows that share a score. Short blocks are added up plainly and their sums in
// extended precision, so that ten million terms lose no more digits than a thousand do.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel.hpp"

namespace tallymark {

constexpr std::size_t kBlock = 1024;

// Add up part(k, sums) over k in [0, n) on all cores: part adds to Size sums.
template <std::size_t Size, class Part>
std::array<double, Size> add_up(std::size_t n, Part&& part) {
  if (n <= kBlock) {  // one block, whose sums need no extended precision
    std::array<double, Size> sums{};
    for (std::size_t k = 0; k < n; ++k) part(k, sums);
    return sums;
  }
  const std::size_t count = workers(n);
  std::vector<std::array<long double, Size>> found(count);
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::array<long double, Size> all{};
    for (std::size_t start = begin; start < end; start += kBlock) {
      std::array<double, Size> sums{};
      const std::size_t stop = std::min(end, start + kBlock);
      for (std::size_t k = start; k < stop; ++k) part(k, sums);
      for (std::size_t i = 0; i < Size; ++i) all[i] += sums[i];
    }
    found[w] = all;
  });
  std::array<double, Size> out{};
  for (std::size_t i = 0; i < Size; ++i) {
    long double sum = 0;
    for (const auto& part_sums : found) sum += part_sums[i];
    out[i] = static_cast<double>(sum);
  }
  return out;
}

// The area under straight lines through n points.
inline double trapezoids(const double* x, const double* y, std::size_t n) {
  const auto twice = add_up<1>(n - 1, [=](std::size_t k, std::array<double, 1>& sums) {
    sums[0] += (x[k + 1] - x[k]) * (y[k + 1] + y[k]);
  });
  return twice[0] / 2;
}

// atanh(z)/z is 1 + z^2 rest, z = x/(2 + x), of x between -0.1 and 0.1.
inline double rest_of_atanh(double z2) {
  return 1.0 / 3 +
         z2 * (1.0 / 5 +
               z2 * (1.0 / 7 + z2 * (1.0 / 9 + z2 * (1.0 / 11 + z2 * (1.0 / 13 + z2 / 15)))));
}

// ln(1 + x) for x of any size, fast where it is small: there it is 2 atanh(x/(2 + x)).
inline double log1p_near(double x) {
  if (!(std::abs(x) < 0.1)) return std::log1p(x);
  const double z = x / (2 + x), z2 = z * z;
  return 2 * (z + z * (z2 * rest_of_atanh(z2)));
}

// ln(1 + x)/x is 1 - x second; second is 1/2 - x/3 + x^2/4 ..., where it would cancel.
inline double second_of_log1p(double x) {
  if (!(std::abs(x) < 0.1)) return (x - std::log1p(x)) / (x * x);
  const double each = 1 / (2 + x), z = x * each;
  return each * (1 - 2 * (z * (each * rest_of_atanh(z * z))));
}

// What a group adds to sums of the order alone: pairs in the right order and tied, and the areas
// under the precision-recall curve (by steps, trapezoids, mixtures), the gain curve and the kappa
// curve.
struct RankTerms {
  using Sums = std::array<double, 7>;

  RankTerms(double positives, double negatives) : p_rows(positives), n_rows(negatives) {}

  double p_rows, n_rows;
  double total = p_rows + n_rows, odds = p_rows / n_rows;
  double share_p = p_rows / total, share_n = n_rows / total;
  double to_tpr = 1 / p_rows, to_fpr = 1 / n_rows;
  double least = p_rows * share_p;  // true positives from which on a gain is counted

  // A group of so many rows of both classes, at the counts above it and with it.
  void operator()(double hit, double miss, double tp0, double fp0, double tp1, double fp1,
                  Sums& sums) const {
    sums[0] += miss * tp0;
    sums[1] += miss * hit;
    if (hit > 0) {
      const double before = tp0 + fp0, each = 1 / before, after = tp1 / (tp1 + fp1);
      sums[2] += hit * after;
      sums[3] += hit * ((before == 0 ? after : tp0 * each) + after) / 2;
      if (miss == 0) {
        sums[4] += hit - (fp0 == 0 ? 0.0 : fp0 * log1p_near(hit * each));
      } else {
        const double slope = 1 + miss / hit, lag = fp0 - (slope - 1) * tp0;
        const double bend =
            lag == 0 ? 0.0 : lag / (slope * slope) * log1p_near((hit + miss) * each);
        sums[4] += hit / slope - bend;
      }
      sums[5] += gain(tp0, fp0, tp1, fp1);
    }
    if (miss > 0) {
      const double tpr0 = tp0 * to_tpr, fpr0 = fp0 * to_fpr;
      const double tpr1 = tp1 * to_tpr, fpr1 = fp1 * to_fpr;
      // Between two thresholds kappa is (a0 + a1 u) / (b0 + b1 u), u the step along FPR.
      const double both = 2 * share_p * share_n;
      const double a0 = both * (tpr0 - fpr0), a1 = both * (tpr1 - fpr1) - a0;
      const auto chance = [=](double tp_, double fp_, double tpr, double fpr) {
        const double left =
            share_p * ((p_rows - tp_) * to_tpr) + share_n * ((n_rows - fp_) * to_fpr);
        return share_p * left + share_n * (share_p * tpr + share_n * fpr);
      };
      const double b0 = chance(tp0, fp0, tpr0, fpr0), b_end = chance(tp1, fp1, tpr1, fpr1);
      const double each = 1 / b0, x = (b_end - b0) * each, second = second_of_log1p(x);
      sums[6] += (fpr1 - fpr0) * (a0 * (1 - x * second) + a1 * second) * each;
    }
  }

  double gain(double tp0, double fp0, double tp1, double fp1) const {
    const double start = std::max(tp0, least);
    if (!(tp1 > start)) return 0;
    const bool whole = tp0 > least;
    const double cut = whole ? fp0 : fp0 + (fp1 - fp0) * (start - tp0) / (tp1 - tp0);
    const double beyond = whole ? tp1 - tp0 : (tp1 * n_rows - p_rows * (p_rows - tp1)) / total;
    const double both = 1 / (start * tp1);
    const double height = 1 - odds * ((cut * tp1 + fp1 * start) * both) / 2;
    return odds * p_rows * (beyond * both) * height;
  }
};

// ln p and ln(1 - p) of a probability and one less it, both of which are exact near 0.
inline std::array<double, 2> logs(double p, double q) {
  if (p < 0.5) return {std::log(p), std::log1p(-p)};
  return {std::log1p(-q), std::log(q)};
}

// Losses of rows whose own class was given own and the other other, over the groups of a class:
// log loss, squared error, half of both absolute and squared errors, spherical score, top place.
// Out: sums of w x, w2 x^2 and w2 x of each of the six, and of w and w2.
inline std::array<double, 20> add_losses(const double* scores, const double* rest,
                                         const double* w, const double* w2, std::size_t n,
                                         bool positive) {
  return add_up<20>(n, [=](std::size_t k, std::array<double, 20>& sums) {
    if (w[k] == 0) return;
    const double p = scores[k], q = rest[k], own = positive ? p : q, other = positive ? q : p;
    const double squared = 2 * other * other;
    const double unit = std::max(own, other), a = own / unit, b = other / unit;
    const std::array<double, 6> losses{
        -logs(p, q)[positive ? 0 : 1], squared, other, squared / 2,
        own == 0 ? 0.0 : a / std::sqrt(a * a + b * b), own > other ? 1.0 : own == other ? 0.5 : 0.0};
    for (std::size_t i = 0; i < 6; ++i) {
      const double x = losses[i];
      sums[i] += w[k] * x;
      sums[6 + i] += w2[k] * (x * x);
      sums[12 + i] += w2[k] * x;
    }
    sums[18] += w[k], sums[19] += w2[k];
  });
}

}  // namespace tallymark
