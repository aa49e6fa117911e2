from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

from .errors import UnexpectedAnswerError, invalid_argument
from .transport.operation import ReadOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")

MAX_PAGE = 100


class ListOptions(ReadOptions, total=False):
    limit: int | None
    """Maximum number of records on a page, from 1 to 100. The default is 25."""

    after: str | None
    """The `next_cursor` of the previous page."""


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list."""

    data: list[T]
    next_cursor: str | None
    """The `after` of the next page. None on the last page."""


class Listing(Generic[T]):
    """
    A list. Read all records with `for`, or read page by page. Records are sorted by ID, not by time. No request is sent
    before you iterate.
    """

    def __init__(self, fetch: Callable[[Mapping[str, Any]], Any], options: ListOptions) -> None:
        self._fetch = fetch
        self._options = _only_given(options)

    def page(self, **options: Unpack[ListOptions]) -> Page[T]:
        """One page. Options given here override those of the list."""
        page = self._fetch({**self._options, **_only_given(options)})
        return Page(page["data"], page["next_cursor"])

    def __iter__(self) -> Iterator[T]:
        return self._records({})

    def to_list(self, *, max: int) -> list[T]:
        """The first `max` records. Further records are not requested."""
        # Without a bound, a list that has grown could fill the memory.
        if isinstance(max, bool) or not isinstance(max, int) or max < 1:
            raise invalid_argument("to_list needs max, an integer of 1 or more.")
        records: list[T] = []
        for record in self._records({"limit": self._options.get("limit", min(max, MAX_PAGE))}):
            records.append(record)
            if len(records) == max:
                break
        return records

    def _records(self, options: Mapping[str, Any]) -> Iterator[T]:
        after = self._options.get("after")
        seen = {after}
        while True:
            given: Any = {**options, "after": after}
            page = self.page(**given)
            yield from page.data
            after = page.next_cursor
            if after is None:
                return
            # Without this check, the iteration would never end.
            if after in seen:
                message = f"The list repeats itself: next_cursor {after} was returned before."
                raise UnexpectedAnswerError("unexpected_answer", message)
            seen.add(after)


def _only_given(options: Any) -> dict[str, Any]:
    """Options that are None do not override those of the list."""
    return {name: value for name, value in options.items() if value is not None}
