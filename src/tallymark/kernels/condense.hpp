// A long ranking of probabilities condensed: few weighted ones with the same sums of smooth losses.
//
// Over neighbouring groups whose probabilities differ by little beside their distance from 0 and 1
// a smooth function of them is a polynomial of degree 7 to the last digit of a number. Eight nodes
// whose weights reproduce the sums of all such polynomials therefore stand for thousands of groups.
// A weight may fall below zero; only sums over all nodes mean something.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel.hpp"

namespace tallymark {

constexpr std::size_t kNodes = 8;
constexpr std::size_t kMostGroups = 8192;  // few enough for plain sums
constexpr double kWidth = 1.0 / 32;        // of a stretch, beside its distance from 0 or 1
constexpr double kNearHalf = 0x1p-12;

// Neighbouring groups, and where what stands for them begins.
struct Together {
  std::size_t begin, end, to;
  bool kept;  // as they are
};

// Columns of counts over groups, or of cumulative counts from the last group down.
struct Columns {
  std::vector<const double*> given;
  bool cumulative;
  std::size_t groups;

  double at(std::size_t column, std::size_t group) const {
    if (!cumulative) return given[column][group];
    const double* const above = given[column] + (groups - group - 1);
    return above[1] - above[0];
  }
};

// The stretches that stand together; none crosses one of the ascending cuts, the last of which is
// n. Those from 1/2 - kNearHalf to 1/2 + kNearHalf, where there have to be cuts, are kept.
inline std::vector<Together> stretches(const double* scores, const std::int64_t* cuts,
                                       std::size_t m) {
  std::vector<Together> out;
  std::size_t to = 0, begin = 0;
  for (std::size_t c = 0; c < m; ++c) {
    for (const auto last = static_cast<std::size_t>(cuts[c]); begin < last;) {
      const double first = scores[begin], rest = 1 - first;
      const double most = first * (1 + kWidth), least = rest / (1 + kWidth);
      const double* const from = scores + begin;
      const double* const end =
          std::partition_point(from + 1, scores + std::min(last, begin + kMostGroups),
                               [=](double p) { return first < 0.5 ? p <= most : 1 - p >= least; });
      const auto groups = static_cast<std::size_t>(end - from);
      // Nodes need room between the ends of their stretch, and how far they are from 1/2 is known
      // to fewer digits than of the scores.
      const bool kept = groups < 2 * kNodes || !(end[-1] - first > 1e-290) ||
                        std::abs(first - 0.5) < kNearHalf;
      out.push_back({begin, begin + groups, to, kept});
      to += kept ? groups : kNodes;
      begin += groups;
    }
  }
  out.push_back({begin, begin, to, true});
  return out;
}

// Add up each of Chebyshev's polynomials at places t from -1 to 1, of weights w.
void add_polynomials(const double* w, const double* t, std::size_t n,
                     std::array<double, kNodes>& sums);

// Write the nodes of a stretch and their weights in each column: p, 1 - p, which stay distinct
// near 1, and the columns' weights. By Chebyshev's polynomials, which lose no digits.
inline void condense(const double* scores, const Columns& columns,
                     const Together& all, double* p, double* q, const std::vector<double*>& out) {
  constexpr std::size_t block = 256;
  const bool low = scores[all.begin] < 0.5;
  // Measured from the end that is near, where numbers are finest.
  const auto place = [=](std::size_t k) { return low ? scores[k] : scores[k] - 1; };
  const double first = place(all.begin), last = place(all.end - 1);
  const double middle = first + (last - first) / 2, half = (last - first) / 2, scale = 1 / half;
  std::vector<std::array<double, kNodes>> sums(columns.given.size());
  std::array<double, block> t, w;
  for (std::size_t start = all.begin; start < all.end; start += block) {
    const std::size_t size = std::min(block, all.end - start);
    for (std::size_t i = 0; i < size; ++i) t[i] = (place(start + i) - middle) * scale;
    for (std::size_t c = 0; c < sums.size(); ++c) {
      for (std::size_t i = 0; i < size; ++i) w[i] = columns.at(c, start + i);
      add_polynomials(w.data(), t.data(), size, sums[c]);
    }
  }
  const double pi = std::acos(-1.0), share = 1.0 / kNodes;
  for (std::size_t j = 0; j < kNodes; ++j) {
    const double angle = pi * (static_cast<double>(j) + 0.5) * share;
    const double at = middle - half * std::cos(angle);
    p[all.to + j] = low ? at : 1 + at;
    q[all.to + j] = low ? 1 - at : -at;
    for (std::size_t c = 0; c < sums.size(); ++c) {
      double weight = sums[c][0];
      for (std::size_t k = 1; k < kNodes; ++k) {
        const double sign = k % 2 ? -2 : 2;  // T_k(-cos x) = (-1)^k cos kx
        weight += sign * std::cos(static_cast<double>(k) * angle) * sums[c][k];
      }
      out[c][all.to + j] = weight * share;
    }
  }
}

// All stretches, on all cores.
inline void condense(const double* scores, const Columns& columns,
                     const std::vector<Together>& stretches, double* p, double* q,
                     const std::vector<double*>& out) {
  const std::size_t count = stretches.size() - 1, groups = stretches.back().begin;
  split(count, parts(groups), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const Together& all = stretches[s];
      if (!all.kept) {
        condense(scores, columns, all, p, q, out);
        continue;
      }
      for (std::size_t k = all.begin; k < all.end; ++k) {
        const std::size_t to = all.to + (k - all.begin);
        p[to] = scores[k], q[to] = 1 - scores[k];
        for (std::size_t c = 0; c < out.size(); ++c) out[c][to] = columns.at(c, k);
      }
    }
  });
}

}  // namespace tallymark
