// Python's face of the kernels: convert the arguments, release the lock once, call.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>

#include "along.hpp"
#include "count.hpp"
#include "order.hpp"
#include "pool.hpp"

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
using Table = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A new array of Python's.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> fresh(std::size_t size) {
  auto* values = new T[size];
  nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return {values, {size}, owner};
}

template <class T>
nb::object count_pairs(Vector<const T> truth, Vector<const T> called) {
  tallymark::PairTable found;
  {
    nb::gil_scoped_release unlocked;
    found = tallymark::count_pairs(truth.data(), called.data(), truth.size());
  }
  if (found.cells.empty()) return nb::none();
  auto* cells = new std::vector<std::uint64_t>(std::move(found.cells));
  nb::capsule owner(cells, [](void* p) noexcept {
    delete static_cast<std::vector<std::uint64_t>*>(p);
  });
  nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>> table(
      cells->data(), {found.width, found.width}, owner);
  return nb::make_tuple(found.low, table);
}

template <class T>
auto pack(Vector<const T> labels, std::int64_t negative, std::int64_t positive,
          Vector<const double> scores, Vector<std::uint64_t> keys) {
  tallymark::Packed out;
  {
    nb::gil_scoped_release unlocked;
    out = tallymark::pack(labels.data(), negative, positive, scores.data(), scores.size(),
                          keys.data());
  }
  return std::make_tuple(out.bad, out.below_zero, out.starts[1], out.starts[2]);
}

template <class T>
void bind_labels(nb::module_& m) {
  m.def("count_pairs", &count_pairs<T>, "truth"_a.noconvert(), "called"_a.noconvert());
  m.def("pack", &pack<T>, "labels"_a.noconvert(), "negative"_a, "positive"_a,
        "scores"_a.noconvert(), "keys"_a.noconvert());
}

NB_MODULE(_kernels, m) {
  bind_labels<std::int64_t>(m);
  bind_labels<std::int32_t>(m);
  bind_labels<std::int16_t>(m);
  bind_labels<std::int8_t>(m);
  bind_labels<std::uint8_t>(m);
  bind_labels<std::uint16_t>(m);
  bind_labels<std::uint32_t>(m);

  m.def(
      "order_pairs",
      [](Vector<const std::uint64_t> keys, std::size_t below_zero) {
        tallymark::PairOrder out;
        {
          nb::gil_scoped_release unlocked;
          out = tallymark::order_pairs(keys.data(), keys.size(), below_zero);
        }
        return std::make_tuple(out.lower, out.not_higher, out.negatives);
      },
      "keys"_a.noconvert(), "below_zero"_a);
  m.def(
      "count_groups",
      [](Vector<const std::uint64_t> keys, std::size_t below_zero) {
        nb::gil_scoped_release unlocked;
        return tallymark::count_groups(keys.data(), keys.size(), below_zero);
      },
      "keys"_a.noconvert(), "below_zero"_a);
  m.def(
      "fill_groups",
      [](Vector<const std::uint64_t> keys, std::size_t below_zero, Vector<double> scores,
         Vector<double> negatives, Vector<double> positives) {
        nb::gil_scoped_release unlocked;
        tallymark::fill_groups(keys.data(), keys.size(), below_zero, scores.data(),
                               negatives.data(), positives.data());
      },
      "keys"_a.noconvert(), "below_zero"_a, "scores"_a.noconvert(), "negatives"_a.noconvert(),
      "positives"_a.noconvert());
  m.def(
      "place",
      [](Vector<const double> scores, Vector<const double> cuts, Vector<std::uint16_t> places) {
        nb::gil_scoped_release unlocked;
        tallymark::place(scores.data(), scores.size(), cuts.data(), cuts.size(), places.data());
      },
      "scores"_a.noconvert(), "cuts"_a.noconvert(), "places"_a.noconvert());
  using Doubles = Vector<const double>;
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  m.def(
      "add_ranks",
      [](Doubles pos, Doubles neg, Doubles tp, Doubles fp, double positives, double negatives) {
        return tallymark::add_ranks(pos.data(), neg.data(), tp.data(), fp.data(), pos.size(),
                                    positives, negatives);
      },
      Unlocked(), "pos"_a.noconvert(), "neg"_a.noconvert(), "tp"_a.noconvert(),
      "fp"_a.noconvert(), "positives"_a, "negatives"_a);
  m.def(
      "add_truths",
      [](Doubles scores, Doubles pos, Doubles neg, double prior) {
        return tallymark::add_truths(scores.data(), pos.data(), neg.data(), pos.size(), prior);
      },
      Unlocked(), "scores"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(), "prior"_a);
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
      [](Doubles scores, Doubles pos, Doubles neg, double total, double widest) {
        return tallymark::add_excess(scores.data(), pos.data(), neg.data(), pos.size(), total,
                                     widest);
      },
      Unlocked(), "scores"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(), "total"_a,
      "widest"_a);
  m.def(
      "add_bends",
      [](Doubles scores, Doubles pos, Doubles neg, double most, Doubles lines) {
        return tallymark::add_bends(scores.data(), pos.data(), neg.data(), pos.size(), most,
                                    lines.data());
      },
      Unlocked(), "scores"_a.noconvert(), "pos"_a.noconvert(), "neg"_a.noconvert(), "most"_a,
      "lines"_a.noconvert());
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
      [](Doubles scores, Doubles weights, Doubles squares, bool positive) {
        return tallymark::add_losses(scores.data(), weights.data(), squares.data(), scores.size(),
                                     positive);
      },
      Unlocked(), "scores"_a.noconvert(), "weights"_a.noconvert(), "squares"_a.noconvert(),
      "positive"_a);
  m.def(
      "hull",
      [](Vector<const double> pos, Vector<const double> neg) {
        std::vector<tallymark::Block> found;
        {
          nb::gil_scoped_release unlocked;
          found = tallymark::hull(pos.data(), neg.data(), pos.size());
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
      "pos"_a.noconvert(), "neg"_a.noconvert());
  m.def(
      "pool",
      [](Table<double> pos, Table<double> neg) {
        nb::gil_scoped_release unlocked;
        tallymark::pool(pos.data(), neg.data(), pos.shape(0), pos.shape(1));
      },
      "pos"_a.noconvert(), "neg"_a.noconvert());
}
