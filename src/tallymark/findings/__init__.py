"""What to watch and what to do: findings, the list of their rules, and advice."""
