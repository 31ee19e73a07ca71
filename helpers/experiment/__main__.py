"""`python -m helpers.experiment`."""

import sys

from helpers.experiment.command import main

if __name__ == "__main__":
    sys.exit(main())
