// Sums over rows of two classes with probabilities, in one pass without a sort. They are exact, so
// that the order of the rows and their division among cores do not matter.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "order.hpp"
#include "parallel.hpp"

namespace tallymark {

// An exact sum of at most 2^32 numbers: their digits are added as integers, apart for each sign and
// exponent, in two halves that do not overflow. Pages of 64 exponents are made when they are met:
// a few rows have a few exponents.
class ExactSum {
 public:
  void add(double x) {
    const auto bits = bits_as<std::uint64_t>(x);
    const std::uint64_t normal = (bits << 1) >> 53 != 0;
    const std::uint64_t digits = (bits & ((std::uint64_t{1} << 52) - 1)) | normal << 52;
    auto& page = pages_[(bits >> 52) / kPage];
    if (!page) page = std::make_unique<Page>();
    Halves& sum = (*page)[(bits >> 52) % kPage];
    sum.low += digits & 0xFFFFFFFFu;
    sum.high += digits >> 32;
  }

  void add(const ExactSum& other) {
    for (std::size_t p = 0; p < pages_.size(); ++p) {
      if (!other.pages_[p]) continue;
      if (!pages_[p]) pages_[p] = std::make_unique<Page>();
      for (std::size_t i = 0; i < kPage; ++i) {
        const Halves& more = (*other.pages_[p])[i];
        (*pages_[p])[i].low += more.low, (*pages_[p])[i].high += more.high;
      }
    }
  }

  // Numbers with the same exact sum; infinity where one was added.
  std::vector<double> terms() const {
    std::vector<double> out;
    for (std::size_t k = 0; k < 2 * kSign; ++k) {
      const auto& page = pages_[k / kPage];
      if (!page) {
        k += kPage - 1;
        continue;
      }
      const auto exponent = static_cast<int>(k % kSign);
      const double sign = k < kSign ? 1 : -1;
      const Halves& sum = (*page)[k % kPage];
      if (!(sum.low | sum.high)) continue;
      if (exponent == kSign - 1) return {sign * std::numeric_limits<double>::infinity()};
      const int lowest = std::max(exponent, 1) - 1075;
      for (const auto& [half, shift] : {std::pair{sum.low, 0}, std::pair{sum.high, 32}})
        for (const int above : {0, 32}) {
          const auto digits = static_cast<std::uint32_t>(half >> above);
          if (digits) out.push_back(sign * std::ldexp(digits, lowest + shift + above));
        }
    }
    return out;
  }

 private:
  static constexpr int kSign = 1 << 11, kPage = 64;
  struct Halves {
    std::uint64_t low = 0, high = 0;
  };
  using Page = std::array<Halves, kPage>;
  std::array<std::unique_ptr<Page>, 2 * kSign / kPage> pages_;
};

constexpr std::size_t kBlock = 1024;

// A block of numbers below 2^10, each cut in two multiples of fixed units, of which sums over a block
// are exact as they are, and what is left of small ones.
class Digits {
 public:
  std::array<double, kBlock> high, low;

  // `x` is overwritten with what is left; whether that is more than 0 anywhere.
  bool cut(double* x) {
    std::uint64_t more = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
      high[i] = (x[i] + kHigh) - kHigh;
      const double below = x[i] - high[i];
      low[i] = (below + kLow) - kLow;
      x[i] = below - low[i];
      more |= bits_as<std::uint64_t>(x[i]) << 1;
    }
    return more != 0;
  }

 private:
  // Adding 1.5 * 2^52 units and taking them away rounds to a multiple of the unit.
  static constexpr double kHigh = 1.5 * 0x1p52 * 0x1p-33, kLow = 1.5 * 0x1p52 * 0x1p-76;
};

// The exact sum of a block's numbers of one kind.
inline double added(const std::array<double, kBlock>& x) {
  std::array<double, 16> lanes{};
  for (std::size_t i = 0; i < kBlock; i += lanes.size())
    for (std::size_t l = 0; l < lanes.size(); ++l) lanes[l] += x[i + l];
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

// Call body(worker, probabilities, which of them are of positive rows, how many) with blocks of
// rows; false where a label is neither of the two or a score is no probability.
template <class Body>
bool each_block(const TwoLabels& labels, Vector<const double> scores, std::size_t count,
                Body&& body) {
  std::vector<char> bad(count, 0);
  split(scores.size(), count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::array<std::uint8_t, kBlock> positive;
    for (std::size_t start = begin; start < end && !bad[w]; start += kBlock) {
      const std::size_t rows = std::min(kBlock, end - start);
      const double* const p = scores.data() + start;
      // As integers, since a compiler reads several at once: those of numbers from 0 to 1 are at
      // most that of 1, of negative ones and of NaN above it.
      constexpr std::uint64_t one = 0x3FF0000000000000u;
      std::uint64_t outside = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        const auto bits = bits_as<std::uint64_t>(p[i] + 0.0);  // -0.0 becomes 0.0
        outside |= bits | (one - bits);
      }
      if (labels.read(start, rows, positive.data()) && !(outside >> 63))
        body(w, p, positive.data(), rows);
      else
        bad[w] = 1;
    }
  });
  return std::none_of(bad.begin(), bad.end(), [](char b) { return b != 0; });
}

// Numbers whose exact sum is that of a loss over all rows: 's' of squared errors, 'a' of absolute
// ones, 'l' of logarithms. Nothing where each_block refuses the rows.
inline std::optional<std::vector<double>> add_row_losses(AnyVector labels, int lower,
                                                         bool upper_positive,
                                                         Vector<const double> scores, char loss) {
  const std::size_t count = parts(scores.size());
  std::vector<ExactSum> sums(count);
  const auto add = [&](auto term) {
    return each_block(
        {labels, lower, upper_positive}, scores, count,
        [&](std::size_t w, const double* p, const std::uint8_t* positive, std::size_t rows) {
          std::array<double, kBlock> x{};
          Digits digits;
          for (std::size_t i = 0; i < rows; ++i) x[i] = term(p[i], positive[i]);
          if (loss == 'l' && std::any_of(x.begin(), x.end(), [](double v) { return v > 1e3; })) {
            sums[w].add(std::numeric_limits<double>::infinity());
            return;
          }
          const bool more = digits.cut(x.data());
          sums[w].add(added(digits.high));
          sums[w].add(added(digits.low));
          for (std::size_t i = 0; more && i < rows; ++i)
            if (x[i] != 0) sums[w].add(x[i]);
        });
  };
  const auto error = [](double p, std::uint8_t positive) {  // no branch: it would be mispredicted
    return std::abs(static_cast<double>(positive) - p);
  };
  const bool usable =
      loss == 's' ? add([=](double p, std::uint8_t y) { return error(p, y) * error(p, y); })
      : loss == 'a' ? add(error)
                    : add([](double p, std::uint8_t y) {
                        return std::abs(y || p >= 0.5 ? std::log(y ? p : 1 - p) : std::log1p(-p));
                      });
  if (!usable) return {};
  for (std::size_t w = 1; w < count; ++w) sums[0].add(sums[w]);
  return sums[0].terms();
}

// Of bins of equal width: rows, positive rows, and numbers whose exact sum is that of truth minus
// probability over the rows. Nothing where each_block refuses the rows.
using RowBins = std::tuple<std::vector<double>, std::vector<double>, std::vector<std::vector<double>>>;

inline std::optional<RowBins> add_row_bins(AnyVector labels, int lower, bool upper_positive,
                                           Vector<const double> scores, std::size_t bins) {
  struct Bin {
    std::uint64_t rows = 0, positives = 0;
    double high = 0, low = 0;
    ExactSum beyond;
  };
  const std::size_t count = parts(scores.size());
  std::vector<double> edges(bins + 1);
  const auto width = static_cast<double>(bins);
  for (std::size_t b = 0; b <= bins; ++b) edges[b] = static_cast<double>(b) / width;
  std::vector<std::vector<Bin>> bins_of(count);
  for (auto& some : bins_of) some.resize(bins);
  const bool usable = each_block(
      {labels, lower, upper_positive}, scores, count,
      [&](std::size_t w, const double* p, const std::uint8_t* positive, std::size_t rows) {
        std::array<double, kBlock> x{};
        for (std::size_t i = 0; i < rows; ++i) x[i] = static_cast<double>(positive[i]) - p[i];
        Digits digits;
        const bool more = digits.cut(x.data());
        for (Bin& bin : bins_of[w]) bin.high = bin.low = 0;
        for (std::size_t i = 0; i < rows; ++i) {
          std::size_t b = std::min(static_cast<std::size_t>(p[i] * width), bins - 1);
          b -= p[i] < edges[b];  // the product was rounded
          b += b + 1 < bins && p[i] >= edges[b + 1];
          Bin& bin = bins_of[w][b];
          ++bin.rows;
          bin.positives += positive[i];
          bin.high += digits.high[i];
          bin.low += digits.low[i];
          if (more && x[i] != 0) bin.beyond.add(x[i]);
        }
        for (Bin& bin : bins_of[w]) bin.beyond.add(bin.high), bin.beyond.add(bin.low);
      });
  if (!usable) return {};
  RowBins out{std::vector<double>(bins), std::vector<double>(bins), {}};
  for (std::size_t b = 0; b < bins; ++b) {
    Bin& all = bins_of[0][b];
    for (std::size_t w = 1; w < count; ++w) {
      const Bin& more = bins_of[w][b];
      all.rows += more.rows, all.positives += more.positives;
      all.beyond.add(more.beyond);
    }
    std::get<0>(out)[b] = static_cast<double>(all.rows);
    std::get<1>(out)[b] = static_cast<double>(all.positives);
    std::get<2>(out).push_back(all.beyond.terms());
  }
  return out;
}

}  // namespace tallymark
