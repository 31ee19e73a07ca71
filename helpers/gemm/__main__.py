"""`python -m helpers.gemm`."""

from helpers.gemm.command import main

if __name__ == "__main__":
    raise SystemExit(main())
