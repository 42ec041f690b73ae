// Rows of many slices at once: put in the order of slice and score, and judged slice by slice.
//
// The keys of order.hpp are kept slice by slice: bucket 2s holds those of the scores of slice s that
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
#include <vector>

#include "order.hpp"
#include "parallel.hpp"

namespace tallymark {

// The rank of a score without its highest bit, which the bucket tells, and the label.
inline std::uint64_t slice_key(double score, bool positive) {
  return rank_of(score) << 1 | std::uint64_t{positive};
}

inline double score_in_slice(std::uint64_t key, bool below_zero) {
  return score_of(key >> 1 | (below_zero ? 0 : kUpperHalf<std::uint64_t>), double{});
}

// Call body(slice) for every slice, on several cores where there are many rows: slices may differ
// much in size, so that each core takes the next few when it is done.
template <class Body>
void each_slice(std::size_t slices, std::size_t rows, Body&& body) {
  std::atomic<std::size_t> next{0};
  constexpr std::size_t few = 16;
  split(slices, std::min(workers(rows, std::size_t{1} << 16), std::max<std::size_t>(slices, 1)),
        [&](std::size_t, std::size_t, std::size_t) {
          for (std::size_t s; (s = next.fetch_add(few)) < slices;)
            for (std::size_t i = s; i < std::min(s + few, slices); ++i) body(i);
        });
}

// Write the keys of all rows bucket by bucket, unsorted; starts[2 slices + 1] is where each begins.
inline void slice_rows(const std::int64_t* slices, const std::int8_t* codes, const double* scores,
                       std::size_t n, std::size_t size, std::uint64_t* keys,
                       std::int64_t* starts) {
  const std::size_t count = workers(n), buckets = 2 * size;
  std::vector<std::vector<std::int64_t>> to(count, std::vector<std::int64_t>(buckets, 0));
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::int64_t* mine = to[w].data();
    for (std::size_t i = begin; i < end; ++i) ++mine[2 * slices[i] + (scores[i] >= 0)];
  });
  std::int64_t at = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    starts[b] = at;
    for (auto& mine : to) {
      const std::int64_t found = mine[b];
      mine[b] = at;
      at += found;
    }
  }
  starts[buckets] = at;
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::int64_t* mine = to[w].data();
    for (std::size_t i = begin; i < end; ++i)
      keys[mine[2 * slices[i] + (scores[i] >= 0)]++] = slice_key(scores[i], codes[i] != 0);
  });
}

// Write the order of rows by slice and score.
inline void slice_order(const std::int64_t* slices, const double* scores, std::size_t n,
                        std::size_t size, std::int64_t* order) {
  std::vector<std::size_t> starts(size + 1, 0);
  for (std::size_t i = 0; i < n; ++i) ++starts[slices[i] + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::size_t> to(starts.begin(), starts.end() - 1);
  for (std::size_t i = 0; i < n; ++i) order[to[slices[i]]++] = static_cast<std::int64_t>(i);
  each_slice(size, n, [&](std::size_t s) {
    std::sort(order + starts[s], order + starts[s + 1], [&](std::int64_t a, std::int64_t b) {
      return scores[a] < scores[b] || (scores[a] == scores[b] && a < b);
    });
  });
}

// Write how many distinct scores each slice has.
inline void slice_groups(const std::uint64_t* keys, const std::int64_t* starts, std::size_t size,
                         std::int64_t* groups) {
  each_slice(size, starts[2 * size], [&](std::size_t s) {
    std::int64_t found = 0;
    for (const std::size_t bucket : {2 * s, 2 * s + 1})
      for (std::int64_t i = starts[bucket]; i < starts[bucket + 1]; ++i)
        found += i == starts[bucket] || keys[i] >> 1 != keys[i - 1] >> 1;
    groups[s] = found;
  });
}

// Write the distinct scores of each slice from ends[slice] on, and the counts of both classes.
inline void slice_lines(const std::uint64_t* keys, const std::int64_t* starts,
                        const std::int64_t* ends, std::size_t size, double* scores, double* counts) {
  each_slice(size, starts[2 * size], [&](std::size_t s) {
    std::size_t line = ends[s];
    for (std::int64_t i = starts[2 * s], e = starts[2 * s + 2]; i < e; ++line) {
      const bool below = i < starts[2 * s + 1];
      const std::int64_t limit = below ? starts[2 * s + 1] : e, first = i;
      const std::uint64_t score = keys[i] >> 1;
      std::int64_t found = 0;
      for (; i < limit && keys[i] >> 1 == score; ++i) found += keys[i] & 1;
      scores[line] = score_in_slice(keys[first], below);
      counts[2 * line] = static_cast<double>(i - first - found);
      counts[2 * line + 1] = static_cast<double>(found);
    }
  });
}

// Write the rows of each slice by true class, and by whether their score is at or above a threshold.
inline void slice_cut(const std::uint64_t* keys, const std::int64_t* starts, std::size_t size,
                      double threshold, double* table) {
  const bool below_zero = threshold < 0;
  const std::uint64_t cut = slice_key(threshold, false) >> 1;
  each_slice(size, starts[2 * size], [&](std::size_t s) {
    std::int64_t found[4] = {0, 0, 0, 0};
    const std::int64_t a = starts[2 * s], b = starts[2 * s + 1], e = starts[2 * s + 2];
    for (std::int64_t i = a; i < e; ++i) {
      const bool low = i < b, above = low ? below_zero && keys[i] >> 1 >= cut
                                          : below_zero || keys[i] >> 1 >= cut;
      ++found[2 * (keys[i] & 1) + above];
    }
    for (int c = 0; c < 4; ++c) table[4 * s + c] = static_cast<double>(found[c]);
  });
}

// One slice's distinct scores from the lowest up, with the weight of its positives and of the
// others at each, and the sums of their squares (the weights themselves where each is 1).
struct Lines {
  std::size_t size;
  const double *score, *pos, *neg, *pos2, *neg2;
};

constexpr std::size_t kOfArea = 6;  // positives, negatives, their squares, area, its variance
constexpr std::size_t kOfLoss = 6;  // value, error, degrees of freedom; sums of w l, w² l, w² l²

// The area under the ROC curve and DeLong's variance of it, as judge/delong.py has them.
inline void area_of(const Lines& l, std::vector<double>& room, double* out) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double p = 0, n = 0, p2 = 0, n2 = 0;
  for (std::size_t i = 0; i < l.size; ++i)
    p += l.pos[i], n += l.neg[i], p2 += l.pos2[i], n2 += l.neg2[i];
  out[0] = p, out[1] = n, out[2] = p2, out[3] = n2, out[4] = out[5] = nan;
  if (!(p > 0 && n > 0)) return;
  room.resize(2 * l.size);
  double *of_pos = room.data(), *of_neg = of_pos + l.size;
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
inline void loss_in(const Lines& l, int kind, std::vector<double>& room, double* out) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  room.resize(3 * 2 * l.size);
  double *loss = room.data(), *weight = loss + 2 * l.size, *rows = weight + 2 * l.size;
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

// out[slice, kOfArea + kOfLoss * losses]: the area, and each of the losses asked for.
inline void judge_lines(const Lines& l, const std::int64_t* losses, std::size_t asked,
                        std::vector<double>& room, double* out) {
  area_of(l, room, out);
  for (std::size_t k = 0; k < asked; ++k)
    loss_in(l, static_cast<int>(losses[k]), room, out + kOfArea + kOfLoss * k);
}

inline void judge_keys(const std::uint64_t* keys, const std::int64_t* starts, std::size_t size,
                       bool positive, const std::int64_t* losses, std::size_t asked, double* out) {
  const std::size_t width = kOfArea + kOfLoss * asked;
  each_slice(size, starts[2 * size], [&](std::size_t s) {
    static thread_local std::vector<double> lines, room;
    const std::int64_t a = starts[2 * s], b = starts[2 * s + 1], e = starts[2 * s + 2];
    lines.resize(3 * (e - a));
    double *score = lines.data(), *pos = score + (e - a), *neg = pos + (e - a);
    std::size_t line = 0;
    std::uint64_t previous = 0;
    for (std::int64_t i = a; i < e; ++i) {
      const std::uint64_t found = keys[i] >> 1, own = (keys[i] & 1) == positive;
      if (i == a || i == b || found != previous) {
        score[line] = score_in_slice(keys[i], i < b);
        pos[line] = neg[line] = 0;
        ++line;
      }
      previous = found;
      pos[line - 1] += static_cast<double>(own);
      neg[line - 1] += static_cast<double>(1 - own);
    }
    judge_lines({line, score, pos, neg, pos, neg}, losses, asked, room, out + width * s);
  });
}

// counts and squares [line, 2] by true class; squares may be counts.
inline void judge_counts(const double* scores, const double* counts, const double* squares,
                         const std::int64_t* ends, std::size_t size, bool positive,
                         const std::int64_t* losses, std::size_t asked, double* out) {
  const std::size_t width = kOfArea + kOfLoss * asked;
  each_slice(size, ends[size], [&](std::size_t s) {
    static thread_local std::vector<double> lines, room;
    const std::size_t first = ends[s], n = ends[s + 1] - ends[s];
    lines.resize(4 * n);
    double *pos = lines.data(), *neg = pos + n, *pos2 = neg + n, *neg2 = pos2 + n;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = 2 * (first + i);
      pos[i] = counts[at + positive], neg[i] = counts[at + !positive];
      pos2[i] = squares[at + positive], neg2[i] = squares[at + !positive];
    }
    judge_lines({n, scores + first, pos, neg, pos2, neg2}, losses, asked, room, out + width * s);
  });
}

}  // namespace tallymark
