// Texts to small integers: every distinct one is numbered as it first comes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"

namespace tallymark {

// A text as it lies in memory, whose characters are so many bytes wide (0: UTF-8). Texts of
// different widths are never the same: Python has each in the least that it needs.
struct Text {
  const char* bytes = nullptr;  // null where the text is missing
  std::size_t size = 0;
  std::uint8_t width = 0;
};

constexpr std::size_t kBrief = 8;

// All the bytes of a brief text in one number, which with its size tells it from any other.
inline std::uint64_t word_of(const Text& text) {
  const std::size_t n = text.size;
  if (n >= 4) return std::uint64_t{unaligned<std::uint32_t>(text.bytes)} << 32 | unaligned<std::uint32_t>(text.bytes + n - 4);
  if (n == 0) return 0;
  const auto byte = [&](std::size_t i) { return std::uint64_t(static_cast<unsigned char>(text.bytes[i])); };
  return byte(0) << 16 | byte(n / 2) << 8 | byte(n - 1);
}

inline std::uint64_t hash_of(const Text& text, std::uint64_t word) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15u;
  const std::size_t n = text.size;
  std::uint64_t hash = n * odd ^ text.width ^ word;
  if (n >= kBrief) {
    for (std::size_t i = 0; i + 8 < n; i += 8) {
      hash = (hash ^ unaligned<std::uint64_t>(text.bytes + i)) * odd;
      hash ^= hash >> 32;
    }
    hash ^= unaligned<std::uint64_t>(text.bytes + n - 8);  // the last bytes, some of them for the second time
  }
  hash *= odd;
  return hash ^ hash >> 32;
}

class Dictionary {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 14;

  Dictionary() : slots_(4 * kMost, std::int16_t{-1}) {}

  std::size_t size() const { return known_.size(); }
  Text text(std::size_t code) const {
    return {known_[code].bytes.data(), known_[code].bytes.size(), known_[code].width};
  }

  // The code of a text, -1 if it has none.
  std::int16_t find(const Text& text) const { return slots_[slot(text)]; }

  // The code of a text, a new one if it had none; -1 if there are too many.
  std::int16_t add(const Text& text) {
    const std::size_t at = slot(text);
    if (slots_[at] < 0 && size() < kMost) {
      slots_[at] = static_cast<std::int16_t>(size());
      known_.push_back({brief_word(text), text.size, text.width, {text.bytes, text.size}});
    }
    return slots_[at];
  }

 private:
  struct Known {
    std::uint64_t word;  // of a brief text, 0 of others
    std::size_t size;
    std::uint8_t width;
    std::string bytes;
  };

  static std::uint64_t brief_word(const Text& text) {
    return text.size < kBrief ? word_of(text) : 0;
  }

  std::size_t slot(const Text& text) const {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t word = brief_word(text);
    std::size_t at = hash_of(text, word) & mask;
    while (slots_[at] >= 0 && !same(known_[static_cast<std::size_t>(slots_[at])], text, word))
      at = (at + 1) & mask;
    return at;
  }

  static bool same(const Known& known, const Text& text, std::uint64_t word) {
    return known.word == word && known.size == text.size && known.width == text.width &&
           (text.size < kBrief || std::memcmp(known.bytes.data(), text.bytes, text.size) == 0);
  }

  std::vector<std::int16_t> slots_;
  std::vector<Known> known_;
};

// Number the texts get(0) to get(n - 1): codes, -1 of missing ones. False if there are too many.
template <class Get>
bool number_texts(std::size_t n, Get&& get, Dictionary& known, std::int16_t* codes) {
  const auto number = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Text text = get(i);
      codes[i] = text.bytes ? known.add(text) : std::int16_t{-1};
      if (text.bytes && codes[i] < 0) return false;
    }
    return true;
  };
  // The first rows nearly always hold every class; the others then only look them up, on all
  // cores. Should one not be known, its part starts again here.
  const std::size_t first = std::min<std::size_t>(n, std::size_t{1} << 14);
  if (!number(0, first)) return false;
  const std::size_t rest = n - first, count = parts(rest);
  std::vector<char> strange(count, 0);
  if (rest)
    split(rest, count, [&](std::size_t p, std::size_t begin, std::size_t end) {
      bool unknown_here = false;
      for (std::size_t i = first + begin; i < first + end && !unknown_here; ++i) {
        const Text text = get(i);
        codes[i] = text.bytes ? known.find(text) : std::int16_t{-1};
        unknown_here = text.bytes && codes[i] < 0;
      }
      strange[p] = unknown_here;
    });
  for (std::size_t p = 0; p < count; ++p)
    if (strange[p] && !number(first + rest * p / count, first + rest * (p + 1) / count)) return false;
  return true;
}

}  // namespace tallymark
