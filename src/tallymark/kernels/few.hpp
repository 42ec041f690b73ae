// A few rows in NumPy's own arrays, read where they lie: what a column of 10^7 does without
// (copies, one width for all types) costs nothing here, and every call into Python costs.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace tallymark {

// More rows than this are no few: the kernels for many are then as fast.
constexpr std::size_t kFew = 4096;

// A column as the buffer protocol has it: a type of one letter, steps in bytes of either sign.
struct Column {
  const char* at = nullptr;
  std::ptrdiff_t step = 0;
  std::size_t rows = 0;
  char kind = 0;
  std::size_t width = 0;
};

inline bool is_boolean(const Column& c) { return c.kind == '?'; }

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Call body(T{}) with a value of the column's own type; false where it is none of the plain ones.
template <class Body>
bool with_kind(const Column& c, Body&& body) {
  switch (c.kind) {
    case '?':
      return body(std::uint8_t{});
    case 'd':
      return body(double{});
    case 'f':
      return body(float{});
    case 'b': case 'h': case 'i': case 'l': case 'q':
      switch (c.width) {
        case 1: return body(std::int8_t{});
        case 2: return body(std::int16_t{});
        case 4: return body(std::int32_t{});
        default: return body(std::int64_t{});
      }
    case 'B': case 'H': case 'I': case 'L': case 'Q':
      switch (c.width) {
        case 1: return body(std::uint8_t{});
        case 2: return body(std::uint16_t{});
        case 4: return body(std::uint32_t{});
        default: return body(std::uint64_t{});
      }
    default:
      return false;
  }
}

// Read whole numbers; false where one is none, or beyond what a double counts exactly.
inline bool read_labels(const Column& c, std::int64_t* out) {
  return with_kind(c, [&](auto kind) {
    using T = decltype(kind);
    const char* at = c.at;
    for (std::size_t i = 0; i < c.rows; ++i, at += c.step) {
      const T value = load<T>(at);
      if constexpr (std::is_floating_point_v<T>) {
        if (!(std::fabs(value) < 9007199254740992.0) || value != std::trunc(value)) return false;
      } else if constexpr (sizeof(T) == 8 && std::is_unsigned_v<T>) {
        if (value > static_cast<T>(std::numeric_limits<std::int64_t>::max())) return false;
      }
      out[i] = static_cast<std::int64_t>(value);
    }
    return true;
  });
}

// The classes that occur, rising, and the counts [true, predicted] of them, row by row.
struct FewPairs {
  static constexpr std::size_t kWidest = 64;
  std::vector<std::int64_t> labels;
  std::vector<double> counts;
};

// Count pairs of labels; false where the careful door must look at them.
inline bool count_few(const Column& truth, const Column& called, FewPairs& out) {
  const std::size_t n = truth.rows;
  if (!n || n != called.rows || n > kFew || is_boolean(truth) != is_boolean(called)) return false;
  // No large arrays on the stack: touching all their pages would cost more than the counting.
  std::vector<std::int64_t> rows[2]{std::vector<std::int64_t>(n), std::vector<std::int64_t>(n)};
  if (!read_labels(truth, rows[0].data()) || !read_labels(called, rows[1].data())) return false;
  std::int64_t low = rows[0][0], high = low;
  for (const auto& column : rows)
    for (std::size_t i = 0; i < n; ++i) {
      low = std::min(low, column[i]);
      high = std::max(high, column[i]);
    }
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (span >= FewPairs::kWidest) return false;
  const std::size_t width = span + 1;
  std::vector<std::uint32_t> table(width * width);
  std::array<bool, FewPairs::kWidest> seen{};
  for (std::size_t i = 0; i < n; ++i) {
    const auto a = static_cast<std::size_t>(rows[0][i] - low);
    const auto b = static_cast<std::size_t>(rows[1][i] - low);
    ++table[a * width + b];
    seen[a] = seen[b] = true;
  }
  for (std::size_t a = 0; a < width; ++a) {
    if (!seen[a]) continue;
    out.labels.push_back(low + static_cast<std::int64_t>(a));
    for (std::size_t b = 0; b < width; ++b)
      if (seen[b]) out.counts.push_back(table[a * width + b]);
  }
  return true;
}

// Write TP, FP, FN and TN of each class against the rest, four rows of k; false where a cell is no
// whole number or all are more than a double counts exactly.
inline bool one_vs_rest(const double* matrix, std::size_t k, double* out) {
  double *tp = out, *fp = out + k, *fn = out + 2 * k, *tn = out + 3 * k, total = 0;
  std::fill_n(fp, 2 * k, 0.0);
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = 0; b < k; ++b) {
      const double cell = matrix[a * k + b];
      if (cell != std::trunc(cell)) return false;
      total += cell;
      if (a == b) {
        tp[a] = cell;
      } else {
        fn[a] += cell;
        fp[b] += cell;
      }
    }
  if (!(total < 9007199254740992.0)) return false;
  for (std::size_t a = 0; a < k; ++a) tn[a] = total - tp[a] - fp[a] - fn[a];
  return true;
}

}  // namespace tallymark
