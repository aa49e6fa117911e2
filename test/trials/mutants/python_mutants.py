"""Prints the mutants of Python files, as JSON: where each is, what stands there, what instead, and the whole file with it."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COMPARISONS: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
}
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}

TYPES = {"annotation", "returns", "decorator_list", "format_spec"}
# The name of a type or a variable is only for debuggers.
NAMED = {"TypeVar", "ParamSpec", "ContextVar"}


def is_left_out(node: ast.AST) -> bool:
    """Documentation, and what is for type checkers alone."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in NAMED


def is_prose(node: ast.Constant | ast.JoinedStr, parent: ast.AST) -> bool:
    """Texts of several words are for people: tests do not promise their wording."""
    return isinstance(parent, ast.JoinedStr) or re.search(r"\w \w", ast.unparse(node)) is not None


def replacements(node: ast.AST, parent: ast.AST, field: str) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    if field in ("test", "ifs") and not isinstance(node, ast.Constant):
        yield from (ast.Constant(True), ast.Constant(False))
    if field == "values" and isinstance(parent, ast.BoolOp):
        yield ast.Constant(isinstance(parent.op, ast.And))
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                yield ast.Compare(node.left, [*node.ops[:index], other(), *node.ops[index + 1 :]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
    elif isinstance(node, ast.Name) and field == "func" and node.id in FUNCTIONS:
        yield ast.Name(FUNCTIONS[node.id])
    elif isinstance(node, ast.JoinedStr):
        yield from [] if is_prose(node, parent) else [ast.Constant("")]
    elif isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
        yield from [] if is_prose(node, parent) else [ast.Constant(type(node.value)() if node.value else "mutated")]
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, (ast.Expr, ast.Raise, ast.Return, ast.AugAssign)):
        yield ast.Pass()


def places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int, Any]]:
    """All nodes below this one, each with its parent, and where that holds it."""
    for field, value in ast.iter_fields(node):
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST) and field not in TYPES and not is_left_out(child):
                yield node, field, index, child
                yield from places(child)


def put(parent: ast.AST, field: str, index: int, node: ast.AST) -> None:
    held = getattr(parent, field)
    if isinstance(held, list):
        held[index] = node
    else:
        setattr(parent, field, node)


def mutants(file: str) -> Iterator[dict[str, Any]]:
    source = Path(file).read_text(encoding="utf-8")
    tree = ast.parse(source)
    for parent, field, index, node in list(places(tree)):
        # "0 for 1" says little, so a constant is shown with the surrounding expression.
        place = parent if isinstance(node, ast.Constant) and isinstance(parent, ast.expr) else node
        for new in replacements(node, parent, field):
            put(parent, field, index, new)
            texts = {"replacement": ast.unparse(new if place is node else parent), "text": ast.unparse(tree)}
            put(parent, field, index, node)
            yield {"file": file, "line": place.lineno, "original": ast.get_source_segment(source, place), **texts}


print(json.dumps([{"id": f"{file}:{n}", **one} for file in sys.argv[1:] for n, one in enumerate(mutants(file))]))
