"""The formats: the name of a module is that of its format, its docstring says what it is for.

`write(findings, context)` returns the whole report.
"""
