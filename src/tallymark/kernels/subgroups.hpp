// Rows of many subgroups at once: put in the order of subgroup and score, and judged subgroups by subgroup.
//
// The keys of order.hpp are kept subgroups by subgroup: bucket 2s holds those of the scores of subgroup s that
// are below zero, bucket 2s + 1 the others, and each is sorted by itself. The label in the lowest
// bit is the code of the true class, 0 or 1.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "order.hpp"
#include "parallel.hpp"

namespace tallymark {

// The rank of a score without its highest bit, which the bucket tells, and the label.
inline std::uint64_t key_in_half(double score, bool positive) {
  return rank_of(score) << 1 | std::uint64_t{positive};
}

// Call body(subgroup) for every subgroup, on several cores where there are many rows: subgroups may differ
// much in size, so that each core takes the next few when it is done.
template <class Body>
void each_subgroup(std::size_t subgroups, std::size_t rows, Body&& body) {
  std::atomic<std::size_t> next{0};
  constexpr std::size_t few = 16;
  split(subgroups, std::min(workers(rows, std::size_t{1} << 16), std::max<std::size_t>(subgroups, 1)),
        [&](std::size_t, std::size_t, std::size_t) {
          for (std::size_t s; (s = next.fetch_add(few)) < subgroups;)
            for (std::size_t i = s; i < std::min(s + few, subgroups); ++i) body(i);
        });
}

// Write the keys of all rows bucket by bucket, unsorted; starts[2 subgroups + 1] is where each begins.
inline void subgroup_rows(Vector<const std::int64_t> subgroups, Vector<const std::int8_t> codes,
                       Vector<const double> scores, Vector<std::uint64_t> keys,
                       Vector<std::int64_t> starts) {
  const std::size_t n = scores.size(), count = workers(n), buckets = starts.size() - 1;
  std::vector<std::vector<std::int64_t>> to(count, std::vector<std::int64_t>(buckets, 0));
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::int64_t* mine = to[w].data();
    for (std::size_t i = begin; i < end; ++i) ++mine[2 * subgroups[i] + (scores[i] >= 0)];
  });
  std::int64_t at = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    starts[b] = at;
    for (auto& mine : to) at += std::exchange(mine[b], at);
  }
  starts[buckets] = at;
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::int64_t* mine = to[w].data();
    for (std::size_t i = begin; i < end; ++i)
      keys[mine[2 * subgroups[i] + (scores[i] >= 0)]++] = key_in_half(scores[i], codes[i] != 0);
  });
}

// Write the order of rows by subgroup and score.
inline void subgroup_order(Vector<const std::int64_t> subgroups, Vector<const double> scores,
                        std::size_t size, Vector<std::int64_t> order) {
  const std::size_t n = scores.size();
  std::vector<std::size_t> starts(size + 1, 0);
  for (std::size_t i = 0; i < n; ++i) ++starts[subgroups[i] + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::size_t> to(starts.begin(), starts.end() - 1);
  for (std::size_t i = 0; i < n; ++i) order[to[subgroups[i]]++] = static_cast<std::int64_t>(i);
  std::int64_t* const rows = order.data();
  each_subgroup(size, n, [&](std::size_t s) {
    std::sort(rows + starts[s], rows + starts[s + 1], [&](std::int64_t a, std::int64_t b) {
      return scores[a] < scores[b] || (scores[a] == scores[b] && a < b);
    });
  });
}

// Rows of subgroups as subgroup_rows wrote them, sorted bucket by bucket.
struct SortedSubgroups {
  const std::uint64_t* keys;
  const std::int64_t* starts;
  std::size_t size;

  SortedSubgroups(Vector<const std::uint64_t> of_rows, Vector<const std::int64_t> of_halves)
      : keys(of_rows.data()), starts(of_halves.data()), size(of_halves.size() / 2) {}

  std::size_t rows(std::size_t s) const {
    return static_cast<std::size_t>(starts[2 * s + 2] - starts[2 * s]);
  }

  // Call body(subgroup) for every subgroup.
  template <class Body>
  void each(Body&& body) const {
    each_subgroup(size, static_cast<std::size_t>(starts[2 * size]), body);
  }

  // Call group(score, negatives, positives) for each distinct score of a subgroup, rising.
  template <class Group>
  void groups(std::size_t s, Group&& group) const {
    for (const std::uint64_t half : {std::uint64_t{0}, kUpperHalf<std::uint64_t>}) {
      const std::int64_t* const ends = starts + 2 * s + (half != 0);
      for (std::int64_t i = ends[0]; i < ends[1];) {
        const std::int64_t first = i;
        const std::uint64_t rank = keys[i] >> 1;
        std::int64_t positives = 0;
        for (; i < ends[1] && keys[i] >> 1 == rank; ++i) positives += keys[i] & 1;
        group(score_of<double>(rank | half), static_cast<double>(i - first - positives),
              static_cast<double>(positives));
      }
    }
  }
};

// Write how many distinct scores each subgroup has.
inline void subgroup_groups(Vector<const std::uint64_t> keys, Vector<const std::int64_t> starts,
                         Vector<std::int64_t> groups) {
  const SortedSubgroups subgroups(keys, starts);
  subgroups.each([&](std::size_t s) {
    groups[s] = 0;
    subgroups.groups(s, [&](double, double, double) { ++groups[s]; });
  });
}

// Write the distinct scores of each subgroup from ends[subgroup] on, and the counts of both classes.
inline void subgroup_lines(Vector<const std::uint64_t> keys, Vector<const std::int64_t> starts,
                        Vector<const std::int64_t> ends, Vector<double> scores,
                        Table<double> counts) {
  const SortedSubgroups subgroups(keys, starts);
  subgroups.each([&](std::size_t s) {
    std::int64_t line = ends[s];
    subgroups.groups(s, [&](double score, double negatives, double positives) {
      double* const count = counts.data() + 2 * line;
      scores[line++] = score, count[0] = negatives, count[1] = positives;
    });
  });
}

// Write the rows of each subgroups by true class, and by whether their score is at or above a threshold.
inline void subgroup_cut(Vector<const std::uint64_t> keys, Vector<const std::int64_t> starts,
                      double threshold, Table<double> table) {
  const SortedSubgroups subgroups(keys, starts);
  subgroups.each([&](std::size_t s) {
    double cells[4] = {};
    subgroups.groups(s, [&](double score, double negatives, double positives) {
      const bool above = score >= threshold;
      cells[above] += negatives, cells[2 + above] += positives;
    });
    std::copy_n(cells, 4, table.data() + 4 * s);
  });
}

// One subgroup's distinct scores from the lowest up, with the weight of its positives and of the
// others at each, and the sums of their squares (the weights themselves where each is 1).
struct Lines {
  std::size_t size;
  const double *score, *pos, *neg, *pos2, *neg2;
};

constexpr std::size_t kOfArea = 6;  // positives, negatives, their squares, area, its variance
constexpr std::size_t kOfLoss = 6;  // value, error, degrees of freedom; sums of w l, w² l, w² l²

// The area under the ROC curve and DeLong's variance of it, as judge/delong.py has them.
inline void area_of(const Lines& l, std::vector<double>& scratch, double* out) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double p = 0, n = 0, p2 = 0, n2 = 0;
  for (std::size_t i = 0; i < l.size; ++i)
    p += l.pos[i], n += l.neg[i], p2 += l.pos2[i], n2 += l.neg2[i];
  out[0] = p, out[1] = n, out[2] = p2, out[3] = n2, out[4] = out[5] = nan;
  if (!(p > 0 && n > 0)) return;
  scratch.resize(2 * l.size);
  double *of_pos = scratch.data(), *of_neg = of_pos + l.size;
  double below = 0, under = 0, total = 0;
  for (std::size_t i = 0; i < l.size; ++i) {
    below += l.neg[i], under += l.pos[i];
    of_pos[i] = (below - l.neg[i] / 2) / n;
    of_neg[i] = 1 - (under - l.pos[i] / 2) / p;
    total += l.pos[i] * of_pos[i];
  }
  const double area = out[4] = total / p;
  const double rows_p = p * p / p2, rows_n = n * n / n2;
  if (rows_p <= 1 || rows_n <= 1) return;
  double spread_p = 0, spread_n = 0;
  for (std::size_t i = 0; i < l.size; ++i) {
    spread_p += l.pos2[i] * (of_pos[i] - area) * (of_pos[i] - area);
    spread_n += l.neg2[i] * (of_neg[i] - area) * (of_neg[i] - area);
  }
  out[5] = spread_p / (p * p) * rows_p / (rows_p - 1) + spread_n / (n * n) * rows_n / (rows_n - 1);
}

enum Loss { kBrier, kAbsolute, kRoot, kLog, kLosses };

inline double loss_of(int kind, double off) {
  if (kind == kAbsolute) return off;
  return kind == kLog ? -std::log1p(-off) : off * off;
}

// A mean of the losses of rows (its root for kRoot), and the jackknife's error and degrees of
// freedom as judge/jackknife.py has them: rows are left out one by one, the equal ones at once.
inline void loss_in(const Lines& l, int kind, std::vector<double>& scratch, double* out) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  scratch.resize(3 * 2 * l.size);
  double *loss = scratch.data(), *weight = loss + 2 * l.size, *rows = weight + 2 * l.size;
  std::size_t cells = 0;
  double whole = 0, sum = 0;
  for (std::size_t i = 0; i < l.size; ++i) {
    const double p = l.score[i];
    for (int truth = 0; truth < 2; ++truth) {
      const double c = truth ? l.pos[i] : l.neg[i], c2 = truth ? l.pos2[i] : l.neg2[i];
      if (!(c > 0)) continue;
      // 1 - p of a positive is exact where it matters for the logarithm of p near 0 as well.
      loss[cells] = kind == kLog && truth ? -std::log(p) : loss_of(kind, truth ? 1 - p : p);
      weight[cells] = c2 / c;
      rows[cells] = c * c / c2;
      whole += c;
      sum += c * loss[cells++];
    }
  }
  const double mean = sum / whole, value = kind == kRoot ? std::sqrt(mean) : mean;
  out[0] = value, out[1] = out[2] = nan;
  out[3] = sum, out[4] = out[5] = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    const double square = weight[i] * weight[i] * rows[i];
    out[4] += square * loss[i], out[5] += square * loss[i] * loss[i];
  }
  if (!std::isfinite(value)) return;
  double n = 0, middle = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    const double u = weight[i], left = whole - u;
    if (!(left > 0)) return;
    double slope = (mean - loss[i]) / left;
    if (kind == kRoot) slope = (std::sqrt(std::max(sum - u * loss[i], 0.0) / left) - value) / u;
    loss[i] = slope;
    middle += u * rows[i] * slope;
    n += rows[i];
  }
  middle /= whole;
  double second = 0, fourth = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    const double move = weight[i] * (loss[i] - middle), square = move * move;
    second += rows[i] * square;
    fourth += rows[i] * square * square;
  }
  out[1] = std::sqrt((n - 1) / n * second);
  const double spread = fourth - second * second / std::max(n, 1.0);
  if (spread > 1e-12 * second * second)
    out[2] = std::max(2 * second * second / spread, 1.0);
  else if (second > 0)
    out[2] = std::numeric_limits<double>::infinity();
}

// Write the area of a subgroup, and each of the losses asked for: kOfArea + kOfLoss * losses numbers.
inline void judge_lines(const Lines& l, Vector<const std::int64_t> losses,
                        std::vector<double>& scratch, double* out) {
  area_of(l, scratch, out);
  for (std::size_t k = 0; k < losses.size(); ++k)
    loss_in(l, static_cast<int>(losses[k]), scratch, out + kOfArea + kOfLoss * k);
}

inline void judge_keys(Vector<const std::uint64_t> keys, Vector<const std::int64_t> starts,
                       bool positive, Vector<const std::int64_t> losses, Table<double> out) {
  const SortedSubgroups subgroups(keys, starts);
  subgroups.each([&](std::size_t s) {
    std::vector<double> lines(3 * subgroups.rows(s)), scratch;
    double *const score = lines.data(), *const pos = score + subgroups.rows(s);
    double* const neg = pos + subgroups.rows(s);
    std::size_t size = 0;
    subgroups.groups(s, [&](double at, double negatives, double positives) {
      score[size] = at;
      pos[size] = positive ? positives : negatives;
      neg[size++] = positive ? negatives : positives;
    });
    judge_lines({size, score, pos, neg, pos, neg}, losses, scratch,
                out.data() + out.shape(1) * s);
  });
}

// counts and squares [line, 2] by true class; squares may be counts.
inline void judge_counts(Vector<const double> scores, Table<const double> counts,
                         Table<const double> squares, Vector<const std::int64_t> ends,
                         bool positive, Vector<const std::int64_t> losses, Table<double> out) {
  const std::size_t size = ends.size() - 1;
  each_subgroup(size, static_cast<std::size_t>(ends[size]), [&](std::size_t s) {
    const std::size_t first = ends[s], n = ends[s + 1] - ends[s];
    std::vector<double> lines(4 * n), scratch;
    double *const pos = lines.data(), *const neg = pos + n;
    double *const pos2 = neg + n, *const neg2 = pos2 + n;
    for (std::size_t i = 0; i < n; ++i) {
      const double* const count = counts.data() + 2 * (first + i);
      const double* const square = squares.data() + 2 * (first + i);
      pos[i] = count[positive], neg[i] = count[!positive];
      pos2[i] = square[positive], neg2[i] = square[!positive];
    }
    judge_lines({n, scores.data() + first, pos, neg, pos2, neg2}, losses, scratch,
                out.data() + out.shape(1) * s);
  });
}

}  // namespace tallymark
