"""What the tests of every command need of this part."""

COMMANDS = {"matrix": ["7", "3", "2", "8"]}
