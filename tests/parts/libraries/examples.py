"""One of everything that this part adds."""

import tallymark as tm
from tallymark.parts.libraries.like import like

TABLES = {"explain --like sklearn": ["f.csv", "--score", "x"]}
RESULTS = [like(tm.evaluate([0, 1] * 30, y_score=[0.2, 0.9, 0.6, 0.4] * 15), "sklearn")[0]]
