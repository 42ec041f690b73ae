"""Questions that parts add to an evaluation, as its methods.

Made by `make stubs`; a test keeps it current.
"""

from tallymark.parts.lab.lab import lab as _lab
from tallymark.parts.risk.refer import refer as _refer
from tallymark.parts.verification.rates import verification as _verification

class Questions:
    verification = _verification
    lab = _lab
    refer = _refer
