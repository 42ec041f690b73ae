// Python's face of what curves are made with.
#include "bind.hpp"

#include "drawn.hpp"
#include "shares.hpp"
#include "thin.hpp"

// Points, cuts and draws of curves.
void bind_curves(nb::module_& m) {
  m.def(
      "thin",
      [](Doubles x, Doubles y, std::size_t points) {
        tallymark::Thinned found;
        {
          nb::gil_scoped_release unlocked;
          found = tallymark::thin(x.data(), y.data(), x.size(), points);
        }
        auto kept = fresh<std::int64_t>(found.kept.size());
        std::copy(found.kept.begin(), found.kept.end(), kept.data());
        return nb::make_tuple(kept, found.error);
      },
      "x"_a.noconvert(), "y"_a.noconvert(), "points"_a);
  m.def(
      "at_shares",
      [](Doubles top, Doubles shares, Vector<std::int64_t> found) {
        tallymark::at_shares(top.data(), top.size() - 1, shares.data(), shares.size(),
                             found.data());
      },
      Unlocked(), "top"_a.noconvert(), "shares"_a.noconvert(), "found"_a.noconvert());
  m.def(
      "add_score_groups",
      [](Doubles scores, double unit, Vector<const std::int64_t> starts, Vector<double> out) {
        tallymark::add_score_groups(scores.data(), scores.size(), unit, starts.data(),
                                    starts.size(), out.data());
      },
      Unlocked(), "scores"_a.noconvert(), "unit"_a, "starts"_a.noconvert(), "out"_a.noconvert());
  m.def(
      "draw_hits",
      [](Doubles n, Doubles p, Table<double> values) {
        tallymark::draw_hits(n.data(), p.data(), values.shape(0), values.shape(1), values.data());
      },
      Unlocked(), "n"_a.noconvert(), "p"_a.noconvert(), "values"_a.noconvert());
  m.def(
      "isotonic",
      [](Table<const double> pos, Table<const double> neg, Table<double> out) {
        tallymark::isotonic(pos.data(), neg.data(), pos.shape(0), pos.shape(1), out.data());
      },
      Unlocked(), "pos"_a.noconvert(), "neg"_a.noconvert(), "out"_a.noconvert());
}
