// Order scores: each becomes an unsigned integer that sorts as the score does, with the row's
// label in its lowest bit, so that one plain sort of integers orders scores and labels together.
//
// A double has 64 bits and the label needs one. Scores of one sign need only 63: negative and
// other scores are kept in separate stretches of the array, and a pivot cuts the longer stretch
// so that two cores can sort at once. No bit of a score is lost.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "parallel.hpp"

namespace tallymark {

constexpr std::size_t kStretches = 3;
constexpr std::uint64_t kMagnitude = ~std::uint64_t{0} >> 1;

inline std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline std::uint64_t key_of(double x, bool positive) {
  const std::uint64_t bits = bits_of(x + 0.0);  // -0.0 becomes 0.0
  const std::uint64_t flip = std::uint64_t{0} - (bits >> 63);
  return ((bits ^ flip) & kMagnitude) << 1 | std::uint64_t{positive};
}

inline double score_of(std::uint64_t key, bool negative) {
  const std::uint64_t bits = negative ? ~(key >> 1) : key >> 1;
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

struct Packed {
  std::array<std::size_t, kStretches + 1> starts{};  // where each stretch of keys begins
  std::size_t below_zero = 0;                        // rows whose score is negative
  std::size_t bad = 0;                               // 1 + a row with an unusable score or label
};

// Fill keys from scores and labels; a label is positive, negative or (bad) neither.
template <class T>
Packed pack(const T* labels, std::int64_t negative, std::int64_t positive, const double* scores,
            std::size_t n, std::uint64_t* keys) {
  Packed out;
  const std::size_t count = workers(n);
  double pivot = 0.0;
  if (count > 1) {  // the median of a sample splits the work in about two halves
    std::vector<double> sample;
    for (std::size_t i = 0; i < 1023; ++i) sample.push_back(scores[i * (n / 1023)]);
    std::nth_element(sample.begin(), sample.begin() + 511, sample.end());
    pivot = sample[511];
    if (!std::isfinite(pivot)) pivot = 0.0;
  }
  const double first = std::min(pivot, 0.0), second = std::max(pivot, 0.0);

  using Sizes = std::array<std::size_t, kStretches>;
  std::vector<Sizes> sizes(count);
  std::vector<std::size_t> bad(count, 0);
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::size_t at_first = 0, at_second = 0, wrong = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double x = scores[i];
      at_first += x >= first;
      at_second += x >= second;
      const auto label = static_cast<std::int64_t>(labels[i]);
      wrong += !(std::abs(x) <= 1.7976931348623157e308) | ((label != negative) & (label != positive));
    }
    if (wrong) {
      for (std::size_t i = begin; i < end && !bad[w]; ++i) {
        const auto label = static_cast<std::int64_t>(labels[i]);
        if (!std::isfinite(scores[i]) || (label != negative && label != positive)) bad[w] = i + 1;
      }
    }
    sizes[w] = {end - begin - at_first, at_first - at_second, at_second};
  });
  for (const std::size_t b : bad)
    if (b) {
      out.bad = b;
      return out;
    }

  for (std::size_t s = 0; s < kStretches; ++s) {
    out.starts[s + 1] = out.starts[s];
    for (const auto& size : sizes) out.starts[s + 1] += size[s];
  }
  out.below_zero = pivot < 0 ? out.starts[2] : out.starts[1];

  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::array<std::uint64_t*, kStretches> to;
    for (std::size_t s = 0; s < kStretches; ++s) {
      to[s] = keys + out.starts[s];
      for (std::size_t v = 0; v < w; ++v) to[s] += sizes[v][s];
    }
    for (std::size_t i = begin; i < end; ++i) {
      const double x = scores[i];
      const std::size_t s = std::size_t{x >= first} + std::size_t{x >= second};
      *to[s]++ = key_of(x, static_cast<std::int64_t>(labels[i]) == positive);
    }
  });
  return out;
}

// Pairs (positive row, negative row) in sorted keys: the negative is lower, or not higher.
struct PairOrder {
  std::uint64_t lower = 0, not_higher = 0, negatives = 0;
};

inline PairOrder order_pairs(const std::uint64_t* keys, std::size_t n, std::size_t below_zero) {
  PairOrder out;
  std::uint64_t before = 0, seen = 0;  // negatives in lower groups; negatives so far
  std::uint64_t previous = ~std::uint64_t{0};
  for (std::size_t i = 0; i < n; ++i) {
    if (i == below_zero) previous = ~std::uint64_t{0};  // equal keys across zero are not ties
    const std::uint64_t score = keys[i] >> 1, positive = keys[i] & 1;
    before = score == previous ? before : seen;
    previous = score;
    // Within a group the negatives come first, so all its positives see all of them.
    out.lower += positive ? before : 0;
    out.not_higher += positive ? seen : 0;
    seen += positive ^ 1;
  }
  out.negatives = seen;
  return out;
}

inline std::size_t count_groups(const std::uint64_t* keys, std::size_t n, std::size_t below_zero) {
  if (n == 0) return 0;
  std::size_t groups = 1 + (below_zero > 0 && below_zero < n);
  for (std::size_t i = 1; i < below_zero; ++i) groups += (keys[i] >> 1) != (keys[i - 1] >> 1);
  for (std::size_t i = below_zero + 1; i < n; ++i) groups += (keys[i] >> 1) != (keys[i - 1] >> 1);
  return groups;
}

// Write the distinct scores, and how many negatives and positives have each.
inline void fill_groups(const std::uint64_t* keys, std::size_t n, std::size_t below_zero,
                        double* scores, double* negatives, double* positives) {
  std::size_t group = 0;
  for (std::size_t i = 0; i < n;) {
    const std::size_t limit = i < below_zero ? below_zero : n;
    const std::uint64_t score = keys[i] >> 1;
    std::size_t found = 0, start = i;
    for (; i < limit && keys[i] >> 1 == score; ++i) found += keys[i] & 1;
    scores[group] = score_of(keys[start], start < below_zero);
    negatives[group] = static_cast<double>(i - start - found);
    positives[group] = static_cast<double>(found);
    ++group;
  }
}

// Write the place of each score among ascending cuts: the last one not above it, else the first.
// At most 65,536 cuts. Every search takes the same steps, so that no branch is ever mispredicted.
inline void place(const double* scores, std::size_t n, const double* cuts, std::size_t m,
                  std::uint16_t* places) {
  std::size_t width = 1;
  while (width < m) width *= 2;
  std::vector<double> padded(cuts, cuts + m);
  padded.resize(width, std::numeric_limits<double>::infinity());
  const double* table = padded.data();
  split(n, workers(n), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double x = scores[i];
      std::size_t at = 0;
      for (std::size_t step = width / 2; step; step /= 2) at += step * (table[at + step] <= x);
      places[i] = static_cast<std::uint16_t>(at);
    }
  });
}

}  // namespace tallymark
