// What Python's face of the kernels is made with: arrays as it hands them over, and new ones.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

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

using Doubles = Vector<const double>;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// Sums and rates along a ranking: bind_rankings.cpp.
void bind_rankings(nb::module_& m);

// What curves are made with: bind_curves.cpp.
void bind_curves(nb::module_& m);
