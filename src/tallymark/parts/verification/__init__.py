"""Biometric verification: genuine and impostor scores, judged as ISO/IEC 19795 says."""

from tallymark.part import Part

PART = Part(
    __name__,
    names={"verify": "verify:verify"},
    commands=("command",),
    questions={"verification": "rates:verification"},
    uses={"biometrics": "uses:BIOMETRICS"},
    own_uses={"similarities": "uses:VERIFICATION", "distances": "uses:VERIFICATION"},
    judged_elsewhere=("trials:side_by_side_said",),
    findings=("findings",),
)
