// Rows of any classes and weights, summed by distinct score and class.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "cores.hpp"
#include "order.hpp"
#include "parallel.hpp"

namespace tallymark {

// The rank of a row's score, and what is summed of the row, or of a line that stands for several.
struct RankedRow {
  std::uint64_t rank;
  std::int64_t code;
  double weight, square;
};

// Sort by rank; rows of equal rank keep their order. Counting sorts of the highest 24 bits that
// differ put nearly all rows in place; the few that share these bits are then compared.
inline void sort_ranked(RankedRow* const rows, RankedRow* const spare, std::size_t n) {
  constexpr std::size_t few = 128;
  constexpr int digit = 8, most = 3 * digit;
  const auto lower = [](const RankedRow& a, const RankedRow& b) { return a.rank < b.rank; };
  if (n < few) {
    std::stable_sort(rows, rows + n, lower);
    return;
  }
  std::uint64_t differ = 0;
  for (std::size_t i = 1; i < n; ++i) differ |= rows[i].rank ^ rows[0].rank;
  int top = 0;
  while (top < 64 && differ >> top) ++top;
  const int lowest = std::max(0, top - most);
  RankedRow *from = rows, *to = spare;
  for (int shift = lowest; shift < top; shift += digit) {
    const auto value = [shift](const RankedRow& r) { return r.rank >> shift & ((1 << digit) - 1); };
    std::array<std::size_t, 1 << digit> places{};
    for (std::size_t i = 0; i < n; ++i) ++places[value(from[i])];
    std::size_t before = 0;
    for (auto& place : places) {
      const std::size_t size = place;
      place = before;
      before += size;
    }
    for (std::size_t i = 0; i < n; ++i) to[places[value(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != rows) std::copy(from, from + n, rows);
  for (std::size_t i = 0, end; lowest && i < n; i = end) {
    for (end = i + 1; end < n && rows[end].rank >> lowest == rows[i].rank >> lowest;) ++end;
    if (!std::is_sorted(rows + i, rows + end, lower)) std::stable_sort(rows + i, rows + end, lower);
  }
}

// Rows in ascending order of their finite scores, in buckets that cores sort side by side.
class GroupedRows {
 public:
  // A row weighs 1 where there are no weights.
  GroupedRows(Vector<const double> all, const std::int64_t* codes, const double* weights,
              const double* squares)
      : n_(all.size()), rows_(new RankedRow[n_]) {
    use_large_pages(rows_.get(), n_ * sizeof(RankedRow));
    const double* const scores = all.data();
    using Into = Buckets<std::uint64_t>;
    const std::size_t wanted = std::min(n_ >> 13, Into::kMost), count = parts(n_);
    const Into into(sampled(scores, n_, wanted > 2 ? 128 * wanted : 0), wanted);
    constexpr std::size_t block = 2048;
    const std::unique_ptr<std::uint8_t[]> buckets(new std::uint8_t[n_]);
    std::vector<std::array<std::size_t, Into::kMost>> sizes(count);
    split(n_, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
      std::array<std::size_t, Into::kMost> size{};
      for (std::size_t start = begin; start < end; start += block) {
        const std::size_t rows = std::min(block, end - start);
        std::uint8_t* const bucket = buckets.get() + start;
        into.assign([=](std::size_t i) { return rank_of(scores[start + i]); }, rows, bucket);
        for (std::size_t i = 0; i < rows; ++i) ++size[bucket[i]];
      }
      sizes[w] = size;
    });
    starts_.assign(into.all + 1, 0);
    for (std::size_t b = 0; b < into.all; ++b) {
      starts_[b + 1] = starts_[b];
      for (auto& size : sizes) {
        const std::size_t rows = size[b];
        size[b] = starts_[b + 1];
        starts_[b + 1] += rows;
      }
    }
    split(n_, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
      std::array<std::size_t, Into::kMost> to = sizes[w];
      for (std::size_t i = begin; i < end; ++i)
        rows_[to[buckets[i]]++] = {rank_of(scores[i]), codes[i], weights ? weights[i] : 1.0,
                                   squares ? squares[i] : 0.0};
    });
    places_.assign(into.all + 1, 0);
    split(into.all, std::min(into.all, count),
          [&](std::size_t, std::size_t begin, std::size_t end) {
            std::vector<RankedRow> spare;
            for (std::size_t b = begin; b < end; ++b) {
              RankedRow* const first = rows_.get() + starts_[b];
              const std::size_t rows = starts_[b + 1] - starts_[b];
              spare.resize(std::max(spare.size(), rows));
              sort_ranked(first, spare.data(), rows);
              std::size_t groups = rows > 0;
              for (std::size_t i = 1; i < rows; ++i) groups += first[i].rank != first[i - 1].rank;
              places_[b + 1] = groups;
            }
          });
    for (std::size_t b = 0; b < into.all; ++b) places_[b + 1] += places_[b];
  }

  // Distinct scores.
  std::size_t size() const { return places_.back(); }

  // Write the distinct scores, and the sums[class, score] of weights and, if wanted, of squares,
  // each in the order of the rows.
  void write(std::size_t classes, double* scores, double* weights, double* squares) const {
    const std::size_t groups = size(), buckets = starts_.size() - 1;
    split(buckets, std::min(buckets, parts(n_)),
          [&](std::size_t, std::size_t begin, std::size_t end) {
            std::size_t group = places_[begin];
            for (std::size_t i = starts_[begin]; i < starts_[end]; ++group) {
              const RankedRow& row = rows_[i];
              scores[group] = score_of<double>(row.rank);
              // The first row of a score is stored: adding it to a zero just written would wait.
              for (std::size_t c = 0; c < classes; ++c) {
                const bool own = static_cast<std::size_t>(row.code) == c;
                weights[c * groups + group] = own ? row.weight : 0;
                if (squares) squares[c * groups + group] = own ? row.square : 0;
              }
              for (++i; i < starts_[end] && rows_[i].rank == row.rank; ++i) {
                const std::size_t cell = static_cast<std::size_t>(rows_[i].code) * groups + group;
                weights[cell] += rows_[i].weight;
                if (squares) squares[cell] += rows_[i].square;
              }
            }
          });
  }

 private:
  std::size_t n_;
  std::unique_ptr<RankedRow[]> rows_;
  std::vector<std::size_t> starts_, places_;
};

}  // namespace tallymark
