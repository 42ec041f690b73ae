// Python's face of the kernels: convert the arguments, release the lock once, call.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bins.hpp"
#include "count.hpp"
#include "order.hpp"
#include "pool.hpp"

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
  m.def(
      "find_bins",
      [](Vector<const double> scores, Vector<const double> breaks, Vector<const double> scale,
         std::size_t per, Vector<std::int64_t> bins) {
        nb::gil_scoped_release unlocked;
        tallymark::find_bins(scores.data(), scores.size(),
                             {breaks.data(), scale.data(), scale.size(), per}, bins.data());
      },
      "scores"_a.noconvert(), "breaks"_a.noconvert(), "scale"_a.noconvert(), "per"_a,
      "bins"_a.noconvert());
  m.def(
      "add_to_bins",
      [](Vector<const std::int64_t> codes, Vector<const double> scores,
         std::optional<Vector<const double>> weights, Vector<const double> breaks,
         Vector<const double> scale, std::size_t per, Vector<double> low, Vector<double> high,
         Table<double> counts, std::optional<Table<double>> squares) {
        nb::gil_scoped_release unlocked;
        tallymark::add_to_bins(codes.data(), scores.data(), weights ? weights->data() : nullptr,
                               scores.size(),
                               {breaks.data(), scale.data(), scale.size(), per}, counts.shape(1),
                               low.data(), high.data(), counts.data(),
                               squares ? squares->data() : nullptr);
      },
      "codes"_a.noconvert(), "scores"_a.noconvert(), "weights"_a.none(), "breaks"_a.noconvert(),
      "scale"_a.noconvert(), "per"_a, "low"_a.noconvert(), "high"_a.noconvert(),
      "counts"_a.noconvert(), "squares"_a.none());
  m.def(
      "pool",
      [](Table<double> pos, Table<double> neg) {
        nb::gil_scoped_release unlocked;
        tallymark::pool(pos.data(), neg.data(), pos.shape(0), pos.shape(1));
      },
      "pos"_a.noconvert(), "neg"_a.noconvert());
}
