// How many cores this process may use, and large pages of memory. What asks one system alone stands
// in this file.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#ifdef __linux__
#include <sched.h>
#include <sys/mman.h>
#endif

namespace tallymark {

// The cores' worth of time that files of a control group grant, rounded up; 0 where they set no
// limit. Version 2 has both numbers in cpu.max, version 1 each in a file of its own, -1 for none.
inline std::size_t granted(const std::string& folder) {
  double quota = 0, period = 0;
  if (std::ifstream both(folder + "/cpu.max"); both) {
    both >> quota >> period;  // "max" is no number, and leaves 0
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  if (!(quota > 0 && period > 0)) return 0;
  return static_cast<std::size_t>(std::ceil(std::min(quota / period, 1e6)));
}

// The least quota of the control groups of this process, 0 for none: of its own group and of each
// that holds it. Files are looked for below root. A container may name groups that only the host
// sees; they lack files there, and the last folder asked is the container's own.
inline std::size_t quota(const std::string& root) {
  std::size_t least = 0;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // NUMBER:CONTROLLERS:/PATH
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1), mounted = root + "/sys/fs/cgroup";
    if (!controllers.empty()) {
      bool of_time = false;
      std::istringstream names(controllers);
      for (std::string name; std::getline(names, name, ',');) of_time = of_time || name == "cpu";
      if (!of_time) continue;
      mounted += "/" + controllers;
    }
    for (;; path.erase(path.rfind('/'))) {
      const std::size_t found = granted(mounted + path);
      if (found) least = least ? std::min(least, found) : found;
      if (path.find('/') == std::string::npos) break;
    }
  }
  return least;
}

// The cores that this process may use, which may be fewer than the machine has. The quota is read
// once: who changes it while a program runs gets as many threads as before.
inline std::size_t cores() {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    const auto count = static_cast<std::size_t>(std::max(1, CPU_COUNT(&allowed)));
    static const std::size_t most = quota("");
    return most ? std::min(count, most) : count;
  }
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

// Ask for large pages for fresh memory, as NumPy does: the system then maps it in fewer steps.
inline void use_large_pages(void* memory, std::size_t size) {
#ifdef __linux__
  constexpr std::size_t page = 4096, least = std::size_t{1} << 22;
  const std::size_t off = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
  if (size >= least) madvise(static_cast<char*>(memory) + off, size - off, MADV_HUGEPAGE);
#else
  (void)memory, (void)size;
#endif
}

}  // namespace tallymark
