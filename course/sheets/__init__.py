"""Tables that universities' systems export, CSV and XLSX: read by their headers, filled in cell by cell.

Imports: text.
Called by collecting (the roster) and by reporting (grades that go back).
"""
