// Sums of Chebyshev's polynomials: see condense.hpp.
#include "condense.hpp"

#include "wide.hpp"

namespace tallymark {

TALLYMARK_WIDE void add_polynomials_single(const double* tp, const double* t, std::size_t n,
                                           bool positive, std::array<double, kNodes>& of_class,
                                           std::array<double, kNodes>& of_all) {
  constexpr std::size_t lanes = 4;  // as many sums as there are registers for
  double some[kNodes][lanes] = {}, all[kNodes][lanes] = {};
  const double none = positive ? 0 : 1, hit = positive ? 1 : -1;
  const auto add = [&](std::size_t i, std::size_t size) {
    for (std::size_t l = 0; l < size; ++l) {
      const double w = none + hit * (tp[n - i - l] - tp[n - i - l - 1]);
      const double t1 = t[i + l], twice = 2 * t1, t2 = twice * t1 - 1, t3 = twice * t2 - t1;
      const double t4 = twice * t3 - t2, t5 = twice * t4 - t3, t6 = twice * t5 - t4;
      const double t7 = twice * t6 - t5;
      some[0][l] += w, some[1][l] += w * t1, some[2][l] += w * t2, some[3][l] += w * t3;
      some[4][l] += w * t4, some[5][l] += w * t5, some[6][l] += w * t6, some[7][l] += w * t7;
      all[1][l] += t1, all[2][l] += t2, all[3][l] += t3, all[4][l] += t4;
      all[5][l] += t5, all[6][l] += t6, all[7][l] += t7;
    }
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) add(i, lanes);
  add(i, n - i);
  of_all[0] += static_cast<double>(n);
  for (std::size_t k = 0; k < kNodes; ++k) {
    for (const double lane : some[k]) of_class[k] += lane;
    for (const double lane : all[k]) of_all[k] += lane;
  }
}

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
