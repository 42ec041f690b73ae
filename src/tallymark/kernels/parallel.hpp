// Run a loop over [0, n) on the machine's cores, or here when it is short.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "cores.hpp"

namespace tallymark {

inline std::size_t workers(std::size_t n, std::size_t least = std::size_t{1} << 18) {
  return std::clamp<std::size_t>(n / least, 1, cores());
}

// Parts of [0, n) for workers to take as they come: a core that others use as well takes fewer.
inline std::size_t parts(std::size_t n) {
  const std::size_t count = workers(n);
  return count == 1 ? 1 : 4 * count;
}

// Call body(part, begin, end) once for each part, on contiguous parts in order. A thread that cannot
// start leaves its parts to the others; an exception of any part is thrown here.
template <class Body>
void split(std::size_t n, std::size_t count, Body&& body) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  const auto work = [&] {
    try {
      for (std::size_t p; (p = next++) < count;) body(p, n * p / count, n * (p + 1) / count);
    } catch (...) {
      next = count;
      if (!failed.test_and_set()) error = std::current_exception();
    }
  };
  std::vector<std::thread> crew;
  try {
    for (std::size_t w = 1; w < std::min(count, cores()); ++w) crew.emplace_back(work);
  } catch (const std::exception&) {  // the system has no more threads, or no memory for them
  }
  work();
  for (auto& member : crew) member.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace tallymark
