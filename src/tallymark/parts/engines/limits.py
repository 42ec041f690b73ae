"""How many groups an engine counts and sends."""

MOST_LINES = 2_000_000
"""Most groups that are fetched; with more distinct scores the engine counts bins."""

BINS = 1 << 18
"""Bins that an engine counts where it holds more distinct scores than are fetched; subgroups share
the groups that are fetched, and so have fewer bins."""

MOST_BINS = 1 << 22
"""Most bins that an engine counts to keep bounds within a tolerance."""

COARSE = 4096
"""Number of bins in the first pass, which estimates the distribution of the scores."""

STRETCHES = 24
"""Ranges with bins of one width; some engines evaluate every branch of a CASE on every row."""

CROWDED = 1 / 50
"""A bin that holds more than this share of the rows is split in a second pass."""

EVERY_ROW = 1 << 62
"""A limit that no table reaches."""

SIDE_BY_SIDE = 1000
"""Most bins of each score where the scores of several models or classes are counted together."""

LINES_OF_A_TALLY = BINS
"""Most distinct scores in the tally of one worker. With more, the worker bins them."""

TALLIES = 1024
"""Most tallies of one scan of Spark, unless it has more than a quarter as many cores."""

LOOKS = 8
"""Tasks that look at some rows before the scan."""

SAMPLED = 10_000
"""Rows that each of these tasks sends."""
