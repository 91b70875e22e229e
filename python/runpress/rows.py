"""Rows of a feed, and their conversion to tables."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from runpress.errors import PackageNotFoundError

if TYPE_CHECKING:
    import pandas
    import polars

Row = dict[str, Any]

INT64 = 2**63


class Rows(list[Row]):
    """A list of dicts that can be converted to a table.

    An object in a row becomes a column for each of its keys, such as `metrics.cost.actual`. A value that was not recorded is None.
    """

    def columns(self) -> dict[str, list[Any]]:
        """The values of each column, in the order in which the columns first appear."""
        columns: dict[str, list[Any]] = {}
        for number, row in enumerate(self):
            for name, value in leaves(row, ""):
                column = columns.setdefault(name, [])
                column.extend([None] * (number - len(column)))
                # A key with a dot and the path of an object can have the same name: the first one counts.
                if len(column) == number:
                    column.append(value)
        for column in columns.values():
            column.extend([None] * (len(self) - len(column)))
        return columns

    def to_pandas(self) -> "pandas.DataFrame":
        """A data frame of pandas. Arrays are cells of the type list."""
        try:
            import pandas
        except ImportError as error:
            raise missing("pandas") from error
        return pandas.DataFrame(self.columns(), index=range(len(self)))

    def to_polars(self) -> "polars.DataFrame":
        """A data frame of Polars. Values of a column that have no common type are in it as JSON."""
        try:
            import polars
        except ImportError as error:
            raise missing("polars") from error
        return polars.DataFrame({name: typed(values) for name, values in self.columns().items()})


def missing(package: str) -> PackageNotFoundError:
    return PackageNotFoundError(f"The package {package} is not installed", f"Run `pip install {package}`.")


def leaves(row: Row, path: str) -> Iterator[tuple[str, Any]]:
    """The values of a row that are not objects, each with the name of its column."""
    for key, value in row.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{path}{key}.")
        else:
            yield path + key, None if value == {} else value


def typed(values: list[Any]) -> list[Any]:
    """The values of a column with one type: as they are, as floating-point numbers, or as JSON."""
    present = [value for value in values if value is not None]
    if is_uniform(present):
        return values
    if all(isinstance(value, list) for value in present) and is_uniform([each for value in present for each in value]):
        return values
    if all(type(value) in (int, float) for value in present):
        return [None if value is None else float(value) for value in values]
    return [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]


def is_uniform(values: list[Any]) -> bool:
    """Whether Polars has one type for these values. It has none for whole numbers of more than 64 bits."""
    types = {type(value) for value in values}
    if types == {int}:
        return all(-INT64 <= value < INT64 for value in values)
    return len(types) <= 1 and types <= {bool, float, str}
