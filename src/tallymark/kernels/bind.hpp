// How Python's arrays become arguments of kernels, and new ones results.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "arrays.hpp"
#include "cores.hpp"

namespace nanobind::detail {

struct Borrowed {
  void* data;
  std::size_t shape[2], width;
  char kind;
};

// Tell where the values of an array lie, of so many axes, in C order and the machine's byte order.
// Every array of every kernel passes here, so that one that is not aligned to its type is copied
// here and nowhere else. The caller's arguments keep the memory until the kernel returns.
inline bool borrow(PyObject* array, int axes, bool writable, cleanup_list* cleanup, Borrowed& out) {
  const int wanted = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, wanted)) {
    PyErr_Clear();
    return false;
  }
  const char* format = view.format + (*view.format == '@' || *view.format == '=');
  const auto is_any = [&](const char* letters) {
    return *format && !format[1] && std::strchr(letters, *format);
  };
  out.kind = is_any("df") ? 'f' : is_any("bhilq") ? 'i' : is_any("BHILQ?") ? 'u' : is_any("O") ? 'O' : 0;
  const bool usable = out.kind && view.ndim == axes;
  out.data = view.buf, out.width = static_cast<std::size_t>(view.itemsize);
  for (int axis = 0; usable && axis < axes; ++axis)
    out.shape[axis] = static_cast<std::size_t>(view.shape[axis]);
  PyBuffer_Release(&view);
  if (!usable || reinterpret_cast<std::uintptr_t>(out.data) % out.width == 0) return usable;
  if (writable || !cleanup) return false;
  PyObject* const copy = PyObject_CallMethod(array, "copy", nullptr);
  if (!copy) {
    PyErr_Clear();
    return false;
  }
  cleanup->append(copy);
  return borrow(copy, axes, false, nullptr, out);
}

template <class T>
bool borrow(handle array, int axes, cleanup_list* cleanup, Borrowed& out) {
  using Plain = std::remove_const_t<T>;
  constexpr char kind = std::is_floating_point_v<Plain> ? 'f' : std::is_signed_v<Plain> ? 'i' : 'u';
  return borrow(array.ptr(), axes, !std::is_const_v<T>, cleanup, out) && out.kind == kind &&
         out.width == sizeof(T);
}

template <class T>
struct type_caster<tallymark::Vector<T>> {
  NB_TYPE_CASTER(tallymark::Vector<T>, const_name("numpy.ndarray"))
  bool from_python(handle array, std::uint32_t, cleanup_list* cleanup) noexcept {
    Borrowed b;
    if (!borrow<T>(array, 1, cleanup, b)) return false;
    value = {static_cast<T*>(b.data), b.shape[0]};
    return true;
  }
};

template <class T>
struct type_caster<tallymark::Table<T>> {
  NB_TYPE_CASTER(tallymark::Table<T>, const_name("numpy.ndarray"))
  bool from_python(handle array, std::uint32_t, cleanup_list* cleanup) noexcept {
    Borrowed b;
    if (!borrow<T>(array, 2, cleanup, b)) return false;
    value = {static_cast<T*>(b.data), b.shape[0], b.shape[1]};
    return true;
  }
};

template <>
struct type_caster<tallymark::AnyVector> {
  NB_TYPE_CASTER(tallymark::AnyVector, const_name("numpy.ndarray"))
  bool from_python(handle array, std::uint32_t, cleanup_list* cleanup) noexcept {
    Borrowed b;
    if (!borrow(array.ptr(), 1, false, cleanup, b)) return false;
    value = {b.data, b.shape[0], b.width, b.kind};
    return true;
  }
};

}  // namespace nanobind::detail

namespace nb = nanobind;
using namespace nb::literals;
using tallymark::Table;
using tallymark::Vector;
using Doubles = Vector<const double>;

// The lock is released around the whole of a kernel.
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// A new array of Python's.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> fresh(std::size_t size) {
  auto* values = new T[size];
  tallymark::use_large_pages(values, size * sizeof(T));
  nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return {values, {size}, owner};
}

// Sums and rates along a ranking: bind_rankings.cpp.
void bind_rankings(nb::module_& m);
