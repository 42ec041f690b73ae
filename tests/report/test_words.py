"""Numbers as they are read, at both sides of every limit."""

import math

import pytest

from tallymark.quantities import rounded_up
from tallymark.report import words


@pytest.mark.parametrize(("x", "digits", "shown"), [
    (0.0, 3, "0.000"), (0.5, 3, "0.500"), (9.9994, 3, "9.999"), (9.9994, 4, "9.9994"),
    (10.0, 3, "10.0"), (10.0, 4, "10.00"), (10.0, 2, "10.0"), (999.94, 3, "999.9"),
    (1000.0, 3, "1,000"), (1234567.0, 4, "1,234,567"), (-1234.5, 3, "-1,234"),
    (0.01, 3, "0.010"), (0.0099, 3, "0.00990"), (-0.0099, 3, "-0.00990"),
    (0.001, 4, "0.0010"), (0.00099, 4, "0.000990"), (0.0001, 3, "0.00010"),
    (0.000099, 3, "9.90e-05"), (0.0000099, 4, "9.900e-06"), (0.00001, 4, "0.000010"),
    (math.inf, 3, "∞"), (-math.inf, 3, "-∞"), (math.nan, 3, "undefined"), (None, 3, "undefined"),
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
    (0.01, "+0.010"), (0.0099, "+0.0099"), (-0.00238, "-0.0024"), (-0.5, "-0.500"), (0.0, "0.000"),
    (math.nan, "undefined"),
])  # fmt: skip
def test_a_difference_has_its_sign(x, shown):
    assert words.signed(x) == shown


def test_rows_needed_are_rounded_up_to_two_digits():
    assert [rounded_up(n) for n in (7.2, 99.1, 100.0, 101.0, 1234.0)] == [
        8, 100, 100, 110, 1300,
    ]  # fmt: skip
