"""Diagnosis by behaviour: which wrong ideas an answer has, told from what its functions return.

An answer has an idea when it equals that idea's mutant on every call of the hidden tests and on every probe,
and differs from the reference on one of them.
"""
