"""The complete calls that a refusal lists, as the arguments that each of them gives."""

import ast
import re

TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
NUMBER = r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
SIMPLE = rf"(?:{TEXT}|{NUMBER}|True|False|None)"
GROUP = r"(?:\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\})"
VALUE = rf"(?:{SIMPLE}|{GROUP})"
ARGUMENT = rf"[a-z][a-z_]*=(?:{VALUE})"
RUN = re.compile(rf"\b{ARGUMENT}(?:,? (?:and )?{ARGUMENT}|, *{ARGUMENT})*")
OTHERS = re.compile(r"\btm\.(?!evaluate\b|file\b)[a-z_.]+\([^()]*\)")
EACH = re.compile(rf"\b([a-z][a-z_]*)=({VALUE})")


def calls(sentence):
    """Return the choices of a refusal, each as {argument: value}.

    A choice is a call, ``evaluate(DATA, truth='y', score='p')``. Where a refusal writes none, each
    run of arguments such as ``truth='y', score='p'`` is one. Calls of other functions are none.
    """
    sentence = OTHERS.sub("", sentence)
    written = [_inside(sentence, m.end()) for m in re.finditer(r"\bevaluate\(", sentence)]
    made = [_arguments(text) for text in written]
    if not any(made):
        made = [_arguments(m.group()) for m in RUN.finditer(sentence)]
    return [named for named in made if named]


def _inside(sentence, start):
    """Return what stands between an opening bracket and the one that closes it."""
    depth, at = 1, start
    while at < len(sentence):
        quoted = re.match(TEXT, sentence[at:])
        if quoted:
            at += quoted.end()
            continue
        depth += (sentence[at] in "([{") - (sentence[at] in ")]}")
        if not depth:
            break
        at += 1
    return sentence[start:at]


def _arguments(text):
    """Return the named arguments of a call, those with a value that can be read."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        return {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg}
    except (SyntaxError, ValueError):  # words between the arguments
        return {name: ast.literal_eval(value) for name, value in EACH.findall(text)}
