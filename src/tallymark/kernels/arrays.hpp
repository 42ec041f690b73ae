// Arrays as kernels take them: where the values lie, and how many there are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tallymark {

template <class T>
class Vector {
 public:
  Vector() = default;
  Vector(T* data, std::size_t size) : data_(data), size_(size) {}
  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Row after row.
template <class T>
class Table {
 public:
  Table() = default;
  Table(T* data, std::size_t rows, std::size_t columns) : data_(data), shape_{rows, columns} {}
  T* data() const { return data_; }
  std::size_t shape(int axis) const { return shape_[axis]; }

 private:
  T* data_ = nullptr;
  std::size_t shape_[2] = {0, 0};
};

// A vector whose type is known when it is there: 'f' floating, 'i' signed or 'u' unsigned, 'O'
// Python's objects.
struct AnyVector {
  const void* data = nullptr;
  std::size_t size = 0, width = 0;
  char kind = 0;
};

// Call body(pointer) with a pointer of the type of integers.
template <class Body>
auto with_integers(const AnyVector& v, Body&& body) {
  const bool is_signed = v.kind == 'i';
  switch (v.width) {
    case 1:
      return is_signed ? body(static_cast<const std::int8_t*>(v.data))
                       : body(static_cast<const std::uint8_t*>(v.data));
    case 2:
      return is_signed ? body(static_cast<const std::int16_t*>(v.data))
                       : body(static_cast<const std::uint16_t*>(v.data));
    case 4:
      return is_signed ? body(static_cast<const std::int32_t*>(v.data))
                       : body(static_cast<const std::uint32_t*>(v.data));
    default:
      return is_signed ? body(static_cast<const std::int64_t*>(v.data))
                       : body(static_cast<const std::uint64_t*>(v.data));
  }
}

// Bring memory near that is needed soon.
inline void prefetch(const void* at) {
#if defined(__GNUC__)
  __builtin_prefetch(at);
#else
  (void)at;
#endif
}

// A value that may lie anywhere.
template <class T>
T unaligned(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace tallymark
