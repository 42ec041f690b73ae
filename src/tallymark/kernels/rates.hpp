// Cumulative counts from the highest score down, and DeLong's placements.
//
// tp[k] rows of the positive class and fp[k] of the others have the k highest scores, k from 0 to n.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "along.hpp"
#include "parallel.hpp"

namespace tallymark {

// All rows of both classes, added up as cumulative_counts adds them up.
inline std::array<double, 2> class_totals(const double* pos, const double* neg, std::size_t n) {
  const std::size_t count = parts(n);
  std::vector<std::array<double, 2>> found(count);
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    double hits = 0, others = 0;
    for (std::size_t k = begin; k < end; ++k) hits += pos[n - 1 - k], others += neg[n - 1 - k];
    found[w] = {hits, others};
  });
  std::array<double, 2> all{};
  for (const auto& part : found) all[0] += part[0], all[1] += part[1];
  return all;
}

// Write tp and fp. Each part starts from the sums of those above it, so that no sum ever falls.
inline void cumulative_counts(const double* pos, const double* neg, std::size_t n, double* tp,
                              double* fp) {
  using Two = std::array<double, 2>;
  const std::size_t count = parts(n);
  std::vector<Two> above(count + 1, Two{});
  const auto run = [&](std::size_t begin, std::size_t end, auto&& write) {
    Two sums{};
    for (std::size_t k = begin; k < end; ++k) {
      sums[0] += pos[n - 1 - k], sums[1] += neg[n - 1 - k];
      write(k, sums);
    }
    return sums;
  };
  if (count > 1) {
    split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
      above[w + 1] = run(begin, end, [](std::size_t, const Two&) {});
    });
    for (std::size_t w = 0; w < count; ++w)
      above[w + 1] = {above[w][0] + above[w + 1][0], above[w][1] + above[w + 1][1]};
  }
  tp[0] = fp[0] = 0;
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    const Two before = above[w];
    run(begin, end, [=](std::size_t k, const Two& sums) {
      tp[k + 1] = before[0] + sums[0], fp[k + 1] = before[1] + sums[1];
    });
  });
}

// The mean placement of the positives, which is the AUC, and sums over both classes of the squares
// of placement less that mean, with the weights pos2 and neg2 (DeLong, DeLong & Clarke-Pearson), in
// the order of rising scores; without them those of the counts.
inline std::array<double, 3> add_placements(const double* tp, const double* fp, std::size_t n,
                                            const double* pos2, const double* neg2) {
  const double last_tp = tp[n], last_fp = fp[n];
  // Shares of these very sums: perfect placements are 1 to the bit.
  const auto of_pos = [=](std::size_t k) {
    return (last_fp - fp[k + 1] + (fp[k + 1] - fp[k]) / 2) / last_fp;
  };
  const auto of_neg = [=](std::size_t k) { return (tp[k] + (tp[k + 1] - tp[k]) / 2) / last_tp; };
  const auto all = add_up<2>(n, [=](std::size_t k, std::array<double, 2>& sums) {
    sums[0] += (tp[k + 1] - tp[k]) * of_pos(k), sums[1] += tp[k + 1] - tp[k];
  });
  const double auc = all[0] / all[1];
  const auto spread = add_up<2>(n, [=](std::size_t k, std::array<double, 2>& sums) {
    const double off_pos = of_pos(k) - auc, off_neg = of_neg(k) - auc;
    sums[0] += (pos2 ? pos2[n - 1 - k] : tp[k + 1] - tp[k]) * (off_pos * off_pos);
    sums[1] += (neg2 ? neg2[n - 1 - k] : fp[k + 1] - fp[k]) * (off_neg * off_neg);
  });
  return {auc, spread[0], spread[1]};
}

}  // namespace tallymark
