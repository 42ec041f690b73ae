// Rates along a ranking: running sums from the top, and what is read off them at one threshold or
// added up over all.
//
// tp and fp (n + 1) count from the top: tp[k] rows of the positive class have the k highest scores.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "along.hpp"
#include "parallel.hpp"

namespace tallymark {

// Add up the bins of a few groups of whole rows as add_bins does: of equal width, a probability on
// an edge being above it, or of about equal mass, a group being where the middle of its rows is.
inline void bin_few(const double* scores, const double* pos, const double* neg, std::size_t groups,
                    bool mass, std::size_t m, double* out) {
  const double bins = static_cast<double>(m);
  double total = 0, below = 0;
  for (std::size_t g = 0; g < groups; ++g) total += pos[g] + neg[g];
  std::vector<std::int64_t> starts(m + 1, static_cast<std::int64_t>(groups));
  starts[0] = 0;
  std::size_t next = 1;  // the first bin of which no group is known yet
  for (std::size_t g = 0; g < groups; ++g) {
    const double rows = pos[g] + neg[g];
    below += rows;
    const double place = std::floor((below - rows / 2) * bins / total);
    for (; next < m; ++next) {
      const double edge = static_cast<double>(next);
      if (!(mass ? place >= edge : scores[g] >= edge / bins)) break;
      starts[next] = static_cast<std::int64_t>(g);
    }
  }
  add_bins(scores, pos, neg, starts.data(), m, out);
}

// What bins of each of many rankings of the same scores hold: as bin_few, out[5][rows][m].
inline void bin_lines(const double* scores, const double* pos, const double* neg, std::size_t rows,
                      std::size_t groups, bool mass, std::size_t m, double* out) {
  const double bins = static_cast<double>(m);
  std::vector<std::size_t> of_width(groups);
  for (std::size_t g = 0, b = 0; g < groups; ++g) {
    while (b + 1 < m && scores[g] >= static_cast<double>(b + 1) / bins) ++b;
    of_width[g] = b;
  }
  std::fill_n(out, 5 * rows * m, 0.0);
  const std::size_t apart = rows * m;
  for (std::size_t row = 0; row < rows; ++row, pos += groups, neg += groups, out += m) {
    double total = 0, below = 0;
    for (std::size_t g = 0; g < groups; ++g) total += pos[g] + neg[g];
    for (std::size_t g = 0, b = 0; g < groups; ++g) {
      const double p = scores[g], q = 1 - p, all = pos[g] + neg[g];
      below += all;
      const double place = std::floor((below - all / 2) * bins / total);
      while (b + 1 < m && place >= static_cast<double>(b + 1)) ++b;
      double* to = out + (mass ? b : of_width[g]);
      to[0] += all;
      to[apart] += pos[g] * q - neg[g] * p;
      to[2 * apart] += pos[g];
      to[3 * apart] += all * p;
      to[4 * apart] += all * q;
    }
  }
}

// Write tp and fp. Each part starts from the sums of those above it, so that no sum ever falls.
inline void cumulative_counts(const double* pos, const double* neg, std::size_t n, double* tp, double* fp) {
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

// The place in [begin, end) where value(k) is greatest. No value of a stretch from begin to end is
// above bound(begin, end - 1): stretches that cannot hold the greatest are not looked at.
template <class Value, class Bound>
std::size_t greatest(std::size_t begin, std::size_t end, Value&& value, Bound&& bound) {
  std::size_t best = begin;
  double most = value(begin);
  // The ends of all stretches first, so that most of them are bounded out.
  for (std::size_t k = begin; k < end; k += kBlock)
    if (value(k) > most) most = value(k), best = k;
  for (std::size_t start = begin; start < end; start += kBlock) {
    const std::size_t stop = std::min(end, start + kBlock);
    if (bound(start, stop - 1) < most) continue;
    for (std::size_t k = start; k < stop; ++k) {
      const double v = value(k);
      if (v > most || (v == most && k < best)) most = v, best = k;
    }
  }
  return best;
}

// How far the ROC curve is above the diagonal at most, and how far below.
inline std::array<double, 2> distances(const double* tp, const double* fp, std::size_t n) {
  const double p = tp[n], q = fp[n];
  const auto above = [=](std::size_t i, std::size_t j) { return tp[i] * q - fp[j] * p; };
  const auto below = [=](std::size_t i, std::size_t j) { return fp[i] * p - tp[j] * q; };
  const std::size_t up = greatest(
      0, n + 1, [=](std::size_t k) { return above(k, k); },
      [=](std::size_t first, std::size_t last) { return above(last, first); });
  const std::size_t down = greatest(
      0, n + 1, [=](std::size_t k) { return below(k, k); },
      [=](std::size_t first, std::size_t last) { return below(last, first); });
  return {std::max(tp[up] / p - fp[up] / q, 0.0), std::max(fp[down] / q - tp[down] / p, 0.0)};
}

// The sum of (x1 - x0)(z0 + z1) over neighbours from begin to end, z being y or what it is below
// its last: twice the area of trapezoids.
inline double trapezoids(const double* x, const double* y, std::size_t begin, std::size_t end,
                         double last, bool below) {
  constexpr std::size_t lanes = 8;
  const double base = below ? 2 * last : 0, sign = below ? -1 : 1;
  long double all = 0;
  for (std::size_t start = begin; start < end; start += kBlock) {
    const std::size_t size = std::min(kBlock, end - start);
    const double *a = x + start, *b = y + start;
    std::array<double, lanes> sums{};
    std::size_t i = 0;
    for (; i + lanes <= size; i += lanes)
      for (std::size_t l = 0; l < lanes; ++l)
        sums[l] += (a[i + l + 1] - a[i + l]) * (base + sign * (b[i + l] + b[i + l + 1]));
    for (; i < size; ++i) sums[0] += (a[i + 1] - a[i]) * (base + sign * (b[i] + b[i + 1]));
    for (const double sum : sums) all += sum;
  }
  return static_cast<double>(all);
}

// The area under straight lines between thresholds, from low to high of FPR; by TPR that of TNR.
inline double area_between(const double* tp, const double* fp, std::size_t n, double low,
                           double high, bool by_tpr) {
  const double *x = by_tpr ? tp : fp, *y = by_tpr ? fp : tp;
  const double last_x = x[n], last_y = y[n];
  const auto place = [=](double share, std::size_t from) {
    return static_cast<std::size_t>(
        std::partition_point(x + from, x + n, [=](double v) { return v / last_x <= share; }) - x);
  };
  const std::size_t after = place(low, 0), begin = after - (after > 0);
  const std::size_t end = std::min(n, place(high, begin) + 1);
  const auto part = [=](std::size_t k) {
    const double x0 = x[k] / last_x, x1 = x[k + 1] / last_x;
    const double start = std::clamp(x0, low, high), stop = std::clamp(x1, low, high);
    if (!(stop > start)) return 0.0;
    const double up0 = y[k] / last_y, up1 = y[k + 1] / last_y;
    const double y0 = by_tpr ? 1 - up0 : up0, y1 = by_tpr ? 1 - up1 : up1;
    return (stop - start) * (y0 + (y1 - y0) / (x1 - x0) * ((start + stop) / 2 - x0));
  };
  if (end - begin <= kBlock) {
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) sum += part(k);
    return sum;
  }
  // The groups at the ends may be cut; those between are whole.
  const std::size_t first = begin + 1, last = end - 2;
  const std::size_t count = parts(last - first);
  std::vector<double> twice(count);
  split(last - first, count, [&](std::size_t w, std::size_t from, std::size_t to) {
    twice[w] = trapezoids(x, y, first + from, first + to, last_y, by_tpr);
  });
  long double all = 0;
  for (const double each : twice) all += each;
  const double whole = static_cast<double>(all / 2) / last_x / last_y;
  return part(begin) + whole + part(last) + part(last + 1);
}

// The precision of so many rows called rightly and wrongly; 0 where none is right.
inline double precision_of(double hits, double misses) {
  return hits > 0 ? hits / (hits + misses) : 0.0;
}

// The last threshold whose precision is at least so much; 0 where none is.
inline std::size_t last_precise(const double* tp, const double* fp, std::size_t n, double least) {
  for (std::size_t end = n + 1; end > 1;) {
    const std::size_t begin = end > kBlock ? end - kBlock : 1;
    // Within a stretch no precision is higher than of its last hits with its first misses.
    if (precision_of(tp[end - 1], fp[begin]) >= least * (1 - 1e-14))
      for (std::size_t k = end; k-- > begin;)
        if (tp[k] / (tp[k] + fp[k]) >= least) return k;
    end = begin;
  }
  return 0;
}

// The greatest precision of the thresholds from begin on that have a true positive; 0 of none.
inline double most_precise(const double* tp, const double* fp, std::size_t n, std::size_t begin) {
  if (begin > n) return 0.0;
  const auto precision = [=](std::size_t k) { return precision_of(tp[k], fp[k]); };
  return precision(greatest(begin, n + 1, precision, [=](std::size_t first, std::size_t last) {
    return precision_of(tp[last], fp[first]) * (1 + 1e-14);
  }));
}

// The mean placement of the positives, which is the AUC, and sums over both classes of the squares
// of placement less that mean, with the weights pos2 and neg2 (DeLong, DeLong & Clarke-Pearson).
inline std::array<double, 3> add_placements(const double* pos, const double* neg,
                                            const double* pos2, const double* neg2,
                                            const double* tp, const double* fp, std::size_t n) {
  const double last_tp = tp[n], last_fp = fp[n];
  // Shares of these very sums: perfect placements are 1 to the bit.
  const auto of_pos = [=](std::size_t k) {
    return (last_fp - fp[k + 1] + neg[n - 1 - k] / 2) / last_fp;
  };
  const auto of_neg = [=](std::size_t k) { return (tp[k] + pos[n - 1 - k] / 2) / last_tp; };
  const auto all = add_up<2>(n, [=](std::size_t k, std::array<double, 2>& sums) {
    sums[0] += pos[n - 1 - k] * of_pos(k), sums[1] += pos[n - 1 - k];
  });
  const double auc = all[0] / all[1];
  const auto spread = add_up<2>(n, [=](std::size_t k, std::array<double, 2>& sums) {
    const double off_pos = of_pos(k) - auc, off_neg = of_neg(k) - auc;
    sums[0] += pos2[n - 1 - k] * (off_pos * off_pos), sums[1] += neg2[n - 1 - k] * (off_neg * off_neg);
  });
  return {auc, spread[0], spread[1]};
}

// The sum of numbers times a scale, by which each is multiplied before.
inline double scaled_sum(const double* x, std::size_t n, double scale) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) sums[l] += x[i + l] * scale;
  for (; i < n; ++i) sums[0] += x[i] * scale;
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

// Add up columns over groups that begin at starts, m of them, and all columns together times
// scores / unit: out[columns + 1][m]. Without columns every score counts once.
inline void add_groups(const double* scores, const std::vector<const double*>& columns,
                       std::size_t n, const std::int64_t* starts, std::size_t m, double unit,
                       double* out) {
  constexpr std::size_t lanes = 4;
  const auto total = [](const std::array<double, lanes>& sums) {
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  };
  const std::size_t width = columns.size();
  split(m, std::min(m, parts(n)), [&](std::size_t, std::size_t first, std::size_t last) {
    std::array<double, kBlock> all;
    const double scale = 1 / unit;
    const bool fine = std::isfinite(scale);  // not of a unit so small that its inverse is infinite
    for (std::size_t g = first; g < last; ++g) {
      const auto begin = static_cast<std::size_t>(starts[g]);
      const std::size_t end = g + 1 < m ? static_cast<std::size_t>(starts[g + 1]) : n;
      for (std::size_t c = 0; c <= width; ++c) out[c * m + g] = 0;
      if (!width && fine) {
        for (std::size_t start = begin; start < end; start += kBlock)
          out[g] += scaled_sum(scores + start, std::min(kBlock, end - start), scale);
        continue;
      }
      for (std::size_t start = begin; start < end; start += kBlock) {
        const std::size_t size = std::min(kBlock, end - start);
        std::fill_n(all.begin(), size, width ? 0.0 : 1.0);
        for (std::size_t c = 0; c < width; ++c) {
          const double* column = columns[c] + start;
          std::array<double, lanes> sums{};
          for (std::size_t i = 0; i < size; ++i) all[i] += column[i];
          std::size_t i = 0;
          for (; i + lanes <= size; i += lanes)
            for (std::size_t l = 0; l < lanes; ++l) sums[l] += column[i + l];
          for (; i < size; ++i) sums[0] += column[i];
          out[c * m + g] += total(sums);
        }
        std::array<double, lanes> sums{};
        if (fine)
          for (std::size_t i = 0; i < size; ++i) all[i] *= scores[start + i] * scale;
        else
          for (std::size_t i = 0; i < size; ++i) all[i] *= scores[start + i] / unit;
        std::size_t i = 0;
        for (; i + lanes <= size; i += lanes)
          for (std::size_t l = 0; l < lanes; ++l) sums[l] += all[i + l];
        for (; i < size; ++i) sums[0] += all[i];
        out[width * m + g] += total(sums);
      }
    }
  });
}

}  // namespace tallymark
