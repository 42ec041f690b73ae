// Sums along a ranking with one whole row at each score: see single.hpp.
#include "single.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
// gains) and of the others (kappa). Then the rows of the other class above each row, and their
// squares, counted from where a run begins: whole numbers, whose sums are exact.
struct Added {
  Lanes after, before, bends, gains, kappa, fp, fp2, tp, tp2;
};

long double total(const Lanes& lanes) {
  long double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

// Rows, the sum of a number of each, and the sum of squares about its mean.
struct Spread {
  long double rows = 0, sum = 0, squares = 0;

  // Of so many rows whose number is at least from, what they are above it and its square added up.
  static Spread of(long double rows, long double from, long double above, long double above2) {
    if (rows == 0) return {};
    return {rows, rows * from + above, above2 - above * above / rows};
  }

  void add(const Spread& more) {
    if (more.rows == 0) return;
    if (rows > 0) {
      const long double apart = more.sum / more.rows - sum / rows;
      squares += apart * apart * (rows * more.rows / (rows + more.rows));
    }
    rows += more.rows, sum += more.sum, squares += more.squares;
  }
};

// All that is found of some rows.
struct Found {
  std::array<long double, 7> sums{};
  Spread pos, neg;

  void add(const Found& more) {
    for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += more.sums[s];
    pos.add(more.pos), neg.add(more.neg);
  }
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
  const double tp_before = tp[begin], fp_before = static_cast<double>(begin) - tp_before;
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
      const double above = hit * (fp0 - fp_before), below = miss * (tp0 - tp_before);
      sums.fp[l] += above, sums.fp2[l] += above * above;
      sums.tp[l] += below, sums.tp2[l] += below * below;
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
  const long double before = total(sums.before), after = total(sums.after);
  const long double tp0 = tp[begin], fp0 = begin - tp0, hits = tp[end] - tp0;
  const long double misses = end - begin - hits;
  Found out;
  out.pos = Spread::of(hits, fp0, total(sums.fp), total(sums.fp2));
  out.neg = Spread::of(misses, tp0, total(sums.tp), total(sums.tp2));
  out.sums = {out.neg.sum, 0, after, (before + after) / 2, before + total(sums.bends),
              total(sums.gains) * (of.odds * of.p_rows), total(sums.kappa) * of.to_fpr};
  return out;
}

// Any rows, at most kRun of them, one by one.
Found careful_run(const double* tp, std::size_t begin, std::size_t end, const RankTerms& of) {
  const double tp_before = tp[begin], fp_before = static_cast<double>(begin) - tp_before;
  RankTerms::Sums sums{};
  double hits = 0, misses = 0, fp = 0, fp2 = 0, below = 0, below2 = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double k = static_cast<double>(i), tp0 = tp[i], fp0 = k - tp0;
    const double hit = tp[i + 1] - tp0, miss = 1 - hit;
    of(hit, miss, tp0, fp0, tp0 + hit, fp0 + miss, sums);
    hits += hit, fp += hit * (fp0 - fp_before), fp2 += hit * (fp0 - fp_before) * (fp0 - fp_before);
    misses += miss, below += miss * (tp0 - tp_before);
    below2 += miss * (tp0 - tp_before) * (tp0 - tp_before);
  }
  Found out;
  std::copy(sums.begin(), sums.end(), out.sums.begin());
  out.pos = Spread::of(hits, fp_before, fp, fp2);
  out.neg = Spread::of(misses, tp_before, below, below2);
  return out;
}

// The sum of numbers, or of what they lack to 1.
template <bool Lacking>
TALLYMARK_INLINE double sum_of(const double* x, std::size_t n) {
  constexpr std::size_t lanes = 16;
  double sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) sums[l] += Lacking ? 1 - x[i + l] : x[i + l];
  for (std::size_t l = 0; i < n; ++i, ++l) sums[l] += Lacking ? 1 - x[i] : x[i];
  for (std::size_t half = lanes / 2; half; half /= 2)
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  return sums[0];
}

TALLYMARK_WIDE double sum_of(const double* x, std::size_t n, bool lacking) {
  return lacking ? sum_of<true>(x, n) : sum_of<false>(x, n);
}

}  // namespace

std::array<double, 9> add_ranks_of_single(const double* tp, std::size_t n) {
  const double rows = static_cast<double>(n);
  const RankTerms of(tp[n], rows - tp[n], tp[n], rows - tp[n]);
  const auto plain = [&](std::size_t begin, std::size_t end) {
    const double least = std::min(chance(of, static_cast<double>(begin)),
                                  chance(of, static_cast<double>(end)));
    return static_cast<double>(begin) * kSmall > 1 && std::abs(chance_step(of)) < kSmall * least;
  };
  // The row that brings the true positives above the least from which on a gain is counted.
  const auto across = static_cast<std::size_t>(
      std::partition_point(tp, tp + n, [&](double t) { return t <= of.least; }) - tp) - 1;
  const std::size_t count = parts(n);
  std::vector<Found> found(count);
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    for (std::size_t start = begin, stop; start < end; start = stop) {
      stop = std::min(end, start + kRun);
      if (start <= across) stop = std::min(stop, std::max(across, start + 1));
      if (stop - start >= kLanes && plain(start, stop)) {
        stop -= (stop - start) % kLanes;
        found[w].add(plain_run(tp, start, stop, of, start > across));
      } else {
        found[w].add(careful_run(tp, start, stop, of));
      }
    }
  });
  Found all;
  for (const Found& part : found) all.add(part);
  std::array<double, 9> out;
  std::copy(all.sums.begin(), all.sums.end(), out.begin());
  out[7] = static_cast<double>(all.pos.squares), out[8] = static_cast<double>(all.neg.squares);
  return out;
}

void stretch_sums(const double* scores, std::size_t n, double* sums) {
  const std::size_t m = (n + kStretch - 1) / kStretch;
  split(m, parts(n), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const double* from = scores + s * kStretch;
      sums[s] = sum_of(from, std::min(kStretch, n - s * kStretch), *from >= 0.5);
    }
  });
}

void range_sums(const double* scores, std::size_t n, const double* sums,
                const std::int64_t* starts, std::size_t m, double* out) {
  const auto middle = static_cast<std::size_t>(std::lower_bound(scores, scores + n, 0.5) - scores);
  for (std::size_t r = 0; r < m; ++r) {
    const auto begin = static_cast<std::size_t>(starts[r]);
    const auto end = static_cast<std::size_t>(std::max(starts[r], starts[r + 1]));
    long double from_0 = 0, lacking = 0;
    for (std::size_t i = begin, stop; i < end; i = stop) {
      const std::size_t s = i / kStretch, next = (s + 1) * kStretch;
      stop = std::min(end, next);
      const bool high = i >= middle;
      if (!high) stop = std::min(stop, middle);
      const bool whole = i % kStretch == 0 && stop == next;
      (high ? lacking : from_0) += whole ? sums[s] : sum_of(scores + i, stop - i, high);
    }
    out[r] = static_cast<double>(from_0);
    out[m + r] = static_cast<double>(end - std::clamp(middle, begin, end));
    out[2 * m + r] = static_cast<double>(lacking);
  }
}

}  // namespace tallymark
