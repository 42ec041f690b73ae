"""Small files as a whole: their bytes, their text and their cells."""

import pytest

import tallymark as tm
from tallymark.reading.small import MOST_BYTES, small_file


@pytest.fixture
def of(tmp_path):
    def write(data):
        path = tmp_path / "f.txt"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return small_file(path)

    return write


def test_longer_files_and_what_is_no_file_are_none(of, tmp_path):
    assert of("x" * MOST_BYTES).name == "f.txt"
    assert of("x" * (MOST_BYTES + 1)) is None
    for path in (tmp_path, tmp_path / "nowhere", "-", "a\0b"):
        assert small_file(path) is None


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("\ufeffa", "a"),
        ("é".encode("utf-16"), "é"),
        (b"caf\xe9", "café"),
        (b"PAR1\0\0\0\1 text", ""),
    ],
)
def test_text(data, text, of):
    assert of(data).text == text


def test_cells_stand_between_separators_or_blanks_in_paragraphs(of):
    assert of("a, b\n\n1,2\n").tables == [[["a", "b"], ["1", "2"]]]
    assert of("a;b\n1,5;2\n").tables == [[["a", "b"], ["1,5", "2"]]]
    assert of('a "b c"\n--- ---\n1 2\n\n| 3 | 4 |\n').tables == [
        [["a", "b c"], ["1", "2"]],
        [["3", "4"]],
    ]
    assert of("1 2\n" * 2000).tables == []


def test_one_result_is_found_in_json_at_any_depth_of_objects(of):
    def known(data):
        return data.get("found") if isinstance(data, dict) else None

    assert of('{"a": {"b": {"found": 3}}}').only_result(known) == 3
    assert of('{"a": [{"found": 3}]}').only_result(known) is None
    assert of("not json").only_result(known) is None
    with pytest.raises(tm.InputError, match=r"f.txt holds 2 finished results \('a', 'b.c'\); keep"):
        of('{"a": {"found": 1}, "b": {"c": {"found": 2}}}').only_result(known)
