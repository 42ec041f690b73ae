// Sums of Chebyshev's polynomials: see condense.hpp.
#include "condense.hpp"

#include "wide.hpp"

namespace tallymark {

TALLYMARK_WIDE void add_polynomials(const double* w, const double* t, std::size_t n,
                                    std::array<double, kNodes>& sums) {
  constexpr std::size_t lanes = 8;
  double found[kNodes][lanes] = {};
  const auto add = [&](std::size_t i, std::size_t size) {
    for (std::size_t l = 0; l < size; ++l) {
      const double twice = 2 * t[i + l], b0 = w[i + l], b1 = b0 * t[i + l];
      const double b2 = twice * b1 - b0, b3 = twice * b2 - b1, b4 = twice * b3 - b2;
      const double b5 = twice * b4 - b3, b6 = twice * b5 - b4, b7 = twice * b6 - b5;
      found[0][l] += b0, found[1][l] += b1, found[2][l] += b2, found[3][l] += b3;
      found[4][l] += b4, found[5][l] += b5, found[6][l] += b6, found[7][l] += b7;
    }
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) add(i, lanes);
  add(i, n - i);
  for (std::size_t k = 0; k < kNodes; ++k)
    for (const double lane : found[k]) sums[k] += lane;
}

}  // namespace tallymark
