"""The secret half of the lesson on how much fits into memory."""
