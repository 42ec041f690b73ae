// Sums over answers by their confidence, from the most confident one down.
//
// The answer is yes for scores from one half on, with the score as its confidence, and no below,
// with what is left to 1. The confidences of both rise towards the ends of the scores, so that one
// pass from both ends inwards meets the answers in order, without sorting them.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "along.hpp"
#include "parallel.hpp"

namespace tallymark {

// So many of the highest scores were answered (yes), and so many of the lowest (no).
struct Answered {
  std::size_t yes, no;
};

constexpr std::size_t kLevels = 256;  // at a time, all of whose numbers are in the cache

// Some answers from the most confident one down: twice the place of their score, and one more where
// they are yes; and where each level, of equal confidences, ends.
struct Levels {
  std::vector<std::size_t> answers, ends;
  std::size_t size = 0;  // how many of the ends are levels
};

// The answers at ascending scores: of probabilities as above; of confidences each is yes, and no two
// are equal.
class Answers {
 public:
  Answers(const double* scores, std::size_t n, bool probabilities)
      : scores_(scores),
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

  // Add up the right and the wrong answers from one place to another, of rows of either class.
  std::array<long double, 2> between(Answered from, Answered to, const double* pos,
                                     const double* neg) const {
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
    add(n_ - to.yes, n_ - from.yes, pos, neg);
    add(from.no, to.no, neg, pos);
    return sums;
  }

  // Call each(levels) with a block of levels after another, between two places.
  template <class Each>
  void walk(Answered at, Answered to, Each&& each) const {
    Levels some{std::vector<std::size_t>(kLevels), std::vector<std::size_t>(kLevels)};
    std::size_t size = 0;
    double yes = yes_at(at), no = no_at(at);
    while (at.yes < to.yes || at.no < to.no) {
      double last;
      do {
        if (size == some.answers.size()) some.answers.resize(2 * size);
        const std::size_t positive = yes >= no;
        last = std::max(yes, no);
        // A branch would be mispredicted.
        const std::size_t place = at.no + ((0 - positive) & (n_ - at.yes - 1 - at.no));
        some.answers[size++] = 2 * place + positive;
        at.yes += positive, at.no += 1 - positive;
        yes = yes_at(at), no = no_at(at);
      } while (last - std::max(yes, no) <= rounding_);
      some.ends[some.size++] = size;
      if (some.size < kLevels) continue;
      each(some);
      some.size = size = 0;
    }
    each(some);
  }

 private:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  // The confidence of the next answer of either kind.
  double yes_at(Answered at) const {
    return at.yes < n_ - half_ ? scores_[n_ - at.yes - 1] : kNone;
  }
  double no_at(Answered at) const { return at.no < half_ ? 1 - scores_[at.no] : kNone; }

  const double* scores_;
  std::size_t n_, half_;
  double rounding_;
};

// Add up the terms of n levels, at most kLevels, of `rows`, of which so many are `wrong`, below the rows and the wrong
// answers `above` them.
std::array<double, 2> add_levels(const double* rows, const double* wrong, const double* above,
                                 const double* wrong_above, std::size_t n);

// The sums over the answers of a line of rows of either class so far.
class AnswerSums {
 public:
  AnswerSums() = default;
  explicit AnswerSums(std::array<long double, 2> before) : rows_(before[0]), wrong_(before[1]) {}

  void add(const Levels& some, const double* pos, const double* neg) {
    std::array<double, kLevels> rows, wrong, above, wrong_above;
    const double* const of[] = {neg, pos};
    const std::size_t n = some.size;
    const bool untied = n && some.ends[n - 1] == n;
    for (std::size_t level = 0, k = 0; level < n; ++level) {
      double right = 0, others = 0;
      for (const std::size_t end = untied ? level + 1 : some.ends[level]; k < end; ++k) {
        const std::size_t place = some.answers[k] >> 1, yes = some.answers[k] & 1;
        right += of[yes][place], others += of[1 - yes][place];
      }
      rows[level] = right + others, wrong[level] = others;
    }
    const double n0 = static_cast<double>(rows_), e0 = static_cast<double>(wrong_);
    double n1 = 0, e1 = 0;
    for (std::size_t level = 0; level < n; ++level) {
      above[level] = n0 + n1, wrong_above[level] = e0 + e1;
      n1 += rows[level], e1 += wrong[level];
    }
    const auto found = add_levels(rows.data(), wrong.data(), above.data(), wrong_above.data(), n);
    rows_ += n1, wrong_ += e1, risks_ += found[0], errors_ += found[1];
  }

  // Take over what was added up of the answers after these.
  void join(const AnswerSums& next) {
    rows_ = next.rows_, wrong_ = next.wrong_;
    risks_ += next.risks_, errors_ += next.errors_;
  }

  std::array<double, 4> found() const {
    return {static_cast<double>(rows_), static_cast<double>(wrong_), static_cast<double>(risks_),
            static_cast<double>(errors_)};
  }

 private:
  long double rows_ = 0, wrong_ = 0, risks_ = 0, errors_ = 0;
};

// Write for each line of rows of either class: all rows; the wrong answers; and, added up over the k
// rows of highest confidence for k = 1, 2, ..., the share of wrong answers among them, and their
// number (half of the last row's). A level of m rows, w of them wrong, below N rows, E of them
// wrong, adds to these
//   w + (E - N w/m) (H(N + m) - H(N))   and   m (E + w/2),   H the harmonic numbers.
inline void answer_sums(const Answers& of, const double* pos, const double* neg, std::size_t lines,
                        double* out) {
  const std::size_t n = of.size(), count = parts(n);
  std::vector<Answered> starts;
  for (std::size_t p = 0; p <= count; ++p) starts.push_back(of.begin(p, count));
  std::vector<std::vector<AnswerSums>> found(count, std::vector<AnswerSums>(lines));
  if (count > 1) {  // each part starts from the rows of those before it
    std::vector<std::vector<std::array<long double, 2>>> parts_of(count);
    split(count, count, [&](std::size_t p, std::size_t, std::size_t) {
      for (std::size_t r = 0; r < lines; ++r)
        parts_of[p].push_back(of.between(starts[p], starts[p + 1], pos + r * n, neg + r * n));
    });
    for (std::size_t r = 0; r < lines; ++r) {
      std::array<long double, 2> before{};
      for (std::size_t p = 0; p < count; ++p) {
        found[p][r] = AnswerSums(before);
        before[0] += parts_of[p][r][0] + parts_of[p][r][1], before[1] += parts_of[p][r][1];
      }
    }
  }
  split(count, count, [&](std::size_t p, std::size_t, std::size_t) {
    of.walk(starts[p], starts[p + 1], [&](const Levels& some) {
      for (std::size_t r = 0; r < lines; ++r) found[p][r].add(some, pos + r * n, neg + r * n);
    });
  });
  for (std::size_t r = 0; r < lines; ++r) {
    for (std::size_t p = 1; p < count; ++p) found[0][r].join(found[p][r]);
    const auto sums = found[0][r].found();
    std::copy(sums.begin(), sums.end(), out + r * sums.size());
  }
}

}  // namespace tallymark
