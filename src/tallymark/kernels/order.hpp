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
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.hpp"
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

inline std::uint64_t rank_of(double x) { return rank_of_float<std::uint64_t>(x); }
inline std::uint32_t rank_of(float x) { return rank_of_float<std::uint32_t>(x); }
template <class Int, std::enable_if_t<std::is_integral_v<Int>, int> = 0>
auto rank_of(Int x) {
  using Rank = std::make_unsigned_t<Int>;
  return static_cast<Rank>(x) ^ (std::is_signed_v<Int> ? kUpperHalf<Rank> : Rank{0});
}

template <class Score>
using RankOf = decltype(rank_of(Score{}));

// Whether a score is infinite or NaN: adding one to an exponent whose bits are all set carries into
// the highest bit. Integers, since a compiler reads several of them at once.
template <class Score>
bool all_finite(const Score* x, std::size_t n) {
  if constexpr (std::is_integral_v<Score>) {
    return true;
  } else {
    using Bits = RankOf<Score>;
    constexpr Bits one = Bits{1} << (std::numeric_limits<Score>::digits - 1);
    constexpr Bits exponent = kUpperHalf<Bits> - one;
    Bits carried = 0;
    for (std::size_t i = 0; i < n; ++i) carried |= (bits_as<Bits>(x[i]) & exponent) + one;
    return !(carried & kUpperHalf<Bits>);
  }
}

template <class Score>
double score_of(RankOf<Score> rank) {
  using Rank = RankOf<Score>;
  constexpr Rank upper = kUpperHalf<Rank>;
  if constexpr (std::is_floating_point_v<Score>)
    return bits_as<Score>(rank & upper ? rank ^ upper : ~rank);
  else
    return static_cast<double>(static_cast<Score>(std::is_signed_v<Score> ? rank ^ upper : rank));
}

// Labels of two classes: the lower one, 0 or -1, and 1, which is the positive one or the other.
struct TwoLabels {
  AnyVector labels;
  int lower;
  bool upper_positive;

  // Write 1 for each positive row and 0 for the others; false where a label is neither of the two.
  bool read(std::size_t begin, std::size_t rows, std::uint8_t* positive) const {
    return with_integers(labels, [&](const auto* first) {
      using Label = std::remove_const_t<std::remove_pointer_t<decltype(first)>>;
      using Bits = std::make_unsigned_t<Label>;
      if (lower < 0 && !std::is_signed_v<Label>) return false;
      const Label* const label = first + begin;
      // The two differ by 1 or 2, a single bit of what they are above the lower one. No
      // comparison, so that a compiler reads several labels at once.
      const auto low = static_cast<Bits>(lower), gap = static_cast<Bits>(1 - lower);
      const int shift = -lower;
      const Bits flip = upper_positive ? 0 : 1;
      Bits strange = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        const auto above = static_cast<Bits>(static_cast<Bits>(label[i]) - low);
        strange |= static_cast<Bits>(above & static_cast<Bits>(~gap));
        positive[i] = static_cast<std::uint8_t>((above >> shift) ^ flip);
      }
      return strange == 0;
    });
  }
};

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

// Where each bucket of keys begins, with the last one's end, and how many of the buckets hold ranks
// of the lower half; nothing where a score is not finite, or a label is neither of the two.
using Partition = std::optional<std::tuple<std::vector<std::size_t>, std::size_t>>;

template <class Score>
std::vector<RankOf<Score>> sampled(const Score* scores, std::size_t n, std::size_t size) {
  std::vector<RankOf<Score>> sample(size);
  std::uint64_t at = 0;
  for (auto& rank : sample) {
    // Steps of the golden ratio: no pattern of the rows is met at every one of them.
    at += 0x9E3779B97F4A7C15u;
    rank = rank_of(scores[static_cast<std::size_t>(static_cast<double>(at >> 11) * 0x1p-53 *
                                                   static_cast<double>(n))]);
  }
  return sample;
}

// Fill keys with the rows' ranks and labels, bucket by bucket; if rows have weights, put each in
// of_keys where its key is.
template <class Score>
Partition partition(AnyVector labels, int lower, bool upper_positive, Vector<const Score> all,
                    Vector<RankOf<Score>> keys, std::optional<Vector<const double>> weights,
                    std::optional<Vector<double>> of_keys) {
  using Rank = RankOf<Score>;
  using Into = Buckets<Rank>;
  const TwoLabels two{labels, lower, upper_positive};
  const Score* const scores = all.data();
  const std::size_t n = all.size(), wanted = std::min(n >> 14, Into::kMost);
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
      if (!two.read(start, rows, positive.data()) || !all_finite(x, rows)) {
        bad[w] = 1;
        return;
      }
      // Bytes of their own for each step: what is written could else be what is read next.
      into.assign([x](std::size_t i) { return rank_of(x[i]); }, rows, bucket.data());
      std::uint8_t* place = places.get() + start;
      for (std::size_t i = 0; i < rows; ++i)
        place[i] = static_cast<std::uint8_t>(bucket[i] << 1 | positive[i]);
      for (std::size_t i = 0; i < rows; ++i) ++size[bucket[i]];
    }
    sizes[w] = size;
  });
  if (std::any_of(bad.begin(), bad.end(), [](char b) { return b != 0; })) return {};

  std::vector<std::size_t> starts(into.all + 1, 0);
  for (std::size_t b = 0; b < into.all; ++b) {
    starts[b + 1] = starts[b];
    for (auto& size : sizes) {  // where this worker's keys of the bucket begin
      const std::size_t rows = size[b];
      size[b] = starts[b + 1];
      starts[b + 1] += rows;
    }
  }
  Rank* const first = keys.data();
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::array<Rank*, Into::kMost> to;
    for (std::size_t b = 0; b < into.all; ++b) to[b] = first + sizes[w][b];
    const auto put = [&](auto also) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t place = places[i];
        Rank* const key = to[place >> 1]++;
        *key = key_of(rank_of(scores[i]), place & 1);
        also(i, static_cast<std::size_t>(key - first));
      }
    };
    if (weights)
      put([from = weights->data(), out = of_keys->data()](std::size_t i, std::size_t key) {
        out[key] = from[i];
      });
    else
      put([](std::size_t, std::size_t) {});
  });
  return std::make_tuple(std::move(starts), into.lower);
}

// Of a sorted bucket: pairs (positive row, negative row) where the negative is lower, or not
// higher; its negative rows; its distinct scores.
template <class Key>
std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t> scan(
    Vector<const Key> keys) {
  const std::size_t n = keys.size();
  std::uint64_t lower = 0, not_higher = 0, negatives = 0, groups = 0;
  std::uint64_t before = 0;  // negatives in lower groups
  constexpr std::size_t block = 1024;
  for (std::size_t start = 0; start < n; start += block) {
    const std::size_t rows = std::min(block, n - start);
    const Key* key = keys.data() + start;
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
      const std::uint64_t seen = p * negatives + places - p * (p - (p > 0)) / 2;
      lower += seen;
      not_higher += seen;
      negatives += rows - p;
      groups += rows;
      before = negatives - ((key[rows - 1] & 1) ^ 1);
      continue;
    }
    Key previous = first;
    std::uint64_t seen = negatives;
    for (std::size_t i = 0; i < rows; ++i) {
      const Key score = key[i] >> 1;
      const std::uint64_t positive = key[i] & 1, same = score == previous;
      before = seen ^ ((seen ^ before) & (0 - same));  // a branch would be mispredicted
      previous = score;
      // Within a group the negatives come first, so all its positives see all of them.
      lower += before & (0 - positive);
      not_higher += seen & (0 - positive);
      groups += 1 - same;
      seen += positive ^ 1;
    }
    negatives = seen;
  }
  return {lower, not_higher, negatives, groups};
}

// Of a sorted bucket and its rows' weights: the weight of the pairs (positive row, negative row)
// where the negative is lower, or not higher; of its positive, and of its negative rows.
template <class Key>
std::tuple<double, double, double, double> scan_weighted(Vector<const Key> keys,
                                                         Vector<const double> weights) {
  double lower = 0, not_higher = 0, positives = 0, negatives = 0;
  double before = 0;  // negatives in lower groups
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Key key = keys.data()[i];
    if (i == 0 || key >> 1 != keys.data()[i - 1] >> 1) before = negatives;
    // Within a group the negatives come first, so all its positives see all of them. No branch on
    // the label: it would be mispredicted.
    const double weight = weights.data()[i], positive = weight * static_cast<double>(key & 1);
    lower += before * positive;
    not_higher += negatives * positive;
    positives += positive;
    negatives += weight - positive;
  }
  return {lower, not_higher, positives, negatives};
}

// Write the distinct scores of a sorted bucket, and how many negatives and positives have each.
template <class Score>
void fill_groups(Vector<const RankOf<Score>> keys, bool upper, Vector<double> scores,
                 Vector<double> negatives, Vector<double> positives) {
  using Rank = RankOf<Score>;
  const Rank* const key = keys.data();
  const std::size_t n = keys.size();
  const Rank top = upper ? kUpperHalf<Rank> : Rank{0};
  if (scores.size() == n) {  // no two rows share a score
    for (std::size_t i = 0; i < n; ++i) {
      const double positive = static_cast<double>(static_cast<int>(key[i] & 1));
      scores[i] = score_of<Score>(rank_in(key[i], top));
      positives[i] = positive;
      negatives[i] = 1 - positive;
    }
    return;
  }
  std::size_t group = 0;
  for (std::size_t i = 0; i < n; ++group) {
    const std::size_t start = i;
    std::size_t hits = 0;
    for (; i < n && key[i] >> 1 == key[start] >> 1; ++i) hits += key[i] & 1;
    scores[group] = score_of<Score>(rank_in(key[start], top));
    negatives[group] = static_cast<double>(i - start - hits);
    positives[group] = static_cast<double>(hits);
  }
}

}  // namespace tallymark
