"""The display of results in notebooks."""

from dataclasses import fields
from html import escape
from typing import Any


def in_words(value: Any) -> str:
    """Returns a value as a reader of a table expects it; an empty text for `None`."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


class Record:
    """A dataclass that a notebook shows as a table, a row for each field."""

    def _repr_html_(self) -> str:
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        lines = [f"<tr><th>{name}</th><td>{escape(in_words(value))}</td></tr>" for name, value in values.items()]
        return f"<table>{''.join(lines)}</table>"
