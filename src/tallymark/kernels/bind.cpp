// Python's face of the kernels: convert the arguments, release the lock once, call.
#include "bind.hpp"

#include <deque>
#include <numeric>

#include "arrow.hpp"
#include "bins.hpp"
#include "count.hpp"
#include "few.hpp"
#include "joint.hpp"
#include "merge.hpp"
#include "order.hpp"
#include "slices.hpp"

template <class T>
nb::object count_pairs(Vector<const T> truth, Vector<const T> called) {
  tallymark::PairTable found;
  {
    nb::gil_scoped_release unlocked;
    found = tallymark::count_pairs(truth.data(), called.data(), truth.size());
  }
  if (found.cells.empty()) return nb::none();
  auto* cells = new std::vector<std::uint64_t>(std::move(found.cells));
  nb::capsule owner(cells, [](void* p) noexcept {
    delete static_cast<std::vector<std::uint64_t>*>(p);
  });
  nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>> table(
      cells->data(), {found.width, found.width}, owner);
  return nb::make_tuple(found.low, table);
}

// Any column of integers, whose type is known when it is there.
using Integers = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Call body(pointer) with a pointer of the column's own type.
template <class Body>
auto with_integers(const Integers& column, Body&& body) {
  const bool is_signed = column.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int);
  const void* data = column.data();
  switch (column.dtype().bits) {
    case 8:
      return is_signed ? body(static_cast<const std::int8_t*>(data))
                       : body(static_cast<const std::uint8_t*>(data));
    case 16:
      return is_signed ? body(static_cast<const std::int16_t*>(data))
                       : body(static_cast<const std::uint16_t*>(data));
    case 32:
      return is_signed ? body(static_cast<const std::int32_t*>(data))
                       : body(static_cast<const std::uint32_t*>(data));
    default:
      return body(static_cast<const std::int64_t*>(data));
  }
}

template <class Score, class Scores, class Rank>
nb::object partition(const Integers& labels, std::int64_t negative, std::int64_t positive,
                     const Scores& scores, const Vector<Rank>& keys) {
  const auto two = with_integers(
      labels, [&](const auto* data) { return tallymark::two_labels(data, negative, positive); });
  tallymark::Partition out;
  {
    nb::gil_scoped_release unlocked;
    out = tallymark::partition(two, reinterpret_cast<const Score*>(scores.data()), scores.size(),
                               keys.data());
  }
  if (out.bad) return nb::none();
  nb::list starts;
  for (const std::size_t start : out.starts) starts.append(start);
  return nb::make_tuple(starts, out.lower);
}

template <class Score>
void bind_scores(nb::module_& m) {
  using Rank = tallymark::RankOf<Score>;
  m.def("partition", &partition<Score, Vector<const Score>, Rank>, "labels"_a.noconvert(),
        "negative"_a, "positive"_a, "scores"_a.noconvert(), "keys"_a.noconvert());
}

template <class Score>
void bind_ranks(nb::module_& m, const char* name) {
  using Rank = tallymark::RankOf<Score>;
  m.def(
      name,
      [](Vector<const Rank> keys, bool upper, Vector<double> scores, Vector<double> negatives,
         Vector<double> positives) {
        nb::gil_scoped_release unlocked;
        tallymark::fill_groups<Score>(keys.data(), keys.size(), upper, scores.size(),
                                      scores.data(), negatives.data(), positives.data());
      },
      "keys"_a.noconvert(), "upper"_a, "scores"_a.noconvert(), "negatives"_a.noconvert(),
      "positives"_a.noconvert());
}

template <class Key>
void bind_keys(nb::module_& m) {
  m.def(
      "scan",
      [](Vector<const Key> keys) {
        tallymark::Scan out;
        {
          nb::gil_scoped_release unlocked;
          out = tallymark::scan(keys.data(), keys.size());
        }
        return std::make_tuple(out.lower, out.not_higher, out.negatives, out.groups);
      },
      "keys"_a.noconvert());
}

template <class T>
void bind_labels(nb::module_& m) {
  m.def("count_pairs", &count_pairs<T>, "truth"_a.noconvert(), "called"_a.noconvert());
}

// Rows in slices: see slices.hpp. The number of slices is that of what is written for them.
void bind_slices(nb::module_& m) {
  using Keys = Vector<const std::uint64_t>;
  using Places = Vector<const std::int64_t>;
  using Numbers = Vector<const double>;
  m.def(
      "slice_rows",
      [](Places slices, Vector<const std::int8_t> codes, Numbers scores,
         Vector<std::uint64_t> keys, Vector<std::int64_t> starts) {
        nb::gil_scoped_release unlocked;
        tallymark::slice_rows(slices.data(), codes.data(), scores.data(), scores.size(),
                              starts.size() / 2, keys.data(), starts.data());
      },
      "slices"_a.noconvert(), "codes"_a.noconvert(), "scores"_a.noconvert(), "keys"_a.noconvert(),
      "starts"_a.noconvert());
  m.def(
      "slice_order",
      [](Places slices, Numbers scores, std::size_t size, Vector<std::int64_t> order) {
        nb::gil_scoped_release unlocked;
        tallymark::slice_order(slices.data(), scores.data(), scores.size(), size, order.data());
      },
      "slices"_a.noconvert(), "scores"_a.noconvert(), "size"_a, "order"_a.noconvert());
  m.def(
      "slice_groups",
      [](Keys keys, Places starts, Vector<std::int64_t> groups) {
        nb::gil_scoped_release unlocked;
        tallymark::slice_groups(keys.data(), starts.data(), groups.size(), groups.data());
      },
      "keys"_a.noconvert(), "starts"_a.noconvert(), "groups"_a.noconvert());
  m.def(
      "slice_lines",
      [](Keys keys, Places starts, Places ends, Vector<double> scores, Table<double> counts) {
        nb::gil_scoped_release unlocked;
        tallymark::slice_lines(keys.data(), starts.data(), ends.data(), ends.size() - 1,
                               scores.data(), counts.data());
      },
      "keys"_a.noconvert(), "starts"_a.noconvert(), "ends"_a.noconvert(), "scores"_a.noconvert(),
      "counts"_a.noconvert());
  m.def(
      "slice_cut",
      [](Keys keys, Places starts, double threshold, Table<double> table) {
        nb::gil_scoped_release unlocked;
        tallymark::slice_cut(keys.data(), starts.data(), table.shape(0), threshold, table.data());
      },
      "keys"_a.noconvert(), "starts"_a.noconvert(), "threshold"_a, "table"_a.noconvert());
  m.def(
      "judge_keys",
      [](Keys keys, Places starts, bool positive, Places losses, Table<double> out) {
        nb::gil_scoped_release unlocked;
        tallymark::judge_keys(keys.data(), starts.data(), out.shape(0), positive, losses.data(),
                              losses.size(), out.data());
      },
      "keys"_a.noconvert(), "starts"_a.noconvert(), "positive"_a, "losses"_a.noconvert(),
      "out"_a.noconvert());
  m.def(
      "judge_counts",
      [](Numbers scores, Table<const double> counts, Table<const double> squares, Places ends,
         bool positive, Places losses, Table<double> out) {
        nb::gil_scoped_release unlocked;
        tallymark::judge_counts(scores.data(), counts.data(), squares.data(), ends.data(),
                                out.shape(0), positive, losses.data(), losses.size(), out.data());
      },
      "scores"_a.noconvert(), "counts"_a.noconvert(), "squares"_a.noconvert(),
      "ends"_a.noconvert(), "positive"_a, "losses"_a.noconvert(), "out"_a.noconvert());
}

// Codes as NumPy has them and the texts they stand for, or None.
nb::object numbered(tallymark::Numbered&& found) {
  if (!found.ok) return nb::none();
  nb::list texts;
  for (std::size_t i = 0; i < found.known.size(); ++i) {
    const tallymark::Text text = found.known.text(i);
    const auto size = static_cast<Py_ssize_t>(text.size);
    PyObject* made = text.width ? PyUnicode_FromKindAndData(text.width, text.bytes, size / text.width)
                                : PyUnicode_DecodeUTF8(text.bytes, size, nullptr);
    if (!made) throw nb::python_error();
    texts.append(nb::steal(made));
  }
  auto* codes = new std::vector<std::int16_t>(std::move(found.codes));
  nb::capsule owner(codes, [](void* p) noexcept {
    delete static_cast<std::vector<std::int16_t>*>(p);
  });
  nb::ndarray<nb::numpy, std::int16_t, nb::ndim<1>> array(codes->data(), {codes->size()}, owner);
  return nb::make_tuple(array, texts);
}

nb::object number_stream(nb::capsule stream) {
  auto* data = static_cast<ArrowArrayStream*>(stream.data("arrow_array_stream"));
  tallymark::Numbered found;
  {
    nb::gil_scoped_release unlocked;
    found = tallymark::number_stream(*data);
  }
  return numbered(std::move(found));
}

nb::object number_array(nb::capsule type, nb::capsule array) {
  const auto* schema = static_cast<const ArrowSchema*>(type.data("arrow_schema"));
  const auto* data = static_cast<const ArrowArray*>(array.data("arrow_array"));
  tallymark::Numbered found;
  {
    nb::gil_scoped_release unlocked;
    found = tallymark::number_one(*schema, *data);
  }
  return numbered(std::move(found));
}

bool is_text(PyObject* value) {
#if PY_VERSION_HEX < 0x030C0000  // before, a text could wait for its characters to be laid out
  if (PyUnicode_Check(value) && !PyUnicode_IS_READY(value)) return false;
#endif
  return PyUnicode_Check(value);
}

// The rows of a NumPy array of objects that are texts or None, or of texts of a fixed width. The
// lock is held, since the objects are Python's.
nb::object number_rows(nb::handle array, bool objects) {
  Py_buffer rows;
  if (PyObject_GetBuffer(array.ptr(), &rows, PyBUF_CONTIG_RO | PyBUF_FORMAT))
    throw nb::python_error();
  const auto give_back = [](Py_buffer* b) { PyBuffer_Release(b); };
  const std::unique_ptr<Py_buffer, decltype(give_back)> held(&rows, give_back);
  const auto n = static_cast<std::size_t>(rows.len / std::max<Py_ssize_t>(rows.itemsize, 1));
  tallymark::Numbered found;
  found.codes.resize(n);
  if (objects) {
    auto* const* at = static_cast<PyObject* const*>(rows.buf);
    for (std::size_t i = 0; i < n; ++i)
      if (at[i] != Py_None && !is_text(at[i])) return nb::none();
    const auto get = [at](std::size_t i) -> tallymark::Text {
      if (at[i] == Py_None) return {};
      const auto width = static_cast<std::uint8_t>(PyUnicode_KIND(at[i]));
      return {static_cast<const char*>(PyUnicode_DATA(at[i])),
              static_cast<std::size_t>(PyUnicode_GET_LENGTH(at[i])) * width, width};
    };
    found.ok = tallymark::number_texts(n, get, found.known, found.codes.data());
  } else {
    const auto* at = static_cast<const char*>(rows.buf);
    const auto size = static_cast<std::size_t>(rows.itemsize);
    // All of a row is compared; the zeros that fill it up are no part of the text.
    const auto get = [at, size](std::size_t i) -> tallymark::Text { return {at + i * size, size, 4}; };
    found.ok = tallymark::number_texts(n, get, found.known, found.codes.data());
  }
  return numbered(std::move(found));
}

// Rows of several models side by side: see joint.hpp.
void bind_joint(nb::module_& m) {
  m.def(
      "place_rows",
      [](Doubles column, Doubles scores, Doubles tp, Doubles fp, double auc,
         Vector<const std::uint8_t> own, Vector<double> out) {
        const tallymark::Placed model(column.data(), scores.data(), tp.data(), fp.data(),
                                      scores.size(), auc);
        tallymark::place_rows(model, own.data(), own.size(), out.data());
      },
      Unlocked(), "column"_a.noconvert(), "scores"_a.noconvert(), "tp"_a.noconvert(),
      "fp"_a.noconvert(), "auc"_a, "own"_a.noconvert(), "out"_a.noconvert());
  m.def(
      "add_products",
      [](const std::vector<Doubles>& columns, const std::vector<Doubles>& scores,
         const std::vector<Doubles>& tp, const std::vector<Doubles>& fp, Doubles aucs,
         Vector<const std::uint8_t> own, std::optional<Doubles> weights, Vector<double> out) {
        nb::gil_scoped_release unlocked;
        std::deque<tallymark::Placed> models;
        for (std::size_t i = 0; i < columns.size(); ++i)
          models.emplace_back(columns[i].data(), scores[i].data(), tp[i].data(), fp[i].data(),
                              scores[i].size(), aucs.data()[i]);
        tallymark::add_products(models, own.data(), weights ? weights->data() : nullptr,
                                own.size(), out.data());
      },
      "columns"_a, "scores"_a, "tp"_a, "fp"_a, "aucs"_a.noconvert(), "own"_a.noconvert(),
      "weights"_a.none(), "out"_a.noconvert());
  m.def(
      "correlations",
      [](Doubles a, Doubles b, Vector<const std::uint8_t> own) {
        return tallymark::correlations(a.data(), b.data(), own.data(), own.size());
      },
      Unlocked(), "a"_a.noconvert(), "b"_a.noconvert(), "own"_a.noconvert());
}

// A NumPy array's buffer as a column, or none where it is not one of plain numbers.
class Lent {
 public:
  explicit Lent(nb::handle array, int flags = PyBUF_RECORDS_RO) {
    if (PyObject_GetBuffer(array.ptr(), &buffer_, flags)) {
      PyErr_Clear();  // dates have no buffer
      return;
    }
    held_ = true;
    const char* format = buffer_.format;
    if (buffer_.ndim != 1 || !format || !format[0] || format[1]) return;  // ">i" is of another order
    column = {static_cast<const char*>(buffer_.buf), buffer_.strides[0],
              static_cast<std::size_t>(buffer_.shape[0]), format[0],
              static_cast<std::size_t>(buffer_.itemsize)};
    ok = true;
  }
  ~Lent() {
    if (held_) PyBuffer_Release(&buffer_);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  tallymark::Column column;
  bool ok = false;

 private:
  Py_buffer buffer_;
  bool held_ = false;
};

// Classes as Python has them and the cells of their counts, row by row; None where the careful
// door must look. Both are NumPy's own arrays and no subclass's.
nb::object count_few(nb::handle truth, nb::handle called) {
  const Lent a(truth), b(called);
  tallymark::FewPairs found;
  if (!a.ok || !b.ok || !tallymark::count_few(a.column, b.column, found)) return nb::none();
  const auto k = static_cast<Py_ssize_t>(found.labels.size());
  nb::object labels = nb::steal(PyTuple_New(k)), cells = nb::steal(PyTuple_New(k * k));
  if (!labels.is_valid() || !cells.is_valid()) throw nb::python_error();
  const bool boolean = tallymark::is_boolean(a.column);
  for (Py_ssize_t i = 0; i < k; ++i) {
    const auto label = found.labels[static_cast<std::size_t>(i)];
    PyTuple_SET_ITEM(labels.ptr(), i,
                     boolean ? PyBool_FromLong(label != 0) : PyLong_FromLongLong(label));
  }
  for (Py_ssize_t i = 0; i < k * k; ++i)
    PyTuple_SET_ITEM(cells.ptr(), i, PyFloat_FromDouble(found.counts[static_cast<std::size_t>(i)]));
  return nb::make_tuple(labels, cells);
}

// Fill a table of five rows, one place longer than the column: see rank_few. Return how many
// scores are distinct, which class the other one is, and how many rows both have; None where the
// careful door must look.
nb::object rank_few(nb::handle truth, nb::handle score, Table<double> out) {
  const Lent a(truth), b(score);
  tallymark::FewGroups found;
  if (!a.ok || !b.ok || out.shape(0) != 5 || out.shape(1) <= a.column.rows)
    return nb::none();
  double* rows[5];
  for (std::size_t i = 0; i < 5; ++i) rows[i] = out.data() + i * out.shape(1);
  if (!tallymark::rank_few(a.column, b.column, rows[0], rows[1], rows[2], rows[3], rows[4], found))
    return nb::none();
  return nb::make_tuple(found.groups, found.other, found.others, found.ones);
}

// Fill two lines of a table, a column a place: see hits_few.
bool hits_few(nb::handle truth, Table<const double> scores, Table<double> out) {
  const Lent a(truth);
  return a.ok && scores.shape(0) == a.column.rows && out.shape(0) == 2 &&
         tallymark::hits_few(a.column, scores.data(), scores.shape(1), out.shape(1), out.data(),
                             out.data() + out.shape(1));
}

NB_MODULE(_kernels, m) {
  bind_rankings(m);
  bind_curves(m);
  bind_joint(m);
  m.def("hits_few", &hits_few, "truth"_a, "scores"_a.noconvert(), "out"_a.noconvert());
  m.def("count_few", &count_few, "truth"_a, "called"_a);
  m.def(
      "one_vs_rest",
      [](Table<const double> matrix, Table<double> out) {
        const std::size_t k = matrix.shape(0);
        return matrix.shape(1) == k && out.shape(0) == 4 && out.shape(1) == k &&
               tallymark::one_vs_rest(matrix.data(), k, out.data());
      },
      "matrix"_a.noconvert(), "out"_a.noconvert());
  m.def("rank_few", &rank_few, "truth"_a, "score"_a, "out"_a.noconvert());
  bind_slices(m);
  bind_labels<std::int64_t>(m);
  bind_labels<std::int32_t>(m);
  bind_labels<std::int16_t>(m);
  bind_labels<std::int8_t>(m);
  bind_labels<std::uint8_t>(m);
  bind_labels<std::uint16_t>(m);
  bind_labels<std::uint32_t>(m);

  bind_scores<double>(m);
  bind_scores<float>(m);
  bind_scores<std::int64_t>(m);
  bind_scores<std::uint64_t>(m);
  bind_scores<std::int32_t>(m);
  bind_scores<std::uint32_t>(m);
  bind_scores<std::int16_t>(m);
  bind_scores<std::uint16_t>(m);
  bind_scores<std::int8_t>(m);
  bind_scores<std::uint8_t>(m);
  m.def("partition_halves", &partition<tallymark::Half, Vector<const std::uint16_t>, std::uint32_t>,
        "labels"_a.noconvert(), "negative"_a, "positive"_a, "scores"_a.noconvert(),
        "keys"_a.noconvert());
  bind_keys<std::uint64_t>(m);
  bind_keys<std::uint32_t>(m);
  bind_ranks<double>(m, "fill_doubles");
  bind_ranks<float>(m, "fill_floats");
  bind_ranks<tallymark::Half>(m, "fill_halves");
  bind_ranks<std::int32_t>(m, "fill_integers");
  bind_ranks<std::uint32_t>(m, "fill_naturals");
  m.def(
      "fill_single",
      [](Vector<std::uint64_t> keys, bool upper, std::size_t above, std::size_t positives,
         Vector<double> tp, Vector<double> fp) {
        tallymark::fill_single(keys.data(), keys.size(), upper, above, positives, tp.data(),
                               fp.data());
      },
      Unlocked(), "keys"_a.noconvert(), "upper"_a, "above"_a, "positives"_a, "tp"_a.noconvert(),
      "fp"_a.noconvert());
  m.def("number_stream", &number_stream, "stream"_a);
  m.def("number_array", &number_array, "kind"_a, "array"_a);
  m.def("number_rows", &number_rows, "array"_a, "objects"_a);
  m.def("workers", [](std::size_t n, std::size_t least) { return tallymark::workers(n, least); },
        "n"_a, "least"_a);

  m.def(
      "place",
      [](Vector<const double> scores, Vector<const double> cuts, Vector<std::uint16_t> places) {
        nb::gil_scoped_release unlocked;
        tallymark::place(scores.data(), scores.size(), cuts.data(), cuts.size(), places.data());
      },
      "scores"_a.noconvert(), "cuts"_a.noconvert(), "places"_a.noconvert());
  m.def(
      "find_bins",
      [](Vector<const double> scores, Vector<const double> breaks, Vector<const double> scale,
         std::size_t per, Vector<std::int64_t> bins) {
        nb::gil_scoped_release unlocked;
        tallymark::find_bins(scores.data(), scores.size(),
                             {breaks.data(), scale.data(), scale.size(), per}, bins.data());
      },
      "scores"_a.noconvert(), "breaks"_a.noconvert(), "scale"_a.noconvert(), "per"_a,
      "bins"_a.noconvert());
  m.def(
      "add_to_bins",
      [](Vector<const std::int64_t> codes, Vector<const double> scores,
         std::optional<Vector<const double>> weights, Vector<const double> breaks,
         Vector<const double> scale, std::size_t per, std::size_t classes, Table<double> table) {
        nb::gil_scoped_release unlocked;
        tallymark::add_to_bins(codes.data(), scores.data(), weights ? weights->data() : nullptr,
                               scores.size(),
                               {breaks.data(), scale.data(), scale.size(), per}, classes,
                               table.data(), table.shape(1));
      },
      "codes"_a.noconvert(), "scores"_a.noconvert(), "weights"_a.none(), "breaks"_a.noconvert(),
      "scale"_a.noconvert(), "per"_a, "classes"_a, "table"_a.noconvert());
  m.def(
      "merge",
      [](Vector<const double> scores, Table<const double> counts, Vector<const double> more,
         Table<const double> more_counts) {
        const tallymark::Counted left{scores.data(), scores.size(), counts.data()};
        const tallymark::Counted right{more.data(), more.size(), more_counts.data()};
        const std::size_t columns = counts.shape(0);
        std::vector<std::size_t> sizes;
        const tallymark::Cuts cuts(left, right);
        {
          nb::gil_scoped_release unlocked;
          sizes = tallymark::merged_sizes(left, right, cuts);
        }
        const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
        auto all = fresh<double>(total), added = fresh<double>(columns * total);
        {
          nb::gil_scoped_release unlocked;
          tallymark::merge(left, right, columns, cuts, sizes, all.data(), added.data());
        }
        return nb::make_tuple(all, added);
      },
      "scores"_a.noconvert(), "counts"_a.noconvert(), "more"_a.noconvert(),
      "more_counts"_a.noconvert());
}
