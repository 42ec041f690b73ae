"""Numbers as they are read, at both sides of every limit."""

import math

import pytest

from tallymark.findings.rules import Rule
from tallymark.metric import get
from tallymark.metric.measure import Value
from tallymark.quantities import rounded_up
from tallymark.report import words


@pytest.mark.parametrize(("x", "digits", "shown"), [
    (0.0, 3, "0.000"), (0.5, 3, "0.500"), (9.9994, 3, "9.999"), (9.9994, 4, "9.9994"),
    (10.0, 3, "10.0"), (10.0, 4, "10.00"), (10.0, 2, "10.0"), (999.94, 3, "999.9"),
    (1000.0, 3, "1,000"), (1234567.0, 4, "1,234,567"), (-1234.5, 3, "−1,234"),
    (0.01, 3, "0.010"), (0.0099, 3, "0.00990"), (-0.0099, 3, "−0.00990"),
    (0.001, 4, "0.0010"), (0.00099, 4, "0.000990"), (0.0001, 3, "0.00010"),
    (0.000099, 3, "9.90e-05"), (0.0000099, 4, "9.900e-06"), (0.00001, 4, "0.000010"),
    (math.inf, 3, "∞"), (-math.inf, 3, "−∞"), (math.nan, 3, "undefined"), (None, 3, "undefined"),
])  # fmt: skip
def test_a_number_has_the_digits_of_its_size(x, digits, shown):
    assert words.number(x, digits) == shown


@pytest.mark.parametrize(("p", "shown"), [
    (1.0, "p = 1"), (0.0198, "p = 0.0198"), (0.015, "p = 0.015"), (0.0001, "p = 0.0001"),
    (0.0000999, "p < 0.0001"), (0.0, "p < 0.0001"), (None, "p not available"),
    (math.nan, "p not available"),
])  # fmt: skip
def test_a_p_value_has_its_sign_and_is_never_0(p, shown):
    assert words.p_is(p) == shown


@pytest.mark.parametrize(("p", "shown"), [
    (0.5, "50 %"), (0.01, "1 %"), (0.0099, "0.99 %"), (0.99, "99 %"), (0.9901, "99.01 %"),
    (0.125, "12.5 %"),
])  # fmt: skip
def test_a_share_has_more_digits_near_its_ends(p, shown):
    assert words.share(p) == shown


@pytest.mark.parametrize(("x", "shown"), [
    (0.01, "+0.010"), (0.0099, "+0.0099"), (-0.00238, "−0.0024"), (-0.5, "−0.500"), (0.0, "0.000"),
    (math.nan, "undefined"),
])  # fmt: skip
def test_a_difference_has_its_sign(x, shown):
    assert words.signed(x) == shown


def test_rows_needed_are_rounded_up_to_two_digits():
    assert [rounded_up(n) for n in (7.2, 99.1, 100.0, 101.0, 1234.0)] == [
        8, 100, 100, 110, 1300,
    ]  # fmt: skip


NAN, INF = math.nan, math.inf


def value(x, low, high, level=0.95):
    return Value("x", x, low, high, level=level)


FORMATS = [
    (words.with_interval, [
        ((value(0.95123, 0.92311, 0.97432),), "0.951 (95 % CI 0.923 to 0.974)"),
        ((value(0.5, 0.4, 0.6, 0.8),), "0.50 (80 % CI 0.40 to 0.60)"),  # two digits of 0.2
        ((value(0.5, 0.45, 0.55),), "0.50 (95 % CI 0.45 to 0.55)"),
        ((value(0.5, 0.4501, 0.55),), "0.500 (95 % CI 0.450 to 0.550)"),
        ((value(1, 0.5, 2.4999),), "1.00 (95 % CI 0.50 to 2.50)"),
        ((value(1, 0.5, 2.5),), "1.0 (95 % CI 0.5 to 2.5)"),
        ((value(5, 0, 20),), "5 (95 % CI 0 to 20)"),
        ((value(5000, 4000, 6000),), "5,000 (95 % CI 4,000 to 6,000)"),
        ((value(0.5, 0.5, 0.5),), "0.500 (95 % CI 0.500 to 0.500)"),
        ((value(2, 1, INF),), "2.000 (95 % CI 1.000 to ∞)"),
        ((value(0.5, NAN, NAN),), "0.500"),
        ((value(0.5, 0.4, 0.6, None),), "0.50"),
        ((value(0.005, NAN, NAN), "+"), "+0.005"),
        ((value(0.5, 0.4, 0.6), "+"), "+0.50 (95 % CI +0.40 to +0.60)"),
        ((Value("x", NAN, reason="no row"),), "undefined (no row)"),
    ]),
    (words.between_percents, [
        ((0.1, 0.2), "10 % to 20 %"), ((0.1, 0.199), "10.0 % to 19.9 %"),
        ((0.0, 0.01), "0.0 % to 1.0 %"), ((0.0, 0.0099), "0.00 % to 0.99 %"),
        ((NAN, NAN), ""),
    ]),
    (words.chance_of, [
        ((0.0049,), "<0.01"), ((0.005,), "0.01"), ((0.994,), "0.99"), ((0.995,), ">0.99"),
        ((NAN,), "-"),
    ]),
    (words.cut_off, [(("abcde", 5), "abcde"), (("abcdef", 5), "abcd…"), ((12, 5), "12")]),
    (words.subgroup_name, [
        (("a",), "a"), ((None,), "(missing)"), ((("a", None, 3),), "a, (missing), 3"),
        (("x\x1b",), r"x\x1b"),
    ]),
    (words.enumerated, [((["a"],), "a"), ((["a", "b"],), "a and b"), ((list("abc"),), "a, b and c")]),
    (words.few, [
        ((list("abc"),), list("abc")), ((list("abcd"),), list("abcd")),
        ((list("abcde"),), ["a", "b", "c", "2 more"]),
    ]),
    (words.shown_order, [
        (((0, 1), 1), [1, 0]), (((0, 1), 0), [0, 1]), (((0, 1), None), [0, 1]),
        (((0, 1, 2), 1), [0, 1, 2]),
    ]),
    (words.sentence, [(("a",), "a."), (("a.",), "a.")]),
    (words.title, [(("f1",), "F1"), (("my\x1bcolumn",), r"my\x1bcolumn")]),
    (words.chance, [((None,), ""), (("prevalence",), "prevalence"), ((0.5,), "0.5"), ((0.0,), "0")]),
    (words.interval_head, [((0.8,), "80 % interval"), ((0.995,), "99.5 % interval")]),
    (words.value, [
        ((value(0.5, 0.25, 0.75),), "0.50"), ((value(0.5, 0.48, 0.52),), "0.500"),
        ((value(0.0213, NAN, NAN),), "0.021"), ((value(-0.0213, -0.1, 0.1), "+"), "−0.02"),
    ]),
    (words.interval, [
        ((value(0.5, 0.25, 0.75),), "0.25 to 0.75"), ((value(0.5, 0.48, 0.52),), "0.480 to 0.520"),
        ((value(0.5, NAN, NAN),), ""),
    ]),
    (words.signed, [((0.0123,), "+0.012"), ((-0.0123,), "−0.012"), ((12.0,), "+12.0")]),
]  # fmt: skip


def test_each_format_at_both_sides_of_its_limits():
    for function, cases in FORMATS:
        for given, shown in cases:
            assert function(*given) == shown, given


def test_notes_of_a_severity_are_safe_and_metrics_say_how_to_read_them():
    rules = (Rule("a", "warning", "W.", "loud \x1b"), Rule("b", "assumed", "W.", "quiet"))
    found = [rule.finding() for rule in rules]
    assert words.notes(found, "warning") == [r"loud \x1b"]
    assert words.notes(found, "assumed") == ["quiet"]
    f1, loss, share = words.how_to_read(map(get, ("f1", "log_loss", "prevalence")))
    assert f1.endswith(" · higher is better")
    assert " · lower is better" in loss
    assert "better" not in share
    (kappa,) = words.how_to_read([get("cohen_kappa")])
    assert kappa.endswith(" · higher is better · guessing: 0")


def test_pairs_are_grouped_in_order_without_repetition():
    pairs = [("b", "1"), ("a", "2"), ("b", "3"), ("b", "1")]
    assert list(words.grouped(pairs).items()) == [("b", ["1", "3"]), ("a", ["2"])]
