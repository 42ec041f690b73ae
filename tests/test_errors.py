"""Refusals: no sentence repeats a password."""

import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark import errors
from tallymark.cli import main
from tallymark.errors import without_credentials


@pytest.mark.parametrize(("text", "kept"), [
    ("no file 'postgres://ann:s3@cret@host/db' here", "no file 'postgres://host/db' here"),
    ("https://host/x?table=t&apikey=abc&n=1 failed", "https://host/x?table=t&apikey=***&n=1 failed"),
    ("mail ann@host about https://host/x", "mail ann@host about https://host/x"),
    ("no file 'host=h user=ann password=s3cret'; check", "no file 'host=h user=*** password=***'; check"),
    ("dsn: host=h password='s3 cret' sslkey=kk9", "dsn: host=h password=*** sslkey=***"),
    ("Server=h;Uid=ann;Pwd=s3;cret;Database=x is no file", "Server=h;Uid=***;Pwd=***;Database=x is no file"),
    ("no 'postgres:ann:s3cret@host/db'", "no 'postgres:host/db'"),
    ("no 'mysql:s3cret@host'", "no 'mysql:host'"),
    ("jdbc:oracle:thin:scott/s3cret@//h", "jdbc://h"),
    ("https://host/x.csv?sig=s3cret&n=1", "https://host/x.csv?sig=***&n=1"),
    ("key=a and user=b", "key=a and user=b"),
    ("no column 'task:ndcg@10'; truth='token'", "no column 'task:ndcg@10'; truth='token'"),
])  # fmt: skip
def test_no_sentence_repeats_credentials(text, kept):
    assert without_credentials(text) == str(tm.InputError(text)) == kept


@pytest.mark.parametrize("text", [
    "host=127.0.0.1 user=ann password=s3cret", "postgres:ann:s3cret@host", "ann password = s3cret",
    "https://ann:s3cret@host/p.csv", "s3://ann:s3cret@bucket/p.csv",
])  # fmt: skip
def test_words_of_a_connection_are_not_repeated(text):
    with pytest.raises(tm.InputError) as refused:
        tm.evaluate(text)
    done = CliRunner().invoke(main, ["report", text])
    assert done.exit_code == 2
    assert "s3cret" not in str(refused.value) + done.output


@pytest.mark.parametrize("words", [
    ["report", "{}"], ["compare", "{}", "--with", "{}"], ["results", "{}"], ["reconcile", "{}"],
    ["explain", "{}"], ["report", "preds.csv", "{}"], ["nothing", "{}"], ["{}"],
    ["report", "x.csv", "-o", "{}"],
])  # fmt: skip
def test_no_command_repeats_credentials(words, monkeypatch):
    link = "postgres://ann:s3cret@127.0.0.1:1/db?table=t&sslpassword=h1dden&connect_timeout=1"
    done = CliRunner().invoke(main, [w.format(link) for w in words])
    assert done.exit_code == 2, done.output
    for secret in ("s3cret", "h1dden"):
        assert secret not in done.output + repr(done.exception)


WORDS = [
    (errors.listed, [
        (([],), "none"), ((["a"],), "'a'"), ((["a", 1],), "'a', 1"),
        ((list("abc"), 2), "'a', 'b' and 1 more"), ((list("abc"), 3), "'a', 'b', 'c'"),
        ((list(range(13)),), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 1 more"),
    ]),
    (errors.shortened, [
        (("x" * 8, 10), "'xxxxxxxx'"), (("x" * 9, 10), "'xxxxxxxxx..."), (("x" * 58,), repr("x" * 58)),
        (("x" * 59,), repr("x" * 59)[:60] + "..."),
    ]),
    (errors.choices, [
        (("recal", ["precision", "recall"]), "did you mean 'recall'?"),
        (("RECALL", ["precision", "recall"]), "did you mean 'recall'?"),
        (("ab1", ["ab2", "ab3", "ab4", "ab5"]), "did you mean 'ab5' or 'ab4' or 'ab3'?"),
        (("xyz", ["a", "b"]), "there are 'a', 'b'"), (("xyz", []), "there are none"),
        (("xyz", list("abcdefghi")), "there are 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and 1 more"),
        (("xyz", list("abc"), 1), "there are 'a' and 2 more"), ((3, [4, 5]), "there are '4', '5'"),
    ]),
    (errors.harmless, [
        (("a\nb",), r"a\nb"), (("a\nb", "\n"), "a\nb"), (("\x1b[31m",), r"\x1b[31m"),
        (("a\u200db",), r"a\u200db"), (("\U0001f468\u200d\U0001f469",), "\U0001f468\u200d\U0001f469"),
        (("\U0001f468\u200dx",), "\U0001f468\\u200dx"), (("क्\u200dष",), "क्\u200dष"),
    ]),
]  # fmt: skip


def test_words_of_refusals_at_both_sides_of_their_limits():
    for function, cases in WORDS:
        for given, shown in cases:
            assert function(*given) == shown, (function.__name__, given)


def test_a_word_or_a_name_that_is_none_is_refused_in_whole():
    errors.check_word("ties", "plain", ["corrected", "plain"])
    errors.check_name("model", "forest", ["forest"])
    for check, message in (
        (lambda: errors.check_word("ties", "odd", ["corrected", "plain"]),
         "ties is 'odd'; there are 'corrected', 'plain'"),
        (lambda: errors.check_name("model", "forrest", ["forest", "bayes"]),
         "there is no model 'forrest'; did you mean 'forest'?"),
    ):  # fmt: skip
        with pytest.raises(tm.InputError) as refused:
            check()
        assert str(refused.value) == message
