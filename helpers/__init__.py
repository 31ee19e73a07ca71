"""What every notebook of the course imports: messages, checks, hardware, models, measurements, plots.

Importing this package imports neither torch nor matplotlib; take the module you need, for example
`from helpers import checks, plots`.
"""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """`plots` where there is no matplotlib: a stand-in that says so when a picture is asked for."""
    if name == "plots":
        from helpers import absent

        if absent.is_missing("matplotlib"):
            return absent.Plots()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
