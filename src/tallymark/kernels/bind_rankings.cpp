// Python's face of what is read along rankings.
#include "bind.hpp"

#include "along.hpp"
#include "condense.hpp"
#include "logistic.hpp"
#include "pool.hpp"
#include "rates.hpp"
#include "single.hpp"

namespace {

// Scores, one less each, and columns of their counts, condensed between ascending cuts: a table of
// as many lines. Of single rows tp tells the columns.
nb::object condense(Vector<const double> scores, const std::vector<Vector<const double>>& given,
                    Vector<const std::int64_t> cuts, std::optional<Vector<const double>> tp) {
  std::vector<tallymark::Together> parts;
  tallymark::Columns columns{{}, tp ? tp->data() : nullptr, scores.size()};
  for (const auto& column : given) columns.given.push_back(column.data());
  {
    nb::gil_scoped_release unlocked;
    parts = tallymark::stretches(scores.data(), cuts.data(), cuts.size());
  }
  const std::size_t size = parts.back().to;
  auto* values = new double[(columns.size() + 2) * size];
  nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  std::vector<double*> out;
  for (std::size_t c = 0; c < columns.size(); ++c) out.push_back(values + (c + 2) * size);
  {
    nb::gil_scoped_release unlocked;
    tallymark::condense(scores.data(), columns, parts, values, values + size, out);
  }
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(
      values, {columns.size() + 2, size}, owner));
}

// The blocks of the hulls of many rankings, side by side.
nb::tuple hulls(Table<const double> pos, Table<const double> neg) {
  const auto found = [&] {
    nb::gil_scoped_release unlocked;
    return tallymark::Hulls(pos.data(), neg.data(), pos.shape(0), pos.shape(1));
  }();
  const std::size_t size = pos.shape(0) * found.width;
  auto hits = fresh<double>(size), misses = fresh<double>(size);
  found.write(hits.data(), misses.data());
  return nb::make_tuple(found.width, hits, misses);
}

}  // namespace

// Sums and rates along a ranking: see rates.hpp.
void bind_rankings(nb::module_& m) {
  m.def(
      "cumulative_counts",
      [](Table<const double> pos, Table<const double> neg, Table<double> tp, Table<double> fp) {
        const std::size_t n = pos.shape(1);
        for (std::size_t r = 0; r < pos.shape(0); ++r)
          tallymark::cumulative_counts(pos.data() + r * n, neg.data() + r * n, n, tp.data() + r * (n + 1),
                              fp.data() + r * (n + 1));
      },
      Unlocked(), "pos"_a.noconvert(), "neg"_a.noconvert(), "tp"_a.noconvert(),
      "fp"_a.noconvert());
  m.def(
      "distances",
      [](Doubles tp, Doubles fp) {
        return tallymark::distances(tp.data(), fp.data(), tp.size() - 1);
      },
      Unlocked(), "tp"_a.noconvert(), "fp"_a.noconvert());
  m.def(
      "area_between",
      [](Doubles tp, Doubles fp, double low, double high, bool by_tpr) {
        return tallymark::area_between(tp.data(), fp.data(), tp.size() - 1, low, high, by_tpr);
      },
      Unlocked(), "tp"_a.noconvert(), "fp"_a.noconvert(), "low"_a, "high"_a, "by_tpr"_a);
  m.def(
      "last_precise",
      [](Doubles tp, Doubles fp, double least) {
        return tallymark::last_precise(tp.data(), fp.data(), tp.size() - 1, least);
      },
      Unlocked(), "tp"_a.noconvert(), "fp"_a.noconvert(), "least"_a);
  m.def(
      "most_precise",
      [](Doubles tp, Doubles fp, std::size_t begin) {
        return tallymark::most_precise(tp.data(), fp.data(), tp.size() - 1, begin);
      },
      Unlocked(), "tp"_a.noconvert(), "fp"_a.noconvert(), "begin"_a);
  m.def(
      "add_placements",
      [](Doubles pos, Doubles neg, Doubles pos2, Doubles neg2, Doubles tp, Doubles fp) {
        return tallymark::add_placements(pos.data(), neg.data(), pos2.data(), neg2.data(),
                                         tp.data(), fp.data(), pos.size());
      },
      Unlocked(), "pos"_a.noconvert(), "neg"_a.noconvert(), "pos2"_a.noconvert(),
      "neg2"_a.noconvert(), "tp"_a.noconvert(), "fp"_a.noconvert());
  m.def(
      "add_groups",
      [](Doubles scores, const std::vector<Doubles>& columns, Vector<const std::int64_t> starts,
         double unit, Table<double> out) {
        std::vector<const double*> given;
        for (const auto& column : columns) given.push_back(column.data());
        nb::gil_scoped_release unlocked;
        tallymark::add_groups(scores.data(), given, scores.size(), starts.data(), starts.size(),
                              unit, out.data());
      },
      "scores"_a.noconvert(), "columns"_a, "starts"_a.noconvert(), "unit"_a, "out"_a.noconvert());
  m.def(
      "add_ranks",
      [](Table<const double> pos, Table<const double> neg, Table<const double> tp,
         Table<const double> fp, Doubles positives, Doubles negatives, Table<double> out) {
        const std::size_t n = pos.shape(1);
        for (std::size_t r = 0; r < pos.shape(0); ++r) {
          const auto found = tallymark::add_ranks(
              pos.data() + r * n, neg.data() + r * n, tp.data() + r * (n + 1),
              fp.data() + r * (n + 1), n, positives.data()[r], negatives.data()[r]);
          std::copy(found.begin(), found.end(), out.data() + r * found.size());
        }
      },
      Unlocked(), "pos"_a.noconvert(), "neg"_a.noconvert(), "tp"_a.noconvert(),
      "fp"_a.noconvert(), "positives"_a.noconvert(), "negatives"_a.noconvert(),
      "out"_a.noconvert());
  m.def(
      "add_pairs",
      [](Table<const double> pos, Table<const double> neg, Table<const double> tp,
         Table<double> out) {
        const std::size_t n = pos.shape(1);
        for (std::size_t r = 0; r < pos.shape(0); ++r) {
          const auto found = tallymark::add_pairs(pos.data() + r * n, neg.data() + r * n,
                                                  tp.data() + r * (n + 1), n);
          std::copy(found.begin(), found.end(), out.data() + r * found.size());
        }
      },
      Unlocked(), "pos"_a.noconvert(), "neg"_a.noconvert(), "tp"_a.noconvert(),
      "out"_a.noconvert());
  m.def(
      "add_ranks_of_single",
      [](Doubles tp) { return tallymark::add_ranks_of_single(tp.data(), tp.size() - 1); },
      Unlocked(), "tp"_a.noconvert());
  m.def(
      "stretch_sums",
      [](Doubles scores) {
        const std::size_t n = scores.size();
        auto sums = fresh<double>((n + tallymark::kStretch - 1) / tallymark::kStretch);
        nb::gil_scoped_release unlocked;
        tallymark::stretch_sums(scores.data(), n, sums.data());
        return sums;
      },
      "scores"_a.noconvert());
  m.def(
      "range_sums",
      [](Doubles scores, Doubles sums, Vector<const std::int64_t> starts, Table<double> out) {
        tallymark::range_sums(scores.data(), scores.size(), sums.data(), starts.data(),
                              out.shape(1), out.data());
      },
      Unlocked(), "scores"_a.noconvert(), "sums"_a.noconvert(), "starts"_a.noconvert(),
      "out"_a.noconvert());
  m.def(
      "add_truths",
      [](Doubles scores, Doubles rest, Doubles pos, Doubles neg, double prior) {
        return tallymark::add_truths(scores.data(), rest.data(), pos.data(), neg.data(),
                                     pos.size(), prior);
      },
      Unlocked(), "scores"_a.noconvert(), "rest"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(), "prior"_a);
  m.def(
      "add_scores",
      [](Doubles scores, Doubles pos, Doubles neg, double unit, double low, double high) {
        return tallymark::add_scores(scores.data(), pos.data(), neg.data(), pos.size(), unit, low,
                                     high);
      },
      Unlocked(), "scores"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(), "unit"_a,
      "low"_a, "high"_a);
  m.def(
      "add_squares",
      [](Doubles scores, Doubles pos, Doubles neg, double unit, double low, double high,
         double mean1, double mean0) {
        return tallymark::add_squares(scores.data(), pos.data(), neg.data(), pos.size(), unit, low,
                                      high, mean1, mean0);
      },
      Unlocked(), "scores"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(), "unit"_a,
      "low"_a, "high"_a, "mean1"_a, "mean0"_a);
  m.def(
      "add_excess",
      [](Doubles scores, Doubles rest, Doubles pos, Doubles neg, double total, double widest) {
        return tallymark::add_excess(scores.data(), rest.data(), pos.data(), neg.data(),
                                     pos.size(), total, widest);
      },
      Unlocked(), "scores"_a.noconvert(), "rest"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(), "total"_a,
      "widest"_a);
  m.def("fit", &tallymark::fit, Unlocked());
  m.def("condense", &condense, "scores"_a.noconvert(), "columns"_a, "cuts"_a.noconvert(),
        "tp"_a.noconvert() = nb::none());
  m.def(
      "add_bins",
      [](Doubles scores, Doubles pos, Doubles neg, Vector<const std::int64_t> starts,
         Table<double> out) {
        tallymark::add_bins(scores.data(), pos.data(), neg.data(), starts.data(), out.shape(1),
                            out.data());
      },
      Unlocked(), "scores"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(),
      "starts"_a.noconvert(), "out"_a.noconvert());
  m.def(
      "add_losses",
      [](Doubles scores, Doubles rest, Doubles weights, Doubles squares, bool positive) {
        return tallymark::add_losses(scores.data(), rest.data(), weights.data(), squares.data(),
                                     scores.size(), positive);
      },
      Unlocked(), "scores"_a.noconvert(), "rest"_a.noconvert(), "weights"_a.noconvert(), "squares"_a.noconvert(),
      "positive"_a);
  m.def(
      "hull",
      [](std::optional<Vector<const double>> pos, std::optional<Vector<const double>> neg,
         std::optional<Vector<const double>> tp, std::optional<Vector<const double>> fp) {
        const auto data = [](const auto& column) { return column ? column->data() : nullptr; };
        const std::size_t groups = pos ? pos->size() : tp->size() - 1;
        std::vector<tallymark::Block> found;
        {
          nb::gil_scoped_release unlocked;
          found = tallymark::hull(data(pos), data(neg), groups, data(tp), data(fp));
        }
        auto last = fresh<std::int64_t>(found.size());
        auto hits = fresh<double>(found.size()), misses = fresh<double>(found.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          last.data()[i] = static_cast<std::int64_t>(found[i].last);
          hits.data()[i] = found[i].pos;
          misses.data()[i] = found[i].neg;
        }
        return nb::make_tuple(last, hits, misses);
      },
      "pos"_a.noconvert().none(), "neg"_a.noconvert().none(), "tp"_a.noconvert() = nb::none(),
      "fp"_a.noconvert() = nb::none());
  m.def(
      "hull_few",
      [](Vector<const double> scores, Vector<const double> pos, Vector<const double> neg,
         Table<double> out) {
        double* rows[5];
        for (std::size_t i = 0; i < 5; ++i) rows[i] = out.data() + i * out.shape(1);
        return tallymark::hull_few(scores.data(), pos.data(), neg.data(), pos.size(), rows);
      },
      "scores"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(), "out"_a.noconvert());
  m.def(
      "bin_few",
      [](Vector<const double> scores, Vector<const double> pos, Vector<const double> neg,
         bool mass, Table<double> out) {
        tallymark::bin_few(scores.data(), pos.data(), neg.data(), pos.size(), mass, out.shape(1),
                           out.data());
      },
      "scores"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(), "mass"_a,
      "out"_a.noconvert());
  m.def(
      "bin_lines",
      [](Doubles scores, Table<const double> pos, Table<const double> neg, bool mass,
         Table<double> out) {
        tallymark::bin_lines(scores.data(), pos.data(), neg.data(), pos.shape(0), pos.shape(1),
                             mass, out.shape(1) / std::max<std::size_t>(pos.shape(0), 1),
                             out.data());
      },
      Unlocked(), "scores"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(), "mass"_a,
      "out"_a.noconvert());
  m.def("hulls", &hulls, "pos"_a.noconvert(), "neg"_a.noconvert());
  m.def(
      "pool",
      [](Table<double> pos, Table<double> neg) {
        nb::gil_scoped_release unlocked;
        tallymark::pool(pos.data(), neg.data(), pos.shape(0), pos.shape(1));
      },
      "pos"_a.noconvert(), "neg"_a.noconvert());
}
