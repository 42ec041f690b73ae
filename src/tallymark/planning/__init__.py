"""How many rows an evaluation takes, and what so many rows would show."""
