// Python's face of what is read off counts at each score.
#include "bind.hpp"

#include "along.hpp"
#include "answers.hpp"
#include "condense.hpp"
#include "logistic.hpp"
#include "pool.hpp"
#include "rank_sums.hpp"
#include "rates.hpp"

namespace {

// Scores, one less each, and columns of their counts, condensed between ascending cuts: a table of
// as many lines. Cumulative columns count from the highest score down.
nb::object condense(Doubles scores, const std::vector<Doubles>& given,
                    Vector<const std::int64_t> cuts, bool cumulative) {
  std::vector<tallymark::Together> parts;
  tallymark::Columns columns{{}, cumulative, scores.size()};
  for (const auto& column : given) columns.given.push_back(column.data());
  {
    nb::gil_scoped_release unlocked;
    parts = tallymark::stretches(scores.data(), cuts.data(), cuts.size());
  }
  const std::size_t size = parts.back().to, lines = given.size() + 2;
  auto* values = new double[lines * size];
  nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  std::vector<double*> out;
  for (std::size_t c = 2; c < lines; ++c) out.push_back(values + c * size);
  {
    nb::gil_scoped_release unlocked;
    tallymark::condense(scores.data(), columns, parts, values, values + size, out);
  }
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(values, {lines, size}, owner));
}

// The blocks of the hull of one row of groups: the last group of each, and its rows of both classes.
nb::tuple hull(Doubles tp, Doubles fp) {
  std::vector<tallymark::Block> found;
  {
    nb::gil_scoped_release unlocked;
    found = tallymark::hull(tp.data(), fp.data(), tp.size() - 1);
  }
  auto last = fresh<std::int64_t>(found.size());
  auto hits = fresh<double>(found.size()), misses = fresh<double>(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    last.data()[i] = static_cast<std::int64_t>(found[i].last);
    hits.data()[i] = found[i].pos;
    misses.data()[i] = found[i].neg;
  }
  return nb::make_tuple(last, hits, misses);
}

// The blocks of the hulls of many rows of groups, side by side.
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

// What metrics read of the counts at each score.
void bind_rankings(nb::module_& m) {
  m.def(
      "cumulative_counts",
      [](Table<const double> pos, Table<const double> neg, Table<double> tp, Table<double> fp) {
        const std::size_t n = pos.shape(1);
        for (std::size_t r = 0; r < pos.shape(0); ++r)
          tallymark::cumulative_counts(pos.data() + r * n, neg.data() + r * n, n,
                                       tp.data() + r * (n + 1), fp.data() + r * (n + 1));
      },
      Unlocked(), "pos"_a.noconvert(), "neg"_a.noconvert(), "tp"_a.noconvert(),
      "fp"_a.noconvert());
  m.def(
      "class_totals",
      [](Table<const double> pos, Table<const double> neg, Table<double> out) {
        const std::size_t n = pos.shape(1);
        for (std::size_t r = 0; r < pos.shape(0); ++r) {
          const auto found = tallymark::class_totals(pos.data() + r * n, neg.data() + r * n, n);
          std::copy(found.begin(), found.end(), out.data() + r * found.size());
        }
      },
      Unlocked(), "pos"_a.noconvert(), "neg"_a.noconvert(), "out"_a.noconvert());
  m.def(
      "rank_sums",
      [](Table<const double> tp, Table<const double> fp, Table<double> out) {
        const std::size_t width = tp.shape(1);
        for (std::size_t r = 0; r < tp.shape(0); ++r) {
          const auto found =
              tallymark::rank_sums(tp.data() + r * width, fp.data() + r * width, width - 1);
          std::copy(found.begin(), found.end(), out.data() + r * found.size());
        }
      },
      Unlocked(), "tp"_a.noconvert(), "fp"_a.noconvert(), "out"_a.noconvert());
  m.def(
      "answer_sums",
      [](Doubles scores, Table<const double> pos, Table<const double> neg, bool probabilities,
         Table<double> out) {
        tallymark::answer_sums({scores.data(), scores.size(), probabilities}, pos.data(),
                               neg.data(), pos.shape(0), out.data());
      },
      Unlocked(), "scores"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(),
      "probabilities"_a, "out"_a.noconvert());
  m.def(
      "add_placements",
      [](Doubles tp, Doubles fp, std::optional<Doubles> pos2, std::optional<Doubles> neg2) {
        return tallymark::add_placements(tp.data(), fp.data(), tp.size() - 1,
                                         pos2 ? pos2->data() : nullptr,
                                         neg2 ? neg2->data() : nullptr);
      },
      Unlocked(), "tp"_a.noconvert(), "fp"_a.noconvert(), "pos2"_a.noconvert().none(),
      "neg2"_a.noconvert().none());
  m.def(
      "add_losses",
      [](Doubles scores, Doubles rest, Doubles weights, Doubles squares, bool positive) {
        return tallymark::add_losses(scores.data(), rest.data(), weights.data(), squares.data(),
                                     scores.size(), positive);
      },
      Unlocked(), "scores"_a.noconvert(), "rest"_a.noconvert(), "weights"_a.noconvert(),
      "squares"_a.noconvert(), "positive"_a);
  m.def(
      "trapezoids",
      [](Doubles x, Doubles y) { return tallymark::trapezoids(x.data(), y.data(), x.size()); },
      Unlocked(), "x"_a.noconvert(), "y"_a.noconvert());
  m.def("fit", &tallymark::fit, Unlocked());
  m.def("condense", &condense, "scores"_a.noconvert(), "columns"_a, "cuts"_a.noconvert(),
        "cumulative"_a);
  m.def("hull", &hull, "tp"_a.noconvert(), "fp"_a.noconvert());
  m.def("hulls", &hulls, "pos"_a.noconvert(), "neg"_a.noconvert());
  m.def(
      "pool",
      [](Table<double> pos, Table<double> neg) {
        tallymark::pool(pos.data(), neg.data(), pos.shape(0), pos.shape(1));
      },
      Unlocked(), "pos"_a.noconvert(), "neg"_a.noconvert());
}
