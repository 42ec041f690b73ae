// Count pairs of small integers: one pass over both arrays, at the speed of memory.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"

namespace tallymark {

// Labels 0 and 1 need no table: three sums determine the four counts.
struct BinarySums {
  std::uint64_t truth = 0, predicted = 0, both = 0;
  bool binary = true;
};

template <class T>
BinarySums sum_binary(const T* truth, const T* predicted, std::size_t n) {
  BinarySums out;
  // Short blocks keep the inner sums in T-wide lanes, so that the compiler vectorises them, and
  // stop early at the first label that is neither 0 nor 1.
  constexpr std::size_t block = sizeof(T) == 1 ? 120 : 4096;
  for (std::size_t start = 0; start < n; start += block) {
    const std::size_t end = std::min(n, start + block);
    // Unsigned: the sums of long labels that are neither may wrap, and are then not used.
    using U = std::make_unsigned_t<T>;
    U t = 0, p = 0, b = 0, any = 0;
    for (std::size_t i = start; i < end; ++i) {
      const U x = static_cast<U>(truth[i]), y = static_cast<U>(predicted[i]);
      t = static_cast<U>(t + x);
      p = static_cast<U>(p + y);
      b = static_cast<U>(b + (x & y));
      any = static_cast<U>(any | x | y);
    }
    if (any != 0 && any != 1) {
      out.binary = false;
      return out;
    }
    out.truth += static_cast<std::uint64_t>(t);
    out.predicted += static_cast<std::uint64_t>(p);
    out.both += static_cast<std::uint64_t>(b);
  }
  return out;
}

// Count into width x width cells; false when a label lies outside [low, low + width).
template <class T>
bool count_table(const T* truth, const T* predicted, std::size_t n, std::int64_t low,
                 std::size_t width, std::uint64_t* table) {
  const std::size_t cells = width * width;
  const auto from = static_cast<std::uint64_t>(low);  // differences wrap, as unsigned numbers may
  // Runs of equal labels would wait for the last store to the same cell: two tables in turn.
  std::vector<std::uint32_t> part(2 * (cells + 1), 0);
  bool inside = true;
  constexpr std::size_t block = std::size_t{1} << 20;
  for (std::size_t start = 0; start < n && inside; start += block) {
    const std::size_t end = std::min(n, start + block);
    std::uint64_t outside = 0;
    std::uint32_t* tables[2] = {part.data(), part.data() + cells + 1};
    for (std::size_t i = start; i < end; ++i) {
      const auto t = static_cast<std::uint64_t>(truth[i]) - from;
      const auto p = static_cast<std::uint64_t>(predicted[i]) - from;
      const bool out = (t >= width) | (p >= width);
      outside |= out;
      ++tables[i & 1][out ? cells : t * width + p];
    }
    inside = outside == 0;
    for (std::size_t c = 0; c < cells; ++c) {
      table[c] += std::uint64_t{part[c]} + part[cells + 1 + c];
      part[c] = part[cells + 1 + c] = 0;
    }
  }
  return inside;
}

// The counts of pairs[true, predicted]; empty when the labels are too far apart for a table.
struct PairTable {
  std::int64_t low = 0;
  std::size_t width = 0;
  std::vector<std::uint64_t> cells;
};

template <class T>
PairTable count_pairs(const T* truth, const T* predicted, std::size_t n) {
  constexpr std::size_t widest = 256;
  const std::size_t count = workers(n);

  if (truth[0] == 0 || truth[0] == 1) {
    std::vector<BinarySums> sums(count);
    split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
      sums[w] = sum_binary(truth + begin, predicted + begin, end - begin);
    });
    BinarySums all;
    for (const auto& s : sums) {
      all.truth += s.truth, all.predicted += s.predicted, all.both += s.both;
      all.binary = all.binary && s.binary;
    }
    if (all.binary)
      return {0, 2, {n - all.truth - all.predicted + all.both, all.predicted - all.both,
                     all.truth - all.both, all.both}};
  }

  // Guess the range from the first rows; if that fails, look at all of them.
  auto range = [&](std::size_t rows) {
    const auto [a, b] = std::minmax_element(truth, truth + rows);
    const auto [c, d] = std::minmax_element(predicted, predicted + rows);
    return std::pair<std::int64_t, std::int64_t>(std::min<std::int64_t>(*a, *c),
                                                 std::max<std::int64_t>(*b, *d));
  };
  for (const std::size_t rows : {std::min<std::size_t>(n, 4096), n}) {
    const auto found = range(rows);
    const std::int64_t low = found.first;  // a lambda of C++17 takes no structured binding
    const auto width = static_cast<std::uint64_t>(found.second) - static_cast<std::uint64_t>(low) + 1;
    if (width == 0 || width > widest) return {};
    PairTable out{low, static_cast<std::size_t>(width), {}};
    std::vector<std::vector<std::uint64_t>> parts(count);
    std::vector<char> inside(count, 0);
    split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
      parts[w].assign(width * width, 0);
      inside[w] = count_table(truth + begin, predicted + begin, end - begin, low, width,
                              parts[w].data());
    });
    if (std::all_of(inside.begin(), inside.end(), [](char ok) { return ok != 0; })) {
      out.cells.assign(width * width, 0);
      for (const auto& part : parts)
        for (std::size_t c = 0; c < part.size(); ++c) out.cells[c] += part[c];
      return out;
    }
  }
  return {};
}

}  // namespace tallymark
