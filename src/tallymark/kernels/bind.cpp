// The extension: every kernel that Python calls, by name.
#include "bind.hpp"

#include "arrow.hpp"
#include "bins.hpp"
#include "cores.hpp"
#include "count.hpp"
#include "drawn.hpp"
#include "few.hpp"
#include "grouped.hpp"
#include "joint.hpp"
#include "merge.hpp"
#include "order.hpp"
#include "row_losses.hpp"
#include "subgroups.hpp"

namespace {

using namespace tallymark;

// The lowest label and the counts [true, predicted] from there on, row by row; None where the
// types differ or the labels are too far apart.
nb::object pair_counts(AnyVector truth, AnyVector predicted) {
  if (truth.kind != predicted.kind || truth.width != predicted.width || truth.kind == 'f')
    return nb::none();
  PairTable out;
  {
    nb::gil_scoped_release unlocked;
    out = with_integers(truth, [&](const auto* data) {
      using Label = std::remove_pointer_t<decltype(data)>;
      return count_pairs(data, static_cast<Label*>(predicted.data), truth.size);
    });
  }
  if (out.cells.empty()) return nb::none();
  auto cells = fresh<std::uint64_t>(out.cells.size());
  std::copy(out.cells.begin(), out.cells.end(), cells.data());
  return nb::make_tuple(out.low, nb::cast(cells).attr("reshape")(out.width, out.width));
}

// Which end of a number comes first here, as Python's decoders ask: -1 the lowest byte.
int native_order() {
  const std::uint16_t one = 1;
  return *reinterpret_cast<const unsigned char*>(&one) ? -1 : 1;
}

// Codes as NumPy has them and the texts they stand for, or None.
nb::object numbered(const Numbered& column) {
  if (!column.usable) return nb::none();
  nb::list texts;
  for (std::size_t i = 0; i < column.known.size(); ++i) {
    const Text text = column.known.text(i);
    const auto size = static_cast<Py_ssize_t>(text.size);
    int order = native_order();
    PyObject* made = text.width ? PyUnicode_DecodeUTF32(text.bytes, size, "surrogatepass", &order)
                                : PyUnicode_DecodeUTF8(text.bytes, size, nullptr);
    if (!made) throw nb::python_error();
    texts.append(nb::steal(made));
  }
  auto codes = fresh<std::int16_t>(column.codes.size());
  std::copy(column.codes.begin(), column.codes.end(), codes.data());
  return nb::make_tuple(codes, texts);
}

nb::object text_stream(nb::capsule stream) {
  auto* data = static_cast<ArrowArrayStream*>(stream.data("arrow_array_stream"));
  Numbered out;
  {
    nb::gil_scoped_release unlocked;
    out = number_stream(*data);
  }
  return numbered(out);
}

// Texts of a fixed width, all of which is compared: the zeros that fill it up are no part of a text.
nb::object text_characters(Table<const std::uint32_t> rows) {
  Numbered out;
  {
    nb::gil_scoped_release unlocked;
    const auto* const from = reinterpret_cast<const char*>(rows.data());
    const std::size_t size = 4 * rows.shape(1);
    out.codes.resize(rows.shape(0));
    out.usable = number_texts(
        rows.shape(0), [=](std::size_t i) -> Text { return {from + i * size, size, 4}; },
        out.known, out.codes.data());
  }
  return numbered(out);
}

// Texts or None in an array of objects: they are Python's, so that the lock is held. Rows that share
// one object mostly find its code by the object's address.
nb::object text_objects(AnyVector rows) {
  struct Seen {
    PyObject* object = nullptr;
    std::int16_t code = -1;
  };
  std::array<Seen, 256> seen{};
  Numbered out;
  out.codes.resize(rows.kind == 'O' ? rows.size : 0);
  for (std::size_t i = 0; i < out.codes.size(); ++i) {
    PyObject* const object = static_cast<PyObject* const*>(rows.data)[i];
    Seen& last = seen[reinterpret_cast<std::uintptr_t>(object) / 16 % seen.size()];
    if (last.object != object) {
      Text text;
      if (object && object != Py_None) {
        Py_ssize_t size = 0;
        text.bytes = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &size) : nullptr;
        text.size = static_cast<std::size_t>(size);
        if (!text.bytes) {  // no text, or half of a surrogate pair
          PyErr_Clear();
          return nb::none();
        }
      }
      last = {object, text.bytes ? out.known.add(text) : std::int16_t{-1}};
      if (text.bytes && last.code < 0) return nb::none();  // too many
    }
    out.codes[i] = last.code;
  }
  out.usable = true;
  return numbered(out);
}

// Distinct scores of two tables, and the counts of every column added up, column by column.
nb::object merge_tables(Doubles scores, Table<const double> counts, Doubles more,
                 Table<const double> more_counts) {
  const auto merged = [&] {
    nb::gil_scoped_release unlocked;
    return Merged({scores, counts}, {more, more_counts});
  }();
  auto all = fresh<double>(merged.size), added = fresh<double>(counts.shape(0) * merged.size);
  {
    nb::gil_scoped_release unlocked;
    merged.write(all.data(), added.data());
  }
  return nb::make_tuple(all, added);
}
// A NumPy array's buffer as a column, or none where it is not one of plain numbers.
class Strided {
 public:
  explicit Strided(nb::handle array, int flags = PyBUF_RECORDS_RO) {
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
  ~Strided() {
    if (held_) PyBuffer_Release(&buffer_);
  }
  Strided(const Strided&) = delete;
  Strided& operator=(const Strided&) = delete;

  Column column;
  bool ok = false;

 private:
  Py_buffer buffer_;
  bool held_ = false;
};

// Classes as Python has them and the cells of their counts, row by row; None where the careful
// door must look. Both are NumPy's own arrays and no subclass's.
nb::object few_counts(nb::handle truth, nb::handle predicted) {
  const Strided a(truth), b(predicted);
  FewPairs found;
  if (!a.ok || !b.ok || !count_few(a.column, b.column, found)) return nb::none();
  const auto k = static_cast<Py_ssize_t>(found.labels.size());
  nb::object labels = nb::steal(PyTuple_New(k)), cells = nb::steal(PyTuple_New(k * k));
  if (!labels.is_valid() || !cells.is_valid()) throw nb::python_error();
  const bool boolean = is_boolean(a.column);
  for (Py_ssize_t i = 0; i < k; ++i) {
    const auto label = found.labels[static_cast<std::size_t>(i)];
    PyTuple_SetItem(labels.ptr(), i,
                    boolean ? PyBool_FromLong(label != 0) : PyLong_FromLongLong(label));
  }
  for (Py_ssize_t i = 0; i < k * k; ++i)
    PyTuple_SetItem(cells.ptr(), i, PyFloat_FromDouble(found.counts[static_cast<std::size_t>(i)]));
  return nb::make_tuple(labels, cells);
}

// Distinct scores, and the sums [class, score] of the rows' weights and of their squares; without
// weights the number of rows, and None. Codes are below the number of classes.
nb::object grouped_rows(Doubles scores, Vector<const std::int64_t> codes, std::size_t classes,
                        std::optional<Doubles> weights, std::optional<Doubles> squares) {
  const auto data = [](const std::optional<Doubles>& values) {
    return values ? values->data() : nullptr;
  };
  const auto rows = [&] {
    nb::gil_scoped_release unlocked;
    return GroupedRows(scores, codes.data(), data(weights), data(squares));
  }();
  const std::size_t cells = classes * rows.size();
  auto distinct = fresh<double>(rows.size()), sums = fresh<double>(cells);
  auto second = fresh<double>(squares ? cells : 0);
  {
    nb::gil_scoped_release unlocked;
    rows.write(classes, distinct.data(), sums.data(), squares ? second.data() : nullptr);
  }
  return nb::make_tuple(distinct, sums, squares ? nb::cast(second) : nb::none());
}

// Write TP, FP, FN and TN of each class of a matrix against the rest: see one_vs_rest.
bool against_rest(Table<const double> matrix, Table<double> out) {
  const std::size_t k = matrix.shape(0);
  return matrix.shape(1) == k && out.shape(0) == 4 && out.shape(1) == k &&
         one_vs_rest(matrix.data(), k, out.data());
}

template <class Score>
void bind_partition(nb::module_& m) {
  m.def("partition", &partition<Score>, Unlocked(), "labels"_a, "lower"_a, "upper_positive"_a,
        "scores"_a, "keys"_a, "weights"_a.none() = nb::none(), "of_keys"_a.none() = nb::none());
}

}  // namespace

NB_MODULE(_kernels, m) {
  bind_rankings(m);
  m.def("workers", &workers);
  m.def("quota", &quota);
  // a few rows
  m.def("count_few", &few_counts);
  m.def("one_vs_rest", &against_rest);
  // labels
  m.def("count_pairs", &pair_counts);
  m.def("number_stream", &text_stream);
  m.def("number_characters", &text_characters);
  m.def("number_objects", &text_objects);
  // scores
  bind_partition<double>(m);
  bind_partition<float>(m);
  bind_partition<std::int64_t>(m);
  bind_partition<std::uint64_t>(m);
  bind_partition<std::int32_t>(m);
  bind_partition<std::uint32_t>(m);
  m.def("scan", &scan<std::uint64_t>, Unlocked());
  m.def("scan", &scan<std::uint32_t>, Unlocked());
  m.def("scan_weighted", &scan_weighted<std::uint64_t>, Unlocked());
  m.def("scan_weighted", &scan_weighted<std::uint32_t>, Unlocked());
  m.def("fill_doubles", &fill_groups<double>, Unlocked());
  m.def("fill_floats", &fill_groups<float>, Unlocked());
  m.def("fill_integers", &fill_groups<std::int32_t>, Unlocked());
  m.def("fill_naturals", &fill_groups<std::uint32_t>, Unlocked());
  m.def("group_rows", &grouped_rows, "scores"_a.noconvert(), "codes"_a.noconvert(), "classes"_a,
        "weights"_a.noconvert().none(), "squares"_a.noconvert().none());
  m.def("add_row_losses", &add_row_losses, Unlocked());
  m.def("add_row_bins", &add_row_bins, Unlocked());
  m.def("merge", &merge_tables);
  m.def("find_bins", &find_bins<std::int64_t>, Unlocked());
  m.def("find_bins", &find_bins<std::uint16_t>, Unlocked());
  m.def("add_to_bins", &add_to_bins, Unlocked());
  m.def("draw_blocks", &draw_blocks, Unlocked());
  m.def("draw_hits", &draw_hits, Unlocked());
  // several models
  m.def("place_rows", &place_rows, Unlocked());
  m.def("add_products", &add_products, Unlocked());
  // subgroups
  m.def("subgroup_rows", &subgroup_rows, Unlocked());
  m.def("subgroup_order", &subgroup_order, Unlocked());
  m.def("subgroup_groups", &subgroup_groups, Unlocked());
  m.def("subgroup_lines", &subgroup_lines, Unlocked());
  m.def("subgroup_cut", &subgroup_cut, Unlocked());
  m.def("judge_keys", &judge_keys, Unlocked());
  m.def("judge_counts", &judge_counts, Unlocked());
}
