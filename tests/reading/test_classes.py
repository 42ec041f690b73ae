"""Which classes there are, by every route: how labels are written, what score columns tell."""

import json
import re
import unicodedata

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import tallymark as tm
from remedies import calls
from tallymark.cli import main
from tallymark.errors import InputError
from tallymark.reading.classes import (
    columns_by_class,
    declared,
    match_label,
    numbered,
    respelled,
    spelling,
    typed,
)
from tallymark.reading.columns import ModelRoles, Roles, models_of, unused
from tallymark.tally.arrays import Coded

ROUTES = ["frame", "polars lazy", "duckdb", "csv", "parquet", "json"]


def table(route, rows, folder):
    """Return rows as a frame, in an engine or as the path of a file."""
    if route in ("frame", "polars lazy", "duckdb"):
        made = {"frame": lambda: rows, "polars lazy": lambda: pl.from_pandas(rows).lazy(),
                "duckdb": lambda: duckdb.from_df(rows)}  # fmt: skip
        return made[route]()
    path = folder / f"rows.{route}"
    write = {"csv": lambda: rows.to_csv(path, index=False), "parquet": lambda: rows.to_parquet(path),
             "json": lambda: rows.to_json(path, orient="records", lines=True)}  # fmt: skip
    write[route]()
    return str(path)


def text(folder, content):
    path = folder / "rows.csv"
    path.write_text(content, encoding="utf-8")
    return str(path)


def command(*words):
    result = CliRunner().invoke(main, list(words), prog_name="tallymark")
    return result.exit_code, result.stdout if result.exit_code == 0 else result.stderr


def matrix(ev):
    return ev.models[0].labels.counts.tolist()


# -- the score of the other class ----------------------------------------------------------------

OF_NO = pd.DataFrame(
    {"y_true": ["yes", "no", "yes", "no", "no"], "p_no": [0.1, 0.8, 0.7, 0.6, 0.9]}
)
"""P(yes) is 0.9, 0.2, 0.3, 0.4 and 0.1: five of six pairs are in order."""


@pytest.mark.parametrize("route", ROUTES)
def test_a_lone_column_of_the_other_class_is_what_it_leaves_to_1(route, tmp_path):
    ev = tm.evaluate(table(route, OF_NO, tmp_path), positive="yes")
    assert ev["roc_auc"].value == pytest.approx(5 / 6)
    assert ev["accuracy"].value == 0.8
    assert "score of yes = 1 - `p_no`" in ev.source.sentence
    assert ev.models[0].scores[0].scores.tolist() == sorted(1 - OF_NO["p_no"])


def test_so_it_is_of_arrays_with_a_name_and_in_batches():
    truth, scores = OF_NO["y_true"], OF_NO[["p_no"]]
    wanted = tm.evaluate(truth, y_score=1 - OF_NO["p_no"], positive="yes")
    for given in (scores, scores.rename(columns={"p_no": "no"})):
        assert tm.evaluate(truth, y_score=given, positive="yes")["log_loss"] == wanted["log_loss"]
        tally = tm.Tallier(positive="yes")
        tally.update(truth[:2], y_score=given[:2])
        tally.update(truth[2:], y_score=given[2:])
        assert tm.Tallier.from_dict(tally.to_dict()).result()["roc_auc"] == wanted["roc_auc"]


def test_so_it_is_of_models_beside_others():
    rows = OF_NO.assign(p_forest=(1 - OF_NO["p_no"]) ** 2)
    ev = tm.evaluate(rows, score=["p_no", "p_forest"], positive="yes")
    assert [ev.model(m)["roc_auc"].value for m in ev.names] == [pytest.approx(5 / 6)] * 2


def test_zero_and_no_are_the_other_class_of_one_and_yes():
    rows = OF_NO.assign(y_true=(OF_NO["y_true"] == "yes").astype(int))
    for name in ("p_0", "p_no", "prob_NEG", "p_False"):
        ev = tm.evaluate(rows.rename(columns={"p_no": name}), positive=1)
        assert ev["roc_auc"].value == pytest.approx(5 / 6), name
        flags = rows.rename(columns={"p_no": name}).astype({"y_true": bool})
        assert tm.evaluate(flags, positive=True)["roc_auc"].value == pytest.approx(5 / 6), name


@pytest.mark.parametrize("route", ["frame", "polars lazy", "csv"])
def test_what_is_no_probability_is_negated(route, tmp_path):
    rows = OF_NO.assign(p_no=OF_NO["p_no"] * 10)
    ev = tm.evaluate(table(route, rows, tmp_path), positive="yes")
    assert ev["roc_auc"].value == pytest.approx(5 / 6)
    assert "score of yes = -`p_no`" in ev.source.sentence
    assert ev.models[0].scores[0].scores.tolist() == sorted(-rows["p_no"])
    assert tm.evaluate(rows, positive="no")["roc_auc"].value == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    "names", ["0 1", "false true", "neg pos", "negative positive", "No YES", "nein ja"]
)
@pytest.mark.parametrize("truth", [[1, 0, 1, 0, 0], [True, False, True, False, False],
                                   [1, -1, 1, -1, -1], ["yes", "no", "yes", "no", "no"]])  # fmt: skip
def test_two_columns_named_after_the_two_classes_are_no_models(names, truth, tmp_path):
    no, yes = (f"p_{name}" for name in names.split())
    rows = pd.DataFrame({"y_true": truth, yes: 1 - OF_NO["p_no"], no: OF_NO["p_no"]})
    for route in ("frame", "csv"):
        ev = tm.evaluate(table(route, rows, tmp_path), positive=truth[0])
        assert ev.names == ("model",)
        assert ev["roc_auc"].value == pytest.approx(5 / 6)


def test_numbered_columns_of_named_classes_need_their_order():
    rows = pd.DataFrame({"y_true": ["sick", "well"], "p_1": [0.9, 0.2], "p_2": [0.1, 0.8]})
    with pytest.raises(
        InputError,
        match=r"the columns 'p_1', 'p_2' are not named after any of the classes 'sick', 'well', and "
        r"nothing tells their order; say .*; list the classes in the order of the columns with "
        r"classes=\[\.\.\.\], or name each column p_CLASS",
    ) as asked:
        tm.evaluate(rows, positive="sick")
    assert calls(str(asked.value)) == [
        {"score_of": ["sick", "well"]},
        {"score_of": ["well", "sick"]},
    ]
    for choice, area in zip(calls(str(asked.value)), (1.0, 0.0), strict=True):
        assert tm.evaluate(rows, positive="sick", **choice)["roc_auc"].value == area
    ev = tm.evaluate(rows, positive="sick", classes=["sick", "well"])
    assert ev["roc_auc"].value == 1.0


# -- how labels are written ----------------------------------------------------------------------


@pytest.mark.parametrize("route", ROUTES)
def test_labels_that_differ_in_case_only_are_refused_or_one(route, tmp_path):
    rows = pd.DataFrame({"y_true": ["yes", "no", "yes"], "y_pred": ["YES", "NO", "NO"]})
    data = table(route, rows, tmp_path)
    with pytest.raises(
        InputError,
        match="y_true and y_pred hold labels that differ only in upper and lower case: 'no' and "
        "'NO', 'yes' and 'YES'; say reading=\\{'ignore_case': True\\} if they are one class, or ",
    ):
        tm.evaluate(data, positive="yes")
    for positive in ("yes", "YES"):
        ev = tm.evaluate(data, positive=positive, reading={"ignore_case": True})
        assert ev.source.format == ("'NO' as 'no', 'YES' as 'yes'",)
        assert (ev.classes, ev.positive, matrix(ev)) == (("no", "yes"), "yes", [[1, 0], [1, 1]])
    assert tm.evaluate(data, reading={"ignore_case": False})["accuracy"].value == 0


@pytest.mark.parametrize(
    ("one", "other", "how", "told"),
    [
        ("no", "no ", "in surrounding blanks", "'no' and 'no '"),
        ("no", "\tNO", "in upper and lower case or in surrounding blanks", r"'no' and '\tNO'"),
        ("1.0", "1", "in how a number is written", "'1.0' and '1'"),
        ("Caf\u00e9", unicodedata.normalize("NFD", "Caf\u00e9"), "in Unicode form",
         r"'Caf\xe9' and 'Cafe\u0301'"),
        ("STRASSE", "stra\u00dfe", "in upper and lower case", "'STRASSE' and 'stra\u00dfe'"),
    ],
)  # fmt: skip
def test_one_class_in_two_writings(one, other, how, told):
    truth, called = [one, "x", one], [other, "x", "x"]
    with pytest.raises(InputError) as refused:
        tm.evaluate(truth, called, positive="x")
    assert f"labels that differ only {how}: {told};" in str(refused.value)
    ev = tm.evaluate(truth, called, positive="x", reading={"ignore_case": True})
    assert set(ev.classes) == {one, "x"}
    assert ev["accuracy"].value == pytest.approx(2 / 3)
    # Within the truth alone, and beside scores.
    with pytest.raises(InputError, match="y_true holds labels that differ only"):
        tm.evaluate([one, other, "x"], y_score=[0.1, 0.2, 0.9], positive="x")
    both = tm.evaluate(
        [one, other, "x"], y_score=[0.1, 0.2, 0.9], positive="x", reading={"ignore_case": True}
    )
    assert both["roc_auc"].value == 1.0


def test_columns_named_after_both_writings_tell_two_classes(tmp_path):
    # As Weka's vowel data have them.
    rows = pd.DataFrame({"y_true": ["hid", "hId", "hid"], "p_hid": [0.9, 0.2, 0.6]})
    rows["p_hId"] = 1 - rows["p_hid"]
    for route in ("frame", "csv", "parquet"):
        ev = tm.evaluate(table(route, rows, tmp_path), positive="hId")
        assert (ev.classes, ev["roc_auc"].value) == (("hId", "hid"), 1.0)
    with pytest.raises(InputError, match="'hid' and 'HID'"):
        tm.evaluate(rows.assign(y_true=["hid", "hId", "HID"]), positive="hId")


def test_labels_listed_are_as_they_are():
    ev = tm.evaluate(list("aAb"), list("aab"), classes=list("aAb"))
    assert ev.classes == ("a", "A", "b")
    assert ev["accuracy"].value == pytest.approx(2 / 3)
    one = tm.evaluate(
        list("aAb"), list("aab"), classes=["A", "b"], reading={"ignore_case": True}, positive="b"
    )
    assert one.classes == ("A", "b")


def test_batches_write_a_class_in_one_way():
    tally = tm.Tallier(positive="yes")
    tally.update(["yes", "no"], ["yes", "no"])
    with pytest.raises(InputError, match="'yes' and 'Yes'; write each class the same way, or list"):
        tally.update(["Yes", "no"], ["yes", "no"])
    assert tally.rows == 2


def test_the_command_line_folds_case(tmp_path):
    path = text(tmp_path, "y_true,y_pred\nyes,YES \nno,NO\nyes,NO\nno,NO\n")
    code, told = command("report", path, "--positive", "yes")
    assert code == 2
    assert "say --ignore-case if they are one class, or --no-ignore-case if" in told
    code, told = command("report", path, "--positive", "yes", "--ignore-case", "--full")
    assert code == 0
    assert re.search(r"yes +1 +1\n", told)


def test_classes_that_have_nothing_in_common_are_refused():
    with pytest.raises(
        InputError,
        match=r"y_true holds the classes 'cat', 'dog' and y_pred 'chat', 'chien', none of them the "
        r"same; write the classes the same way, or list all with classes=\[\.\.\.\]",
    ):
        tm.evaluate(["cat", "dog"], ["chat", "chien"])
    two_ways = "the same classes written differently; write them the same way$"
    with pytest.raises(InputError, match=f"classes 0, 1 and y_pred -1, 1, {two_ways}"):
        tm.evaluate([1, 0, 1], [1, -1, -1])
    with pytest.raises(InputError, match=f"classes 'No', 'Yes' and y_pred 'N', 'Y', {two_ways}"):
        tm.evaluate(["Yes", "No"], ["Y", "N"])
    always = tm.evaluate([1, 1, 1], [0, 0, 0])
    assert always["accuracy"].value == 0
    assert tm.evaluate([1, 0, 1], [1, -1, -1], classes=[-1, 0, 1]).classes == (-1, 0, 1)


# -- texts that NumPy would make shorter ---------------------------------------------------------


@pytest.mark.parametrize("route", [*ROUTES, "lists", "objects", "batches", "new texts"])
def test_a_zero_at_the_end_of_a_label_is_part_of_it(route, tmp_path):
    truth, called = ["1\0", "1", "1\0", "1"], ["1\0", "1", "1", "1"]
    if route in ROUTES:
        rows = pd.DataFrame({"y_true": truth, "y_pred": called})
        ev = tm.evaluate(table(route, rows, tmp_path), positive="1")
    elif route == "batches":
        tally = tm.Tallier(positive="1")
        tally.update(truth, called)
        ev = tally.result()
    else:
        kind = np.dtypes.StringDType() if route == "new texts" else object
        arrays = (
            [truth, called] if route == "lists" else [np.array(v, kind) for v in (truth, called)]
        )
        ev = tm.evaluate(*arrays, positive="1")
    assert ev.classes == ("1", "1\0")
    assert matrix(ev) == [[2, 0], [1, 1]]


def test_bytes_are_texts():
    ev = tm.evaluate([b"yes", b"no"], np.array([b"yes", b"yes"]), positive=b"yes")
    assert ev.classes == ("no", "yes")
    names = ["J\u00e4nner".encode(), b"Mai"]
    assert tm.evaluate(names, names, positive="Mai").classes == ("J\u00e4nner", "Mai")
    for given in ([b"\xe4", b"x"], np.array([b"\xe4", b"x"])):
        with pytest.raises(InputError, match="holds bytes that are not UTF-8 text; decode"):
            tm.evaluate(given, given, positive="x")


# -- classes that do not occur -------------------------------------------------------------------


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("truth", [list("abab"), list("abcb"), list("bbbb")])
def test_columns_declare_classes_that_do_not_occur(route, truth, tmp_path):
    shares = np.random.default_rng(3).dirichlet(np.ones(5), 4).round(6)
    rows = pd.DataFrame(shares, columns=[f"p_{c}" for c in "edcba"]).assign(y_true=truth)
    ev = tm.evaluate(table(route, rows, tmp_path))
    assert ev.classes == tuple("abcde")
    best = ["edcba"[i] for i in shares.argmax(1)]
    wanted = tm.evaluate(truth, best, classes=list("abcde"))
    assert ev.models[0].labels.counts.tolist() == matrix(wanted)


def test_numbers_declare_classes_and_the_positive_one_needs_but_its_column():
    rows = pd.DataFrame({"y_true": [0, 1, 0], "p_0": 0.5, "p_1": [0.1, 0.3, 0.2], "p_2": 0.2})
    assert tm.evaluate(rows).classes == (0, 1, 2)
    with pytest.raises(InputError, match="'p_0', 'p_1' do not add up to 1 in each row"):
        tm.evaluate(rows, positive=1)
    ev = tm.evaluate(rows.assign(p_0=1 - rows["p_1"]), positive=1)
    assert (ev.classes, ev["roc_auc"].value) == ((0, 1), 1.0)
    rows = rows.rename(columns={"p_2": "p_total"})
    with pytest.raises(InputError, match="several columns could be the score: 'p_0', 'p_1', 'p_to"):
        tm.evaluate(rows)
    assert tm.evaluate(rows, score="p_1")["roc_auc"].value == 1.0


@pytest.mark.slow
def test_labels_from_the_command_line(tmp_path):
    path = text(tmp_path, "y_true,y_pred\n1,2\n2,2\n")
    code, told = command("report", path, "--classes", "3,2,1", "--json", "-")
    assert code == 0
    assert json.loads(told)["classes"] == [3, 2, 1]
    path = text(tmp_path, 'y_true,y_pred\n"a,b",c\nc,c\n')
    code, told = command("report", path, "--classes", '"a,b", c,d')
    assert code == 0
    assert "a,b" in told
    code, told = command("report", path, "--classes", "a,b")
    assert code == 2
    assert "y_true holds the label 'a,b', which is none of the classes named" in told


# -- spellings, types and columns, one by one --------------------------------------------------


def coded(**columns):
    return {n: Coded(np.arange(len(labels)), tuple(labels)) for n, labels in columns.items()}


IF_ONE = "; say ignore_case=True if they are one class, or ignore_case=False if they are several"
SPELLINGS = [
    ({"y": ["yes", "no"], "p": ["Yes", "no ", " NO", "no"]}, {},
     "y and p hold labels that differ only in upper and lower case or in surrounding blanks: 'yes' "
     f"and 'Yes', 'no' and 'no ', 'no' and ' NO'{IF_ONE}"),
    ({"y": ["Yes", "yes"]}, {},
     f"y holds labels that differ only in upper and lower case: 'Yes' and 'yes'{IF_ONE}"),
    ({"y": ["1.0", "1"], "p": ["0"], "q": ["1"]}, {},
     f"y and q hold labels that differ only in how a number is written: '1.0' and '1'{IF_ONE}"),
    ({"x": ["a"], "y": ["A"], "z": ["a", "b"]}, {},
     f"x, y and z hold labels that differ only in upper and lower case: 'a' and 'A'{IF_ONE}"),
    ({"y": list("aAbBcCdD")}, {},
     "y holds labels that differ only in upper and lower case: 'a' and 'A', 'b' and 'B', 'c' and 'C', "
     f"'d' and 'D'{IF_ONE}"),
    ({"y": list("aAbBcCdDeEfF")}, {},
     "y holds labels that differ only in upper and lower case: 'a' and 'A', 'b' and 'B', 'c' and 'C', "
     f"'d' and 'D' and 2 more{IF_ONE}"),
    ({"y": ["é", "e\u0301"]}, {},
     f"y holds labels that differ only in Unicode form: '\\xe9' and 'e\\u0301'{IF_ONE}"),
    ({"y": ["yes"], "p": ["Yes"]}, {"remedy": "write them alike"},
     "y and p hold labels that differ only in upper and lower case: 'yes' and 'Yes'; write them alike"),
    ({"y": ["yes", "no"], "p": ["Yes", "no "]}, {"ignore_case": True}, {"Yes": "yes", "no ": "no"}),
    ({"y": ["yes", "no"], "p": ["Yes", "no "]}, {"ignore_case": False}, {}),
    ({"y": ["yes", "no"], "p": ["Yes", "no "]}, {"requested": ["Yes", "no"]}, {}),
    ({"y": ["yes", "no"], "p": ["Yes", "no "]}, {"requested": ["Yes", "no"], "ignore_case": True},
     {"yes": "Yes", "no ": "no"}),
    ({"y": ["a", "A"]}, {"named": ["a", "A"]}, {}),
    ({"y": ["b", "B", "a"], "p": ["A"]}, {"named": ["B", None], "ignore_case": True},
     {"b": "B", "A": "a"}),
    ({"y": [" yes", "no"]}, {"ignore_case": True}, {" yes": "yes"}),
    ({"y": [1, 2], "p": [1]}, {}, {}),
]  # fmt: skip


def test_labels_in_several_spellings_are_unified_kept_or_asked_about():
    for columns, how, wanted in SPELLINGS:
        options = {"requested": None, "ignore_case": None} | how
        if isinstance(wanted, dict):
            assert spelling(coded(**columns), **options) == wanted
            continue
        with pytest.raises(tm.InputError) as caught:
            spelling(coded(**columns), **options)
        assert str(caught.value) == wanted


def test_respelled_labels_are_sorted_and_missing_ones_stay_missing():
    columns = {
        "y": Coded(np.array([0, 1, 2, -1]), ("no", "No", "yes")),
        "p": Coded(np.array([0]), ("No",)),
    }
    found = respelled(columns, ["y"], {"No": "no", "yes": "ja"})
    assert (found["y"].labels, found["y"].codes.tolist()) == (("ja", "no"), [1, 1, 0, -1])
    assert found["p"].labels == ("No",)
    assert respelled(columns, ["y"], {})["y"] is columns["y"]


def test_texts_that_number_classes_are_these_numbers():
    said = {"LABEL_1": 1, "class 0": 0}
    assert numbered(coded(y=[0, 1], p=list(said))) == said
    assert numbered(coded(y=[0, 1], p=["LABEL_1", "other"])) == {}
    assert numbered(coded(y=[5, 6], p=["LABEL_1"])) == {}
    assert numbered(coded(y=["a"], p=["LABEL_1"])) == {}


def test_columns_belong_to_the_classes_in_their_names():
    for names, classes, places in (
        (["No", "Yes"], ["no", "yes"], {"no": 0, "yes": 1}),
        (["1", "0"], [False, True], {False: 1, True: 0}),
        (["yes", "no"], [0, 1], {0: 1, 1: 0}),
        (["a b", "c"], ["ab", "c"], {"ab": 0, "c": 1}),
        (["a", "a", None], ["a", "b"], {"a": 0}),
        (["A", "a"], ["a", "b"], {"a": 1}),
        ([None], ["a"], {}),
    ):
        assert columns_by_class(names, classes) == places, names


def test_labels_are_asked_for_in_the_type_of_the_data():
    assert typed(["0", "1"], [5]) == (0, 1)
    assert typed(["0", "1"], ["5"]) == ("0", "1")
    assert typed(["0", 1], [5]) == ("0", 1)
    assert typed(["true", "false"], [True]) == (True, False)
    assert typed(["0"], []) == ("0",)
    for labels, asked, options, found in (
        ((0, 1), "1", {}, 1), ((False, True), "TRUE", {}, True), (("a", "B"), "b", {}, "b"),
        (("a", "B"), "b", {"ignore_case": True}, "B"), ((0, 1), None, {}, None),
        ((0, 1), "2", {}, "2"), ((0, 1), np.int64(1), {}, 1), (("1", "2"), 1, {}, 1),
    ):  # fmt: skip
        assert match_label(labels, asked, **options) == found


def test_classes_that_only_name_score_columns_are_classes_of_their_kind():
    of_three = ModelRoles("m", None, ("p", "q", "r"), ("a", "b", "c"))
    assert declared([of_three], ("a", "c")) == ("a", "b", "c")
    assert declared([of_three], ("a", "d")) == ("a", "d")
    assert declared([of_three], ("a", "b", "c")) == ("a", "b", "c")
    assert declared([ModelRoles("m", None, ("p", "q", "r"), ("0", "1", "2"))], (0, 2)) == (0, 1, 2)
    assert declared([ModelRoles("m", None, ("p", "q", "r"), ("0", "1", "x"))], (0, 1)) == (0, 1)
    assert declared([ModelRoles("m", None, ("p", "q"), ("a", None))], ("a",)) == ("a",)
    assert declared([], ("a",)) == ("a",)


def test_models_are_made_of_the_columns_that_share_a_name():
    a, b = ("p_a", "a"), ("p_b", "b")
    for preds, scores, models in (
        ((("rf_c", "rf"),), (("rf_p", "rf"), ("nb_p", "nb")),
         [ModelRoles("rf", "rf_c", ("rf_p",), (None,)), ModelRoles("nb", None, ("nb_p",), (None,))]),
        ((), (a, b), [ModelRoles("model", None, ("p_a", "p_b"), ("a", "b"))]),
        ((("c", None),), (a, ("q", None)), [ModelRoles("model", "c", ("p_a", "q"), ("a", "q"))]),
        ((("c", None), ("d", None)), (a, b),
         [ModelRoles("model", None, ("p_a", "p_b"), ("a", "b")), ModelRoles("c", "c"), ModelRoles("d", "d")]),
        ((("c", None),), (a,), [ModelRoles("p_a", "c", ("p_a",), ("a",))]),
        ((), (a,), [ModelRoles("p_a", None, ("p_a",), ("a",))]),
        ((("c", None), ("d", None)), (a,),
         [ModelRoles("p_a", None, ("p_a",), ("a",)), ModelRoles("c", "c"), ModelRoles("d", "d")]),
        ((("c", None),), (), [ModelRoles("c", "c")]),
    ):  # fmt: skip
        assert list(models_of(Roles("y", preds, scores))) == models
    roles = Roles("y", (("c", None),), (a, b), "w", "n")
    assert roles.columns == {
        "truth": ["y"], "weight": ["w"], "count": ["n"], "pred": ["c"], "score": ["p_a", "p_b"],
    }  # fmt: skip
    assert Roles("", (), (a,), pos_neg=("p", "n")).columns == {
        "pred": [],
        "score": ["p_a"],
        "count": ["p", "n"],
    }
    assert unused(["y", "c", "x", "p_a", "k"], roles, ["k", None]) == ["x"]
