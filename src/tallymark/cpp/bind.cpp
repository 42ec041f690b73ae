// Python's face of the kernels: convert the arguments, release the lock once, call.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include "count.hpp"
#include "order.hpp"
#include "pool.hpp"
#include "slices.hpp"

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
using Table = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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

// Rows in slices: see slices.hpp. The number of slices is that of what is written for them.
void bind_slices(nb::module_& m) {
  using Keys = Vector<const std::uint64_t>;
  using Places = Vector<const std::int64_t>;
  using Numbers = Vector<const double>;
  m.def(
      "slice_rows",
      [](Places slices, Vector<const std::int8_t> codes, Numbers scores,
         Vector<std::uint64_t> keys, Vector<std::int64_t> starts) {
        nb::gil_scoped_release unlocked;
        tallymark::slice_rows(slices.data(), codes.data(), scores.data(), scores.size(),
                              starts.size() / 2, keys.data(), starts.data());
      },
      "slices"_a.noconvert(), "codes"_a.noconvert(), "scores"_a.noconvert(), "keys"_a.noconvert(),
      "starts"_a.noconvert());
  m.def(
      "slice_order",
      [](Places slices, Numbers scores, std::size_t size, Vector<std::int64_t> order) {
        nb::gil_scoped_release unlocked;
        tallymark::slice_order(slices.data(), scores.data(), scores.size(), size, order.data());
      },
      "slices"_a.noconvert(), "scores"_a.noconvert(), "size"_a, "order"_a.noconvert());
  m.def(
      "slice_groups",
      [](Keys keys, Places starts, Vector<std::int64_t> groups) {
        nb::gil_scoped_release unlocked;
        tallymark::slice_groups(keys.data(), starts.data(), groups.size(), groups.data());
      },
      "keys"_a.noconvert(), "starts"_a.noconvert(), "groups"_a.noconvert());
  m.def(
      "slice_lines",
      [](Keys keys, Places starts, Places ends, Vector<double> scores, Table<double> counts) {
        nb::gil_scoped_release unlocked;
        tallymark::slice_lines(keys.data(), starts.data(), ends.data(), ends.size() - 1,
                               scores.data(), counts.data());
      },
      "keys"_a.noconvert(), "starts"_a.noconvert(), "ends"_a.noconvert(), "scores"_a.noconvert(),
      "counts"_a.noconvert());
  m.def(
      "slice_cut",
      [](Keys keys, Places starts, double threshold, Table<double> table) {
        nb::gil_scoped_release unlocked;
        tallymark::slice_cut(keys.data(), starts.data(), table.shape(0), threshold, table.data());
      },
      "keys"_a.noconvert(), "starts"_a.noconvert(), "threshold"_a, "table"_a.noconvert());
  m.def(
      "judge_keys",
      [](Keys keys, Places starts, bool positive, Places losses, Table<double> out) {
        nb::gil_scoped_release unlocked;
        tallymark::judge_keys(keys.data(), starts.data(), out.shape(0), positive, losses.data(),
                              losses.size(), out.data());
      },
      "keys"_a.noconvert(), "starts"_a.noconvert(), "positive"_a, "losses"_a.noconvert(),
      "out"_a.noconvert());
  m.def(
      "judge_counts",
      [](Numbers scores, Table<const double> counts, Table<const double> squares, Places ends,
         bool positive, Places losses, Table<double> out) {
        nb::gil_scoped_release unlocked;
        tallymark::judge_counts(scores.data(), counts.data(), squares.data(), ends.data(),
                                out.shape(0), positive, losses.data(), losses.size(), out.data());
      },
      "scores"_a.noconvert(), "counts"_a.noconvert(), "squares"_a.noconvert(),
      "ends"_a.noconvert(), "positive"_a, "losses"_a.noconvert(), "out"_a.noconvert());
}

NB_MODULE(_kernels, m) {
  bind_slices(m);
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
  m.def(
      "pool",
      [](Table<double> pos, Table<double> neg) {
        nb::gil_scoped_release unlocked;
        tallymark::pool(pos.data(), neg.data(), pos.shape(0), pos.shape(1));
      },
      "pos"_a.noconvert(), "neg"_a.noconvert());
}
