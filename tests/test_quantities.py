"""Numbers for readers, at both sides of every limit."""

import math
from itertools import pairwise

import numpy as np

from tallymark import quantities

NAN, INF = math.nan, math.inf

FORMATS = [
    (quantities.number, [
        ((0.0,), "0.000"), ((9.9994,), "9.999"), ((10.0,), "10.0"), ((10.0, 4), "10.00"),
        ((10.0, 2), "10.0"), ((999.94,), "999.9"), ((1000.0,), "1,000"), ((-1234.5,), "−1,234"),
        ((0.01,), "0.010"), ((0.0099,), "0.00990"), ((0.0001,), "0.00010"),
        ((0.000099,), "9.90e-05"), ((0.00001, 4), "0.000010"), ((0.0000099, 4), "9.900e-06"),
        ((INF,), "∞"), ((-INF,), "−∞"), ((NAN,), "undefined"), ((None,), "undefined"),
    ]),
    (quantities.written, [
        ((-0.0091, ".3f"), "−0.009"), ((-0.0004, ".3f"), "0.000"), ((0.0004, "+.3f"), "0.000"),
        ((-1234.0, ",.0f"), "−1,234"), ((-0.000099, ".2e"), "−9.90e-05"),
    ]),
    (quantities.to_width, [
        ((0.95123, 0.9, 0.91), ("0.951", "0.900", "0.910")),  # two digits of 0.01
        ((0.95123, 0.9, 0.9099), ("0.9512", "0.9000", "0.9099")),
        ((-0.002, -0.021, 0.012, "+"), ("−0.002", "−0.021", "+0.012")),
        ((0.0, -0.2, 0.2, "+"), ("0.00", "−0.20", "+0.20")),
        ((0.25, 0.5, 0.5), ("0.250", "0.500", "0.500")),
        ((3.0, 1.0, INF), ("3.000", "1.000", "∞")),
        ((0.5, NAN, NAN), ("0.500", "undefined", "undefined")),
    ]),
    (quantities.between, [
        ((0.25, 0.5), "0.25 to 0.50"), ((0.25, 0.3), "0.250 to 0.300"), ((NAN, 0.5), ""),
    ]),
    (quantities.short, [((0.12345,), "0.1235"), ((12345.6,), "1.235e+04"), ((-INF,), "−∞")]),
    (quantities.count, [((1200,), "1,200"), ((1200.0,), "1,200"), ((1200.25,), "1,200.2")]),
    (quantities.percent, [((0.1234,), "12.3 %"), ((0.1234, 0), "12 %"), ((NAN,), "undefined")]),
    (quantities.share, [((0.0,), "0 %"), ((1.0,), "100 %"), ((0.5004,), "50 %")]),
    (quantities.p_value, [
        ((0.0312, True), "≤ 0.032"), ((0.25, True), "≤ 0.25"), ((0.0001, False), "0.0001"),
        ((NAN, True), "not available"),
    ]),
    (quantities.p_is, [((0.0312, True), "p ≤ 0.032"), ((0.03,), "p = 0.03")]),
    (quantities.many, [
        ((1, "class", "classes"), "1 class"), ((0, "row"), "0 rows"),
        ((1200, "class", "classes"), "1,200 classes"),
    ]),
    (quantities.with_article, [
        (("Arrow file",), "an Arrow file"), (("Feather file",), "a Feather file"),
        (("HTML file",), "an HTML file"), (("JSON file",), "a JSON file"),
        (("ORC file",), "an ORC file"), (("unit",), "a unit"), (("ark",), "an ark"),
    ]),
    (quantities.cut, [
        ((0.73184, 0.72), "0.73"), ((0.73184, 0.73), "0.731"), ((0.5, -INF), "0.5"),
        ((INF, 1.0), "inf"), ((-INF, -INF), "-inf"), ((0.3, np.nextafter(0.3, 0)), "0.3"),
        ((12345.6, 11000), "12000"), ((0.1 + 0.2, 0.3), "0.30000000000000004"),
        ((0.43, 0.42), "0.43"), ((-0.57, -0.58), "-0.57"), ((np.float64(1 / 3), 0.333333333333333), repr(1 / 3)),
    ]),
    (quantities.cuts, [(([(0.73184, 0.72), (0.73184, 0.7317)],), ["0.73", "0.7318"])]),
    (quantities.rounded_up, [((1.0,), 1), ((10.0,), 10), ((10.5,), 11), ((100.5,), 110)]),
    (quantities.each, [((quantities.short, [1, 0.25]), ["1", "0.25"])]),
]  # fmt: skip


def test_a_shown_threshold_makes_the_same_decisions_with_the_fewest_digits():
    hundredths = [n / 100 for n in range(10, 100)]
    assert quantities.cuts(zip(hundredths, [0.0, *hundredths], strict=False)) == [
        "0.1", *(f"{s:g}" for s in hundredths[1:])
    ]  # fmt: skip
    for low, high in pairwise(np.sort(np.random.default_rng(0).uniform(0.01, 1, 2000)).tolist()):
        text = quantities.cut(high, low)
        assert low < float(text) <= high
        assert len(text.lstrip("0.")) <= 2 or not low < float(text[:-1]) <= high


def test_each_format_at_both_sides_of_its_limits():
    for function, cases in FORMATS:
        for given, shown in cases:
            assert function(*given) == shown, (function.__name__, given)
