import os

from hypothesis import HealthCheck, Phase, settings

# How wide the screen is that watches the tests is none of theirs.
os.environ.pop("COLUMNS", None)

fixed = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("fixed", fixed)
# Whether a test fails is all that is asked there, not by which smallest example.
settings.register_profile("mutants", fixed, phases=[Phase.explicit, Phase.generate])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
