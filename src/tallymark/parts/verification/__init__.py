"""Biometric verification: genuine and impostor scores, judged as ISO/IEC 19795 says."""

from tallymark.part import Part, Role

PART = Part(
    __name__,
    names={"verify": "verify:verify"},
    checks=("unused:people_not_used",),
    commands=("command",),
    roles=(
        Role(
            "people",
            plural="people",
            such_as="the person of the probe and that of the reference",
            about="Both people of a comparison.",
            tally="people:PeopleTally",
            of_rows=False,
        ),
    ),
    intervals={"people": "intervals:intervals"},
    questions={"verification": "rates:verification"},
    uses={"biometrics": "uses:BIOMETRICS"},
    own_uses={"similarities": "uses:VERIFICATION", "distances": "uses:VERIFICATION"},
    judged_elsewhere=("trials:side_by_side_said",),
    findings=("findings", "unused"),
)
