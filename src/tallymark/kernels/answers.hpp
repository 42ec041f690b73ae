// Sums over answers by their confidence, from the most confident one down.
//
// The answer is yes for scores from one half on, with the score as its confidence, and no below,
// with what is left to 1. The confidences of both rise towards the ends of the scores, so that one
// pass from both ends inwards meets the answers in order, without sorting them.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "along.hpp"
#include "parallel.hpp"

namespace tallymark {

// H(N + m) - H(N) of the harmonic numbers: 1/(N + 1) + ... + 1/(N + m), N and m of any size. From
// 64 rows on it is a series in N + 1/2, whose error is below 1e-15; fewer are led up to them.
inline double harmonic_difference(double above, double rows) {
  if (rows == 1) return 1 / (above + 1);
  double sum = 0;
  for (; above < 64; ++above) sum += rows / ((above + 1) * (above + rows + 1));
  const auto tail = [](double x) {
    const double square = 1 / (x * x);
    return square * (1.0 / 24 - square * (7.0 / 960 - square * (31.0 / 8064)));
  };
  const double start = above + 0.5;
  return sum + (log1p_near(rows / start) + (tail(start + rows) - tail(start)));
}

// So many of the highest scores were answered (yes), and so many of the lowest (no).
struct Answered {
  std::size_t yes, no;
};

// Rows by what was answered.
struct Outcome {
  double right = 0, wrong = 0;
};

// The answers at ascending scores, of which pos and neg are the rows of either class: of
// probabilities as above; of confidences each is yes, and no two are equal.
class Answers {
 public:
  Answers(const double* scores, const double* pos, const double* neg, std::size_t n,
          bool probabilities)
      : scores_(scores),
        pos_(pos),
        neg_(neg),
        n_(n),
        half_(probabilities
                  ? static_cast<std::size_t>(std::lower_bound(scores, scores + n, 0.5) - scores)
                  : 0),
        rounding_(probabilities ? 0x1p-52 : -1) {}

  std::size_t size() const { return n_; }

  // Where the p-th of so many parts of about equal size begins; equal confidences are in one part.
  Answered begin(std::size_t p, std::size_t count) const {
    const std::size_t yes = n_ - half_;
    if (p == 0) return {0, 0};
    if (p == count) return {yes, half_};
    Answered at{yes * p / count, half_ * p / count};
    double last;
    if (yes >= half_) {
      last = scores_[n_ - at.yes - 1], ++at.yes;
      at.no = static_cast<std::size_t>(
          std::partition_point(scores_, scores_ + half_, [=](double s) { return 1 - s >= last; }) -
          scores_);
    } else {
      last = 1 - scores_[at.no], ++at.no;
      at.yes = static_cast<std::size_t>(
          scores_ + n_ - std::lower_bound(scores_ + half_, scores_ + n_, last));
    }
    for (double next; last - (next = std::max(yes_at(at), no_at(at))) <= rounding_; last = next)
      ++(yes_at(at) >= no_at(at) ? at.yes : at.no);
    return at;
  }

  // Add up the rows from one place to another.
  std::array<long double, 2> between(Answered from, Answered to) const {
    std::array<long double, 2> sums{};
    const auto add = [&](std::size_t first, std::size_t last, const double* right,
                         const double* wrong) {
      for (std::size_t start = first; start < last; start += kBlock) {
        double good = 0, bad = 0;
        for (std::size_t k = start; k < std::min(last, start + kBlock); ++k)
          good += right[k], bad += wrong[k];
        sums[0] += good, sums[1] += bad;
      }
    };
    add(n_ - to.yes, n_ - from.yes, pos_, neg_);
    add(from.no, to.no, neg_, pos_);
    return sums;
  }

  // Call level(outcome) with the rows of each confidence between two places, the highest first.
  template <class Level>
  void walk(Answered at, Answered to, Level&& level) const {
    double yes = yes_at(at), no = no_at(at);
    while (at.yes < to.yes || at.no < to.no) {
      Outcome rows;
      double last;
      do {
        const bool positive = yes >= no;
        const std::size_t k = positive ? n_ - at.yes - 1 : at.no;
        last = positive ? yes : no;
        rows.right += positive ? pos_[k] : neg_[k];
        rows.wrong += positive ? neg_[k] : pos_[k];
        at.yes += positive, at.no += !positive;
        yes = yes_at(at), no = no_at(at);
      } while (last - std::max(yes, no) <= rounding_);
      level(rows);
    }
  }

 private:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  // The confidence of the next answer of either kind.
  double yes_at(Answered at) const {
    return at.yes < n_ - half_ ? scores_[n_ - at.yes - 1] : kNone;
  }
  double no_at(Answered at) const { return at.no < half_ ? 1 - scores_[at.no] : kNone; }

  const double *scores_, *pos_, *neg_;
  std::size_t n_, half_;
  double rounding_;
};

// All rows; the wrong answers; and, added up over the k rows of highest confidence for k = 1, 2,
// ..., the share of wrong answers among them, and their number (half of the last row's). A level of
// m rows, w of them wrong, below N rows, E of them wrong, adds to these
//   w + (E - N w/m) (H(N + m) - H(N))   and   m (E + w/2).
inline std::array<double, 4> answer_sums(const Answers& of) {
  const std::size_t count = parts(of.size());
  std::vector<Answered> starts;
  for (std::size_t p = 0; p <= count; ++p) starts.push_back(of.begin(p, count));
  std::vector<std::array<long double, 4>> found(count);
  if (count > 1)
    split(count, count, [&](std::size_t p, std::size_t, std::size_t) {
      const auto [right, wrong] = of.between(starts[p], starts[p + 1]);
      found[p] = {right + wrong, wrong, 0, 0};
    });
  long double before = 0, wrong_before = 0;  // rows of earlier parts
  for (auto& part : found) {
    const long double rows = part[0], wrong = part[1];
    part = {before, wrong_before, 0, 0};
    before += rows, wrong_before += wrong;
  }
  split(count, count, [&](std::size_t p, std::size_t, std::size_t) {
    auto all = found[p];
    std::array<double, 4> sums{};
    std::size_t levels = 0;
    double above = static_cast<double>(all[0]), wrong_above = static_cast<double>(all[1]);
    of.walk(starts[p], starts[p + 1], [&](const Outcome& level) {
      const double rows = level.right + level.wrong;
      if (rows == 0) return;
      const double n = above + sums[0], e = wrong_above + sums[1];
      const double lead = e - n * (level.wrong / rows);
      sums[2] += level.wrong + (n == 0 ? 0 : lead * harmonic_difference(n, rows));
      sums[3] += rows * (e + level.wrong / 2);
      sums[0] += rows, sums[1] += level.wrong;
      if (++levels % kBlock) return;
      for (std::size_t i = 0; i < 4; ++i) all[i] += sums[i], sums[i] = 0;
      above = static_cast<double>(all[0]), wrong_above = static_cast<double>(all[1]);
    });
    for (std::size_t i = 0; i < 4; ++i) all[i] += sums[i];
    found[p] = all;
  });
  long double risks = 0, errors = 0;
  for (const auto& part : found) risks += part[2], errors += part[3];
  return {static_cast<double>(found.back()[0]), static_cast<double>(found.back()[1]),
          static_cast<double>(risks), static_cast<double>(errors)};
}

}  // namespace tallymark
