// Sums over the order of the scores: see rank_sums.hpp.
#include "rank_sums.hpp"

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

using Lanes = double[kLanes];

// Sums of rows of the positive class (precision with it, before it; what mixtures are above that;
// gains) and of the others (kappa; the positives above them, counted from where a run begins: whole
// numbers, whose sums are exact).
struct Added {
  Lanes after, before, bends, gains, kappa, above;
};

using Found = std::array<long double, 7>;

long double total(const Lanes& lanes) {
  long double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

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
  const double tp_before = tp[begin];
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
      sums.above[l] += miss * (tp0 - tp_before);
    }
  }
  return sums;
}

TALLYMARK_WIDE Added add_run(const double* tp, std::size_t begin, std::size_t end,
                             const RankTerms& of, bool gain) {
  return gain ? add_run<true>(tp, begin, end, of) : add_run<false>(tp, begin, end, of);
}

// A multiple of kLanes rows whose terms are plain: see above.
Found plain_run(const double* tp, std::size_t begin, std::size_t end, const RankTerms& of,
                bool gain) {
  const Added sums = add_run(tp, begin, end, of, gain);
  const long double before = total(sums.before), after = total(sums.after), tp0 = tp[begin];
  const long double misses = end - begin - (tp[end] - tp0);
  return {misses * tp0 + total(sums.above), 0, after, (before + after) / 2,
          before + total(sums.bends), total(sums.gains) * (of.odds * of.p_rows),
          total(sums.kappa) * of.to_fpr};
}

// Any groups, at most kRun of them, one by one.
Found careful_run(const double* tp, const double* fp, std::size_t begin, std::size_t end,
                  const RankTerms& of) {
  RankTerms::Sums sums{};
  for (std::size_t k = begin; k < end; ++k)
    of(tp[k + 1] - tp[k], fp[k + 1] - fp[k], tp[k], fp[k], tp[k + 1], fp[k + 1], sums);
  Found out;
  std::copy(sums.begin(), sums.end(), out.begin());
  return out;
}

// Whether the groups are one row each, of one class or the other.
TALLYMARK_WIDE bool are_rows(const double* tp, const double* fp, std::size_t begin,
                             std::size_t end) {
  bool other = tp[begin] + fp[begin] != static_cast<double>(begin);
  for (std::size_t k = begin; k < end; ++k) {
    const double hit = tp[k + 1] - tp[k], miss = fp[k + 1] - fp[k];
    other |= (hit != 0) & (hit != 1);
    other |= hit + miss != 1;
  }
  return !other;
}

}  // namespace

std::array<double, 7> rank_sums(const double* tp, const double* fp, std::size_t n) {
  const RankTerms of(tp[n], fp[n]);
  const auto plain = [&](std::size_t begin, std::size_t end) {
    const double least = std::min(chance(of, static_cast<double>(begin)),
                                  chance(of, static_cast<double>(end)));
    return static_cast<double>(begin) * kSmall > 1 && std::abs(chance_step(of)) < kSmall * least &&
           are_rows(tp, fp, begin, end);
  };
  // The group that brings the true positives above the least from which on a gain is counted.
  const auto across = static_cast<std::size_t>(std::max<std::ptrdiff_t>(
      std::partition_point(tp, tp + n, [&](double t) { return t <= of.least; }) - tp - 1, 0));
  const std::size_t count = parts(n);
  std::vector<Found> found(count, Found{});
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    for (std::size_t start = begin, stop; start < end; start = stop) {
      stop = std::min(end, start + kRun);
      if (start <= across) stop = std::min(stop, std::max(across, start + 1));
      const std::size_t lanes = (stop - start) / kLanes * kLanes;
      const bool fast = lanes && plain(start, start + lanes);
      if (fast) stop = start + lanes;
      const Found some = fast ? plain_run(tp, start, stop, of, start > across)
                              : careful_run(tp, fp, start, stop, of);
      for (std::size_t i = 0; i < some.size(); ++i) found[w][i] += some[i];
    }
  });
  std::array<double, 7> out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    long double sum = 0;
    for (const Found& part : found) sum += part[i];
    out[i] = static_cast<double>(sum);
  }
  return out;
}

}  // namespace tallymark
