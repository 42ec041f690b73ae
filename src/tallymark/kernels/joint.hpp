// Rows of several models side by side: where each row's score stands in its model's ranking, and
// how the placements of several models vary together.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bins.hpp"
#include "parallel.hpp"

namespace tallymark {

using Doubles = Vector<const double>;

constexpr std::size_t kRows = 256;  // looked up at a time: what they wait for is fetched meanwhile

// Finds scores among ascending, distinct ones. Stretches hold equally many of them and are cut
// evenly into cells of about two: wherever they lie, a row waits for memory and hardly searches.
class Finder {
 public:
  Finder(const double* scores, std::size_t n)
      : scores_(scores),
        n_(n),
        stretches_(std::clamp<std::size_t>(n / 64, 1, 256)),
        per_(std::max<std::size_t>(n / stretches_ / 2, 1)),
        starts_(stretches_ + 1),
        breaks_(stretches_ + 1),
        scale_(stretches_),
        before_(stretches_ * (per_ + 1)) {
    for (std::size_t s = 0; s <= stretches_; ++s) {
      starts_[s] = n * s / stretches_;
      breaks_[s] = scores[std::min(starts_[s], n - 1)];
    }
    for (std::size_t s = 0; s < stretches_; ++s)
      scale_[s] = static_cast<double>(per_) / (breaks_[s + 1] - breaks_[s]);
    cells_ = BinFinder({breaks_.data(), scale_.data(), stretches_, per_});
    split(stretches_, std::min(stretches_, parts(n)),
          [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t s = first; s < last; ++s) count(s);
          });
  }
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;

  // Write the places of up to kRows scores, all of which are among those that were given.
  void operator()(const double* wanted, std::size_t rows, std::size_t* places) const {
    std::array<const std::uint32_t*, kRows> cell;
    std::array<std::uint32_t, kRows> size;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t s = cells_.stretch(wanted[i]);
      cell[i] = before_.data() + s * (per_ + 1) + cells_.bin(wanted[i], s);
      places[i] = starts_[s];
      prefetch(cell[i]);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      places[i] += cell[i][0];
      size[i] = cell[i][1] - cell[i][0];
      prefetch(scores_ + places[i]), prefetch(scores_ + places[i] + size[i]);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      std::size_t at = places[i];
      for (std::size_t left = size[i]; left > 1;) {
        const std::size_t half = left / 2;
        at += half * (scores_[at + half] <= wanted[i]);
        left -= half;
      }
      places[i] = std::min(at, n_ - 1);
    }
  }

 private:
  // Count the scores of a stretch before each of its cells.
  void count(std::size_t s) {
    std::uint32_t* before = before_.data() + s * (per_ + 1);
    std::size_t cell = 0;
    for (std::size_t k = starts_[s]; k < starts_[s + 1]; ++k)
      for (const std::size_t last = cells_.bin(scores_[k], s); cell < last;)
        before[++cell] = static_cast<std::uint32_t>(k - starts_[s]);
    while (cell < per_) before[++cell] = static_cast<std::uint32_t>(starts_[s + 1] - starts_[s]);
  }

  const double* scores_;
  std::size_t n_, stretches_, per_;
  std::vector<std::size_t> starts_;
  std::vector<double> breaks_, scale_;
  std::vector<std::uint32_t> before_;
  BinFinder cells_;
};

// A model's column of scores beside its ranking: distinct scores, of which tp and fp (n + 1) count
// from the top. A placement is the share of the other class's rows that a row is on the right side
// of, ties counting half; what is added up is how far it is from their mean, the AUC.
class Placed {
 public:
  Placed(Doubles column, Doubles scores, Doubles tp, Doubles fp, double auc)
      : column_(column.data()),
        tops_{tp.data(), fp.data()},
        n_(scores.size()),
        auc_(auc),
        find_(scores.data(), n_) {}

  // Write them of some rows, of which the first `positives` are of the positive class.
  void operator()(const std::size_t* rows, std::size_t positives, std::size_t size,
                  double* off) const {
    std::array<double, kRows> wanted;
    std::array<std::size_t, kRows> places;
    for (std::size_t i = 0; i < size; ++i) wanted[i] = column_[rows[i]];
    find_(wanted.data(), size, places.data());
    const auto above = [&](std::size_t i) {  // of the other class
      return tops_[i < positives] + (n_ - 1 - places[i]);
    };
    for (std::size_t i = 0; i < size; ++i) prefetch(above(i)), prefetch(above(i) + 1);
    // Shares of these very sums: perfect placements are 1 to the bit.
    for (std::size_t i = 0; i < size; ++i) {
      const double* sums = above(i);
      const double share = (sums[0] + sums[1]) / 2 / tops_[i < positives][n_];
      off[i] = (i < positives ? 1 - share : share) - auc_;
    }
  }

 private:
  const double* column_;
  std::array<const double*, 2> tops_;
  std::size_t n_;
  double auc_;
  Finder find_;
};

// Call body(rows, positives, size) with blocks of [begin, end): their rows, positive ones first.
template <class Body>
void positives_first(const std::uint8_t* positive, std::size_t begin, std::size_t end,
                     Body&& body) {
  std::array<std::size_t, kRows + 1> rows;
  for (std::size_t start = begin; start < end; start += kRows) {
    const std::size_t stop = std::min(end, start + kRows);
    std::size_t at = 0;
    for (std::size_t i = start; i < stop; ++i) rows[at] = i, at += positive[i];
    const std::size_t positives = at;
    for (std::size_t i = start; i < stop; ++i) rows[at] = i, at += positive[i] ^ 1;
    body(rows.data(), positives, stop - start);
  }
}

// Write how far the placement of every row is from the AUC.
inline void place_rows(Doubles column, Doubles scores, Doubles tp, Doubles fp, double auc,
                       Vector<const std::uint8_t> positive, Vector<double> out) {
  const Placed model(column, scores, tp, fp, auc);
  const std::size_t n = positive.size();
  split(n, parts(n), [&](std::size_t, std::size_t begin, std::size_t end) {
    std::array<double, kRows> off;
    positives_first(positive.data(), begin, end,
                    [&](const std::size_t* rows, std::size_t positives, std::size_t size) {
                      model(rows, positives, size, off.data());
                      for (std::size_t i = 0; i < size; ++i) out[rows[i]] = off[i];
                    });
  });
}

// Add up the products of what any two models say of a row, of positives and of the others:
// out[2][models][models]. With weights each of the two is multiplied by them.
inline void add_products(const std::vector<Doubles>& columns, const std::vector<Doubles>& scores,
                         const std::vector<Doubles>& tp, const std::vector<Doubles>& fp,
                         Doubles aucs, Vector<const std::uint8_t> positive,
                         std::optional<Doubles> weights, Vector<double> out) {
  constexpr std::size_t lanes = 4;
  std::deque<Placed> models;
  for (std::size_t i = 0; i < columns.size(); ++i)
    models.emplace_back(columns[i], scores[i], tp[i], fp[i], aucs[i]);
  const std::size_t n = positive.size(), m = models.size(), count = parts(n);
  std::vector<std::vector<long double>> sums_of(count);
  split(n, count, [&](std::size_t w, std::size_t begin, std::size_t end) {
    std::vector<long double> all(2 * m * m);
    std::vector<double> off(m * kRows);
    const auto add = [&](const std::size_t* rows, std::size_t positives, std::size_t size) {
      for (std::size_t a = 0; a < m; ++a) {
        double* const of_model = off.data() + a * kRows;
        models[a](rows, positives, size, of_model);
        for (std::size_t i = 0; weights && i < size; ++i) of_model[i] *= (*weights)[rows[i]];
      }
      for (std::size_t a = 0; a < m; ++a)
        for (std::size_t b = a; b < m; ++b) {
          const double *x = off.data() + a * kRows, *y = off.data() + b * kRows;
          for (const std::size_t c : {0, 1}) {
            std::size_t i = c ? positives : 0;
            const std::size_t last = c ? size : positives;
            std::array<double, lanes> sums{};
            for (; i + lanes <= last; i += lanes)
              for (std::size_t l = 0; l < lanes; ++l) sums[l] += x[i + l] * y[i + l];
            for (; i < last; ++i) sums[0] += x[i] * y[i];
            all[(c * m + a) * m + b] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
          }
        }
    };
    positives_first(positive.data(), begin, end, add);
    sums_of[w] = std::move(all);
  });
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = a; b < m; ++b) {
        long double sum = 0;
        for (const auto& part : sums_of) sum += part[(c * m + a) * m + b];
        out[(c * m + a) * m + b] = out[(c * m + b) * m + a] = static_cast<double>(sum);
      }
}

}  // namespace tallymark
