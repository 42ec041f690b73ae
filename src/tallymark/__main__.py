"""``python -m tallymark``."""

from tallymark.cli import main

if __name__ == "__main__":
    main(prog_name="tallymark")
