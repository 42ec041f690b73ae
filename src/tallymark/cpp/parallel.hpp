// Run a loop over [0, n) on the machine's cores, or here when it is short.
#pragma once
#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace tallymark {

inline std::size_t workers(std::size_t n, std::size_t least = std::size_t{1} << 18) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(n / least, 1, cores);
}

// Call body(worker, begin, end) once for each worker, on contiguous parts in order.
template <class Body>
void split(std::size_t n, std::size_t count, Body&& body) {
  if (count == 1) {
    body(std::size_t{0}, std::size_t{0}, n);
    return;
  }
  std::vector<std::thread> crew;
  crew.reserve(count - 1);
  for (std::size_t w = 1; w < count; ++w)
    crew.emplace_back([&body, w, n, count] { body(w, n * w / count, n * (w + 1) / count); });
  body(std::size_t{0}, std::size_t{0}, n / count);
  for (auto& member : crew) member.join();
}

}  // namespace tallymark
