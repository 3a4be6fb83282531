"""The display of results in notebooks, and their types for tools."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from html import escape
from typing import Any, get_type_hints


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


def resolve(value: Any) -> None:
    """Turns the annotations of a dataclass from texts into types.

    Their names belong to the module, but pydantic and polars look for them in the package.
    """
    if is_dataclass(value):
        value.__annotations__ = hints = get_type_hints(value)
        for field in fields(value):
            field.type = hints[field.name]
