from __future__ import annotations

import inspect
import re
import unittest
from pathlib import Path

import shipping_client
from shipping_client import ListOptions, RequestInfo, ResponseInfo, Shipping, ShippingError, WriteOptions
from shipping_client.errors import KINDS

README = (Path(__file__).parents[1] / "README.md").read_text()
CELLS = [re.findall(r"`([^`]+)`", line.split("|")[1]) for line in README.splitlines() if line.startswith("| `")]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in README.splitlines() if line.startswith("| `")]
FIRST = [name for cell in CELLS for name in cell]


class Readme(unittest.TestCase):
    def test_names_every_argument_of_the_client_in_their_order(self) -> None:
        arguments = list(inspect.signature(Shipping).parameters)
        start = FIRST.index("api_key")
        self.assertEqual(FIRST[start : start + len(arguments)], arguments)

    def test_names_every_option_of_a_call(self) -> None:
        options = {*WriteOptions.__optional_keys__, *ListOptions.__optional_keys__}
        start = FIRST.index("sleep") + 1
        self.assertEqual(set(FIRST[start : start + len(options)]), options)

    def test_names_every_class_of_errors_with_its_codes(self) -> None:
        said = {row[0].strip("`"): re.findall(r"`(\w+)`", row[1]) for row in ROWS if row[0].endswith("Error`")}
        kinds: dict[str, list[str]] = {}
        for code, kind in KINDS.items():
            kinds.setdefault(kind.__name__, []).append(code)
        self.assertEqual({name: set(codes) for name, codes in said.items()}, {k: set(v) for k, v in kinds.items()})
        self.assertTrue(all(hasattr(shipping_client, name) for name in said))

    def test_names_every_attribute_of_an_error_and_of_what_hooks_are_told(self) -> None:
        for name in vars(ShippingError("x", "y")):
            self.assertIn(name, FIRST)
        told = {*RequestInfo.__dataclass_fields__, *ResponseInfo.__dataclass_fields__}
        section = README.split("## Hooks")[1].split("## ")[0]
        self.assertEqual([name for name in told if f"`{name}`" not in section], [])
