// Terms of levels of confidence: see answers.hpp.
#include "answers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "along.hpp"
#include "wide.hpp"

namespace tallymark {
namespace {

// Harmonic numbers are series in N + 1/2 from so many rows on, with an error below 1e-15.
constexpr double kSeries = 64;

TALLYMARK_INLINE double tail(double x) {
  const double square = 1 / (x * x);
  return square * (1.0 / 24 - square * (7.0 / 960 - square * (31.0 / 8064)));
}

// H(N + m) - H(N), that is 1/(N + 1) + ... + 1/(N + m), of any N and m: fewer rows are led up to
// those of the series.
double harmonic_difference(double above, double rows) {
  double sum = 0;
  for (; above < kSeries; ++above) sum += rows / ((above + 1) * (above + rows + 1));
  const double start = above + 0.5;
  return sum + (log1p_near(rows / start) + (tail(start + rows) - tail(start)));
}

}  // namespace

TALLYMARK_WIDE std::array<double, 2> add_levels(const double* rows, const double* wrong,
                                                const double* above, const double* wrong_above,
                                                std::size_t n) {
  std::array<double, kLevels> steps, risks, errors;
  bool others = false;
  for (std::size_t i = 0; i < n; ++i) others |= rows[i] != 1;
  if (!others) {
    for (std::size_t i = 0; i < n; ++i) steps[i] = 1 / (above[i] + 1);
  } else {
    for (std::size_t i = 0; i < n; ++i) {  // ln(1 + x) is 2 atanh(z), z = x/(2 + x)
      const double start = above[i] + 0.5, end = start + rows[i], z = rows[i] / (start + end);
      const double z2 = z * z;
      steps[i] = 2 * (z + z * (z2 * rest_of_atanh(z2))) + (tail(end) - tail(start));
    }
    for (std::size_t i = 0; i < n; ++i)
      if (!(above[i] >= kSeries && rows[i] < 0.1 * above[i]))
        steps[i] = harmonic_difference(above[i], rows[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double share = wrong[i] / (rows[i] == 0 ? 1 : rows[i]);
    risks[i] = wrong[i] + (wrong_above[i] - above[i] * share) * steps[i];
    errors[i] = rows[i] * (wrong_above[i] + wrong[i] / 2);
  }
  std::array<double, 2> sums{};
  for (std::size_t i = 0; i < n; ++i) sums[0] += risks[i], sums[1] += errors[i];
  return sums;
}

}  // namespace tallymark
