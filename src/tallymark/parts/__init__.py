"""The parts that come with tallymark; :mod:`tallymark.part` says what a part is."""
