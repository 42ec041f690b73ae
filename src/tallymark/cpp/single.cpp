// Sums along a ranking with one whole row at each score: see single.hpp.
#include "single.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "along.hpp"
#include "parallel.hpp"
#include "wide.hpp"

namespace tallymark {
namespace {

// So many rows side by side: a compiler computes several at once, and each place adds up its own.
constexpr std::size_t kLanes = 64;

// After so many rows sums go into longer numbers, so that ten million lose no digits.
constexpr std::size_t kRun = 64 * kLanes;

// Of x below this, four terms of the series of ln(1 + x) are all of its digits.
constexpr double kSmall = 1e-4;

// second_of_log1p of such x.
TALLYMARK_INLINE double second_of_small(double x) {
  return 1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x * (1.0 / 5)));
}

// Sums of rows of the positive class (precision with it, before it; what mixtures are above that;
// gains) and of the others (kappa, the positives above them).
struct Added {
  double lower[kLanes], after[kLanes], before[kLanes], bends[kLanes], gains[kLanes], kappa[kLanes];
};

// The share of all rows that chance calls wrongly with k rows called positive; kappa's denominator.
inline double chance(const RankTerms& of, double k) {
  return of.share_p * ((of.total - k) / of.total) + of.share_n * (k / of.total);
}

TALLYMARK_INLINE double chance_step(const RankTerms& of) { return (of.share_n - of.share_p) / of.total; }

// Add RankTerms of rows from the begin-th highest score on, a multiple of kLanes of them, all of
// which gain or none. 1/begin and the relative steps of chance are small.
template <bool Gain>
TALLYMARK_INLINE Added add_run(const double* tp, std::size_t begin, std::size_t end, const RankTerms& of) {
  const double half_odds = of.odds / 2, to_tpr = of.to_tpr, to_fpr = of.to_fpr;
  const double both = 2 * of.share_p * of.share_n, fall = both * to_fpr;
  const double step = chance_step(of), chance0 = of.share_p;
  Added sums{};
  double precision[kLanes + 1], place[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) place[l] = static_cast<double>(l);
  precision[kLanes] = tp[begin] / static_cast<double>(begin);
  for (std::size_t start = begin; start < end; start += kLanes) {
    const double first = static_cast<double>(start), next = first + 1;
    const double* from = tp + start;
    precision[0] = precision[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) precision[l + 1] = from[l + 1] / (next + place[l]);
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double k = first + place[l], each = 1 / k;
      const double tp0 = from[l], tp1 = from[l + 1], fp0 = k - tp0;
      const double hit = tp1 - tp0, miss = 1 - hit;
      sums.lower[l] += miss * tp0;
      sums.after[l] += hit * precision[l + 1];
      sums.before[l] += hit * precision[l];
      sums.bends[l] += hit * ((1 - precision[l]) * (each * second_of_small(each)));
      if constexpr (Gain) {
        const double inverse = 1 / (tp0 * tp1);
        sums.gains[l] += hit * (inverse * (1 - half_odds * (fp0 * (tp0 + tp1) * inverse)));
      }
      const double other = 1 / (chance0 + step * k), x = step * other;
      const double second = second_of_small(x), a0 = both * (tp0 * to_tpr - fp0 * to_fpr);
      sums.kappa[l] += miss * (other * (a0 * (1 - x * second) - fall * second));
    }
  }
  return sums;
}

TALLYMARK_WIDE Added add_run(const double* tp, std::size_t begin, std::size_t end,
                             const RankTerms& of, bool gain) {
  return gain ? add_run<true>(tp, begin, end, of) : add_run<false>(tp, begin, end, of);
}

}  // namespace

std::array<double, 7> add_ranks_of_single(const double* tp, std::size_t n) {
  const double rows = static_cast<double>(n);
  const RankTerms of(tp[n], rows - tp[n], tp[n], rows - tp[n]);
  const auto small = [&](std::size_t begin, std::size_t end) {
    const double least = std::min(chance(of, static_cast<double>(begin)),
                                  chance(of, static_cast<double>(end)));
    return static_cast<double>(begin) * kSmall > 1 && std::abs(chance_step(of)) < kSmall * least;
  };
  // The row that brings the true positives above the least from which on a gain is counted.
  const auto across = static_cast<std::size_t>(
      std::partition_point(tp, tp + n, [&](double t) { return t <= of.least; }) - tp) - 1;
  const std::size_t count = parts(n);
  std::vector<std::array<long double, 7>> found(count);
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::array<long double, 7> all{};
    for (std::size_t start = begin, stop; start < end; start = stop) {
      stop = std::min(end, start + kRun);
      if (start <= across) stop = std::min(stop, std::max(across, start + 1));
      if (stop - start >= kLanes && small(start, stop)) {
        stop -= (stop - start) % kLanes;
        const Added sums = add_run(tp, start, stop, of, start > across);
        const auto total = [](const double(&lanes)[kLanes]) {
          long double sum = 0;
          for (const double lane : lanes) sum += lane;
          return sum;
        };
        const long double before = total(sums.before), after = total(sums.after);
        all[0] += total(sums.lower);
        all[2] += after;
        all[3] += (before + after) / 2;
        all[4] += before + total(sums.bends);
        all[5] += total(sums.gains) * (of.odds * of.p_rows);
        all[6] += total(sums.kappa) * of.to_fpr;
        continue;
      }
      RankTerms::Sums sums{};
      for (std::size_t i = start; i < stop; ++i) {
        const double k = static_cast<double>(i), hit = tp[i + 1] - tp[i];
        of(hit, 1 - hit, tp[i], k - tp[i], tp[i + 1], k + 1 - tp[i + 1], sums);
      }
      for (std::size_t s = 0; s < sums.size(); ++s) all[s] += sums[s];
    }
    found[w] = all;
  });
  std::array<double, 7> out{};
  for (std::size_t s = 0; s < out.size(); ++s) {
    long double sum = 0;
    for (const auto& part : found) sum += part[s];
    out[s] = static_cast<double>(sum);
  }
  return out;
}

}  // namespace tallymark
