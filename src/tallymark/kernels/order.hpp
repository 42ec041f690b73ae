// Order scores: each becomes an unsigned integer that sorts as the score does (its rank), with the
// row's label in the lowest bit, so that a plain sort of integers orders scores and labels together.
//
// The label costs the rank its highest bit, so the lower and the upper half of all ranks (of doubles,
// those below zero and the others) are kept apart. Pivots of a sample cut the halves further, into
// buckets that fit a core's cache: they are sorted and read one by one, by as many cores as there
// are, and what lies in two buckets need not be compared. No bit of a score is lost.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "parallel.hpp"

namespace tallymark {

template <class Rank>
constexpr Rank kUpperHalf = Rank{1} << (std::numeric_limits<Rank>::digits - 1);

template <class To, class From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// Of floating scores: negative ones have all their bits turned, others the sign alone.
template <class Rank, class Float>
Rank rank_of_float(Float x) {
  const Rank bits = bits_as<Rank>(x + Float{0});  // -0.0 becomes 0.0
  const Rank negative = bits >> (std::numeric_limits<Rank>::digits - 1);
  return bits ^ (kUpperHalf<Rank> | (Rank{0} - negative));
}

// A number of 16 bits, half of a float.
struct Half {
  std::uint16_t bits;
};

inline std::uint64_t rank_of(double x) { return rank_of_float<std::uint64_t>(x); }
inline std::uint32_t rank_of(float x) { return rank_of_float<std::uint32_t>(x); }
inline std::uint32_t rank_of(std::uint32_t x) { return x; }
inline std::uint32_t rank_of(std::int32_t x) {
  return static_cast<std::uint32_t>(x) ^ kUpperHalf<std::uint32_t>;
}
inline std::uint32_t rank_of(Half x) {
  const std::uint32_t bits = x.bits == 0x8000u ? 0 : std::uint32_t{x.bits} << 16;
  return bits ^ (kUpperHalf<std::uint32_t> | (0u - (bits >> 31)));
}

// What scores are ranked as: short integers as 32 bits, and the longest as the doubles they are
// rounded to, so that an array of them ranks as its copy in doubles would.
template <class Score>
using Ranked = std::conditional_t<
    !std::is_integral_v<Score>, Score,
    std::conditional_t<sizeof(Score) == 8, double,
                       std::conditional_t<sizeof(Score) == 4, Score, std::int32_t>>>;

template <class Score>
using RankOf = decltype(rank_of(Ranked<Score>{}));

// Whether a score is infinite or NaN: adding one to an exponent whose bits are all set carries into
// the highest bit. Integers, since a compiler reads several of them at once.
template <class Score>
bool all_finite(const Score* x, std::size_t n) {
  if constexpr (std::is_integral_v<Score>) {
    return true;
  } else {
    using Bits = std::conditional_t<
        sizeof(Score) == 8, std::uint64_t,
        std::conditional_t<sizeof(Score) == 4, std::uint32_t, std::uint16_t>>;
    constexpr int fraction = sizeof(Score) == 8 ? 52 : sizeof(Score) == 4 ? 23 : 10;
    constexpr int digits = std::numeric_limits<Bits>::digits;
    constexpr Bits top = static_cast<Bits>(Bits{1} << (digits - 1));
    constexpr Bits one = static_cast<Bits>(Bits{1} << fraction), exponent = top - one;
    Bits carried = 0;
    for (std::size_t i = 0; i < n; ++i)
      carried |= static_cast<Bits>((bits_as<Bits>(x[i]) & exponent) + one);
    return !(carried & top);
  }
}

inline double score_of(std::uint64_t rank, double) {
  return bits_as<double>(rank & kUpperHalf<std::uint64_t> ? rank ^ kUpperHalf<std::uint64_t> : ~rank);
}
inline double score_of(std::uint32_t rank, float) {
  return bits_as<float>(rank & kUpperHalf<std::uint32_t> ? rank ^ kUpperHalf<std::uint32_t> : ~rank);
}
inline double score_of(std::uint32_t rank, std::uint32_t) { return rank; }
inline double score_of(std::uint32_t rank, std::int32_t) {
  return static_cast<std::int32_t>(rank ^ kUpperHalf<std::uint32_t>);
}
inline double score_of(std::uint32_t rank, Half) {
  const bool below = !(rank & kUpperHalf<std::uint32_t>);
  const std::uint32_t bits = ((below ? ~rank : rank) >> 16) & 0x7fffu;
  const int exponent = static_cast<int>(bits >> 10), fraction = static_cast<int>(bits & 0x3ffu);
  const double size = exponent ? std::ldexp(1024 + fraction, exponent - 25)
                               : std::ldexp(fraction, -24);
  return below ? -size : size;
}

// Which label is positive: 1 for every row of it, 0 for the others, and whether all of these are
// rows of the negative one.
struct TwoLabels {
  const void* labels;
  std::int64_t negative, positive;
  bool (*read)(const TwoLabels&, std::size_t begin, std::size_t rows, std::uint8_t* to);
};

template <class T>
TwoLabels two_labels(const T* labels, std::int64_t negative, std::int64_t positive) {
  return {labels, negative, positive,
          [](const TwoLabels& of, std::size_t begin, std::size_t rows, std::uint8_t* to) {
            using Bits = std::make_unsigned_t<T>;
            const T* from = static_cast<const T*>(of.labels) + begin;
            const T low = static_cast<T>(of.negative), high = static_cast<T>(of.positive);
            // A label that the type cannot hold equals none of its values.
            const bool has_low = static_cast<std::int64_t>(low) == of.negative;
            const bool has_high = static_cast<std::int64_t>(high) == of.positive;
            if (!has_low || !has_high) {
              std::fill_n(to, rows, static_cast<std::uint8_t>(has_high));
              return (has_low || has_high) &&
                     std::all_of(from, from + rows, [=](T x) { return x == (has_high ? high : low); });
            }
            // One bit in which the two differ tells them apart; the others must follow it. No
            // comparison, so that a compiler reads several labels at once.
            const Bits start = static_cast<Bits>(low);
            const Bits change = static_cast<Bits>(start ^ static_cast<Bits>(high));
            int bit = 0;
            while (!(change >> bit & 1)) ++bit;
            Bits astray = 0;
            for (std::size_t i = 0; i < rows; ++i) {
              const Bits changed = static_cast<Bits>(static_cast<Bits>(from[i]) ^ start);
              const Bits is_high = changed >> bit & 1;
              astray |= static_cast<Bits>(changed ^ (change & (Bits{0} - is_high)));
              to[i] = static_cast<std::uint8_t>(is_high);
            }
            return astray == 0;
          }};
}

// Which bucket a rank goes into. Either half of the ranks is cut into cells of equal width, and
// every cell lies in one bucket: two loads a row, wherever the scores are.
template <class Rank>
class Buckets {
 public:
  // A bucket and a label share a byte.
  static constexpr std::size_t kMost = 128;

  std::size_t lower = 1, all = 2;  // buckets of the lower half, and of both

  // Of a sample of the ranks: about equally many of them in each of at most so many buckets.
  Buckets(std::vector<Rank> sample, std::size_t wanted) {
    for (const std::size_t h : {0, 1}) cells_[h].fill(static_cast<std::uint8_t>(h));
    if (wanted <= 2) return;
    std::sort(sample.begin(), sample.end());
    const auto middle = std::lower_bound(sample.begin(), sample.end(), kUpperHalf<Rank>);
    const std::size_t full = sample.size() / (wanted - 2);
    std::uint8_t bucket = 0;
    for (const std::size_t h : {0, 1}) {
      const auto begin = h ? middle : sample.begin(), end = h ? sample.end() : middle;
      const auto size = end - begin;
      if (size) {
        // One in a hundred on either side shares the outermost cell with all beyond.
        Half& half = halves_[h];
        half.first = begin[size / 100];
        const Rank width = begin[size - 1 - size / 100] - half.first;
        for (half.shift = 0; width >> half.shift >= kCells;) ++half.shift;
      }
      std::array<std::size_t, kCells> rows{};
      for (auto rank = begin; rank != end; ++rank) ++rows[cell(*rank, halves_[h])];
      std::size_t filled = 0;
      for (std::size_t c = 0; c < kCells; ++c) {
        cells_[h][c] = bucket;
        filled += rows[c];
        if (filled >= full && c + 1 < kCells) ++bucket, filled = 0;
      }
      ++bucket;
      if (h == 0) lower = bucket;
    }
    all = bucket;
  }

  // Write which bucket each of n ranks goes into. They are mostly of one half, whose measures then
  // stay in registers.
  template <class RankAt>
  void assign(RankAt rank_at, std::size_t n, std::uint8_t* buckets) const {
    constexpr int top = std::numeric_limits<Rank>::digits - 1;
    Rank some = 0, every = static_cast<Rank>(~Rank{0});
    for (std::size_t i = 0; i < n; ++i) some |= rank_at(i), every &= rank_at(i);
    if (some >> top == every >> top) {
      const Half half = halves_[some >> top];
      const std::uint8_t* const cells = cells_[some >> top].data();
      for (std::size_t i = 0; i < n; ++i) buckets[i] = cells[cell(rank_at(i), half)];
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Rank rank = rank_at(i);
      const auto h = static_cast<std::size_t>(rank >> top);
      buckets[i] = cells_[h][cell(rank, halves_[h])];
    }
  }

 private:
  static constexpr std::size_t kCells = std::size_t{1} << 12;
  struct Half {
    Rank first = 0;
    int shift = 0;
  };

  static std::size_t cell(Rank rank, Half half) {
    const Rank above = rank > half.first ? static_cast<Rank>(rank - half.first) : Rank{0};
    return static_cast<std::size_t>(std::min<Rank>(above >> half.shift, kCells - 1));
  }

  std::array<Half, 2> halves_;
  std::array<std::array<std::uint8_t, kCells>, 2> cells_;
};

// A row's key: its rank less the highest bit, and its label. It sorts as a signed integer, which
// processors compare in one step, and keeps the lowest bit for the label.
template <class Rank>
Rank key_of(Rank rank, std::size_t label) {
  return static_cast<Rank>(rank << 1 | static_cast<Rank>(label)) ^ kUpperHalf<Rank>;
}
template <class Rank>
Rank rank_in(Rank key, Rank half) {
  return static_cast<Rank>((key ^ kUpperHalf<Rank>) >> 1 | half);
}

struct Partition {
  std::vector<std::size_t> starts;  // where each bucket of keys begins, and the last one's end
  std::size_t lower = 0;            // how many of the buckets hold ranks of the lower half
  bool bad = false;                 // a score is not finite, or a label is neither of the two
};

template <class Score>
std::vector<RankOf<Score>> sampled(const Score* scores, std::size_t n, std::size_t size) {
  std::vector<RankOf<Score>> sample(size);
  std::uint64_t at = 0;
  for (auto& rank : sample) {
    // Steps of the golden ratio: no pattern of the rows is met at every one of them.
    at += 0x9E3779B97F4A7C15u;
    rank = rank_of(Ranked<Score>(scores[static_cast<std::size_t>(
        static_cast<double>(at >> 11) * 0x1p-53 * static_cast<double>(n))]));
  }
  return sample;
}

// Fill keys with the rows' ranks and labels, bucket by bucket.
template <class Score>
Partition partition(const TwoLabels& labels, const Score* scores, std::size_t n,
                    RankOf<Score>* keys) {
  using Rank = RankOf<Score>;
  using Into = Buckets<Rank>;
  const std::size_t wanted = std::min(n >> 14, Into::kMost);
  const Into into(sampled(scores, n, wanted > 2 ? 128 * wanted : 0), wanted);
  const std::size_t count = parts(n);
  constexpr std::size_t block = 2048;

  // A row's bucket and label, so that neither is looked up again when its key is put in place.
  const std::unique_ptr<std::uint8_t[]> places(new std::uint8_t[n]);
  std::vector<std::array<std::size_t, Into::kMost>> sizes(count);
  std::vector<char> bad(count, 0);
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::array<std::size_t, Into::kMost> size{};
    for (std::size_t start = begin; start < end; start += block) {
      const std::size_t rows = std::min(block, end - start);
      const Score* x = scores + start;
      std::array<std::uint8_t, block> positive, bucket;
      if (!labels.read(labels, start, rows, positive.data()) || !all_finite(x, rows)) {
        bad[w] = 1;
        return;
      }
      // Bytes of their own for each step: what is written could else be what is read next.
      into.assign([x](std::size_t i) { return rank_of(Ranked<Score>(x[i])); }, rows, bucket.data());
      std::uint8_t* place = places.get() + start;
      for (std::size_t i = 0; i < rows; ++i)
        place[i] = static_cast<std::uint8_t>(bucket[i] << 1 | positive[i]);
      for (std::size_t i = 0; i < rows; ++i) ++size[bucket[i]];
    }
    sizes[w] = size;
  });

  Partition out;
  out.bad = std::any_of(bad.begin(), bad.end(), [](char b) { return b != 0; });
  if (out.bad) return out;
  out.lower = into.lower;
  out.starts.assign(into.all + 1, 0);
  for (std::size_t b = 0; b < into.all; ++b) {
    out.starts[b + 1] = out.starts[b];
    for (auto& size : sizes) {  // where this worker's keys of the bucket begin
      const std::size_t rows = size[b];
      size[b] = out.starts[b + 1];
      out.starts[b + 1] += rows;
    }
  }
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::array<Rank*, Into::kMost> to;
    for (std::size_t b = 0; b < into.all; ++b) to[b] = keys + sizes[w][b];
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t place = places[i];
      *to[place >> 1]++ = key_of(rank_of(Ranked<Score>(scores[i])), place & 1);
    }
  });
  return out;
}

// Of a sorted bucket: pairs (positive row, negative row) where the negative is lower, or not
// higher; its negative rows; its distinct scores.
struct Scan {
  std::uint64_t lower = 0, not_higher = 0, negatives = 0, groups = 0;
};

template <class Key>
Scan scan(const Key* keys, std::size_t n) {
  Scan out;
  std::uint64_t before = 0;  // negatives in lower groups
  constexpr std::size_t block = 1024;
  for (std::size_t start = 0; start < n; start += block) {
    const std::size_t rows = std::min(block, n - start);
    const Key* key = keys + start;
    const Key first = start ? key[-1] >> 1 : static_cast<Key>(~(key[0] >> 1));
    // Where no two scores are equal, sums tell all: every positive sees the negatives before the
    // block, and as many inside as rows come first that are not positive.
    Key positives = key[0] & 1, places = 0, ties = key[0] >> 1 == first;
    for (std::size_t i = 1; i < rows; ++i) {
      const Key positive = key[i] & 1;
      positives += positive;
      places += positive * static_cast<Key>(i);
      ties += (key[i] ^ key[i - 1]) < 2;
    }
    if (ties == 0) {
      const std::uint64_t p = positives;
      const std::uint64_t seen = p * out.negatives + places - p * (p - (p > 0)) / 2;
      out.lower += seen;
      out.not_higher += seen;
      out.negatives += rows - p;
      out.groups += rows;
      before = out.negatives - ((key[rows - 1] & 1) ^ 1);
      continue;
    }
    Key previous = first;
    std::uint64_t seen = out.negatives;
    for (std::size_t i = 0; i < rows; ++i) {
      const Key score = key[i] >> 1;
      const std::uint64_t positive = key[i] & 1, same = score == previous;
      before = seen ^ ((seen ^ before) & (0 - same));  // a branch would be mispredicted
      previous = score;
      // Within a group the negatives come first, so all its positives see all of them.
      out.lower += before & (0 - positive);
      out.not_higher += seen & (0 - positive);
      out.groups += 1 - same;
      seen += positive ^ 1;
    }
    out.negatives = seen;
  }
  return out;
}

// Write the distinct scores of a sorted bucket, so many, and how many negatives and positives have
// each.
template <class Score>
void fill_groups(const RankOf<Score>* keys, std::size_t n, bool upper, std::size_t groups,
                 double* scores, double* negatives, double* positives) {
  using Rank = RankOf<Score>;
  const Rank top = upper ? kUpperHalf<Rank> : Rank{0};
  if (groups == n) {  // no two rows share a score
    for (std::size_t i = 0; i < n; ++i) {
      const double positive = static_cast<double>(static_cast<int>(keys[i] & 1));
      scores[i] = score_of(rank_in(keys[i], top), Score{});
      positives[i] = positive;
      negatives[i] = 1 - positive;
    }
    return;
  }
  std::size_t group = 0;
  for (std::size_t i = 0; i < n;) {
    const Rank rank = rank_in(keys[i], top);
    const std::size_t start = i;
    std::size_t found = 0;
    for (; i < n && rank_in(keys[i], top) == rank; ++i) found += keys[i] & 1;
    scores[group] = score_of(rank, Score{});
    negatives[group] = static_cast<double>(i - start - found);
    positives[group] = static_cast<double>(found);
    ++group;
  }
}

// Of a sorted bucket of doubles no two of which are equal: write the scores where the keys were, and
// how many rows of either class the highest of them hold, one, two ... n, with those above the
// bucket, of which so many are positive.
inline void fill_single(std::uint64_t* keys, std::size_t n, bool upper, std::size_t above,
                        std::size_t positives, double* tp, double* fp) {
  const std::uint64_t top = upper ? kUpperHalf<std::uint64_t> : 0;
  constexpr std::size_t block = 512;
  std::array<std::uint64_t, block> scores;
  auto hits = static_cast<std::int64_t>(positives);
  for (std::size_t k = 0, rows; k < n; k += rows) {  // from the highest score down
    rows = std::min(block, n - k);
    std::uint64_t* const from = keys + (n - k - rows);
    const auto before = static_cast<std::int64_t>(above + k + 1);
    for (std::size_t i = 0; i < rows; ++i) {
      hits += static_cast<std::int64_t>(from[rows - 1 - i] & 1);
      tp[k + i] = static_cast<double>(hits);
      fp[k + i] = static_cast<double>(before + static_cast<std::int64_t>(i) - hits);
    }
    for (std::size_t i = 0; i < rows; ++i)
      scores[i] = bits_as<std::uint64_t>(score_of(rank_in(from[i], top), double{}));
    std::copy_n(scores.begin(), rows, from);
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
