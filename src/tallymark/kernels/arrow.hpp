// Columns of texts as Arrow hands them over: plain, as views, or as indices into a dictionary.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "text.hpp"

// The C data interface of Apache Arrow: the members and their order are fixed by its
// specification, for all libraries.
struct ArrowSchema {
  const char *format, *name, *metadata;
  std::int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace tallymark {

// What Arrow hands over is given back when it goes out of scope.
template <class Struct>
struct Owned : Struct {
  Owned() : Struct{} {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (this->release) this->release(this);
  }
};

inline bool is_text(const ArrowSchema& type) {
  const std::string_view format = type.format;
  return format == "u" || format == "U" || format == "vu";
}

inline bool is_index(const ArrowSchema& type) {
  return std::strlen(type.format) == 1 && std::strchr("cCsSiIlL", type.format[0]);
}

inline bool present(const ArrowArray& array, std::size_t i) {
  const auto* bits = static_cast<const std::uint8_t*>(array.n_buffers ? array.buffers[0] : nullptr);
  const std::size_t at = i + static_cast<std::size_t>(array.offset);
  return !bits || (bits[at / 8] >> (at % 8) & 1);
}

// Call body(get) with what returns the text of a row of a column of texts.
template <class Body>
bool with_texts(const ArrowSchema& type, const ArrowArray& array, Body&& body) {
  const auto offset = static_cast<std::size_t>(array.offset);
  static const char nothing = 0;  // an empty text is no missing one
  if (type.format[0] == 'v') {
    const auto* views = static_cast<const char*>(array.buffers[1]);
    return body([&, views, offset](std::size_t i) -> Text {
      if (!present(array, i)) return {};
      const char* view = views + 16 * (offset + i);
      std::int32_t head[4];
      std::memcpy(head, view, sizeof head);
      const auto size = static_cast<std::size_t>(head[0]);
      if (size <= 12) return {view + 4, size};
      return {static_cast<const char*>(array.buffers[2 + head[2]]) + head[3], size};
    });
  }
  const auto offsets = [&](auto zero) {
    using Offset = decltype(zero);
    const auto* ends = static_cast<const char*>(array.buffers[1]) + offset * sizeof(Offset);
    const auto* bytes = static_cast<const char*>(array.buffers[2]);
    return body([&, ends, bytes](std::size_t i) -> Text {
      if (!present(array, i)) return {};
      const auto begin = unaligned<Offset>(ends + i * sizeof(Offset));
      const auto end = unaligned<Offset>(ends + (i + 1) * sizeof(Offset));
      return {bytes ? bytes + begin : &nothing, static_cast<std::size_t>(end - begin)};
    });
  };
  return type.format[0] == 'u' ? offsets(std::int32_t{}) : offsets(std::int64_t{});
}

// Number the texts of one array of a column.
inline bool number_array(const ArrowSchema& type, const ArrowArray& array, Dictionary& known,
                         std::int16_t* codes) {
  const auto n = static_cast<std::size_t>(array.length);
  if (n == 0) return true;
  if (!type.dictionary)
    return with_texts(type, array, [&](auto&& get) { return number_texts(n, get, known, codes); });
  const ArrowArray& words = *array.dictionary;
  const auto size = static_cast<std::size_t>(words.length);
  std::vector<std::int16_t> code_of(size + 1, -1);
  if (size && !with_texts(*type.dictionary, words, [&](auto&& get) {
        return number_texts(size, get, known, code_of.data());
      }))
    return false;
  static constexpr char letters[] = "cCsSiIlL";  // of 1, 2, 4 and 8 bytes, signed and not
  const auto kind = static_cast<std::size_t>(std::strchr(letters, type.format[0]) - letters);
  const AnyVector indices{array.buffers[1], n, std::size_t{1} << kind / 2, kind % 2 ? 'u' : 'i'};
  return with_integers(indices, [&](const auto* first) {
    using Index = std::remove_const_t<std::remove_pointer_t<decltype(first)>>;
    const auto* from = static_cast<const char*>(array.buffers[1]) + array.offset * sizeof(Index);
    const bool gaps = array.null_count != 0 && array.buffers[0];
    split(n, parts(n), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        codes[i] = gaps && !present(array, i)
                       ? std::int16_t{-1}
                       : code_of[static_cast<std::size_t>(unaligned<Index>(from + i * sizeof(Index)))];
    });
    return true;
  });
}

struct Numbered {
  std::vector<std::int16_t> codes;
  Dictionary known;
  bool usable = false;
};

// Number the texts of a whole column; not usable where it holds something else, or too many.
inline Numbered number_stream(ArrowArrayStream& stream) {
  Numbered out;
  Owned<ArrowSchema> type;
  if (stream.get_schema(&stream, &type)) return out;
  if (type.dictionary ? !is_text(*type.dictionary) || !is_index(type) : !is_text(type)) return out;
  for (;;) {
    Owned<ArrowArray> array;
    if (stream.get_next(&stream, &array)) return out;
    if (!array.release) break;
    const std::size_t before = out.codes.size();
    out.codes.resize(before + static_cast<std::size_t>(array.length));
    if (!number_array(type, array, out.known, out.codes.data() + before)) return out;
  }
  out.usable = true;
  return out;
}

}  // namespace tallymark
