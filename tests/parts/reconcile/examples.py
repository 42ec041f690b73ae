"""One of everything that this part adds."""

import tallymark as tm

COMMANDS = {"reconcile": ["accuracy=0.9", "--n", "10"]}
CALLS = {"reconcile": {"n": 10}}

EVALUATION = tm.evaluate([0, 1] * 30, y_score=[0.2, 0.9, 0.6, 0.4] * 15)
CLAIMS = tm.reconcile({"accuracy": "0.9"}, n=10)
RESULTS = [CLAIMS, CLAIMS._claims[0], tm.which_definition(EVALUATION, "f1", "0.5")[0]]
