"""What every notebook of the course imports: messages, checks, hardware, models, measurements, plots.

Importing this package imports neither torch nor matplotlib; take the module you need, for example
`from helpers import checks, plots`.
"""

__version__ = "0.1.0"
