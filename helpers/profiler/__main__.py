"""`python -m helpers.profiler`."""

from helpers.profiler.command import main

if __name__ == "__main__":
    raise SystemExit(main())
