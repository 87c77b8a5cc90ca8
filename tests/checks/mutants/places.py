# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Where C++ sources can be mutated by one token, as Clang's syntax tree shows.

A place is a range of a file, what it becomes, and the token that differs. What is only evaluated by
the compiler (static_assert, case, enumerators, constexpr variables, sizeof) has none, and neither has
what a macro makes.
"""

import os.path
import re
from dataclasses import dataclass

from clang.cindex import Cursor, CursorKind, Index, TypeKind

# A token, what replaces it, and the kind of mistake.
OPERATORS = {
    "<": ("<=", "bound"),
    "<=": ("<", "bound"),
    ">": (">=", "bound"),
    ">=": (">", "bound"),
    "==": ("!=", "equality"),
    "!=": ("==", "equality"),
    "&&": ("||", "logic"),
    "||": ("&&", "logic"),
    "+": ("-", "arithmetic"),
    "-": ("+", "arithmetic"),
}
KINDS = ("bound", "equality", "logic", "arithmetic", "literal", "error")

NOT_EVALUATED = {
    CursorKind.STATIC_ASSERT,
    CursorKind.ENUM_DECL,
    CursorKind.CXX_UNARY_EXPR,
    CursorKind.TEMPLATE_TYPE_PARAMETER,
    CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
    CursorKind.TEMPLATE_TEMPLATE_PARAMETER,
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.TYPEDEF_DECL,
}
LITERAL = re.compile(r"(0[xX][0-9a-fA-F']+|[0-9][0-9']*)[uUlLzZ]*")
MAX_LITERAL = 0x10FFFF  # larger ones are factors of hashes rather than bounds
WRAPPERS = (CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR)


def kind_of(cursor: Cursor) -> CursorKind:
    """Kinds that these bindings don't know, such as builtin calls, are some expression."""
    try:
        return cursor.kind
    except ValueError:
        return CursorKind.UNEXPOSED_EXPR


@dataclass(frozen=True)
class Place:
    file: str  # relative to the root
    start: int  # the range that is replaced, in bytes
    end: int
    at: int  # the token
    before: str
    after: str
    kind: str
    mutated: str  # what replaces the range


class Finder:
    """Walks translation units, each file once."""

    def __init__(self, root: str):
        self.root = root.rstrip("/") + "/"
        self.index = Index.create()
        self.texts: dict[str, bytes] = {}
        self.done: set[str] = set()
        self.places: list[Place] = []

    def parse(self, source: str, arguments: list[str]) -> None:
        unit = self.index.parse(source, args=arguments)
        for diagnostic in unit.diagnostics:
            if diagnostic.severity >= 3:
                raise RuntimeError(f"{source}: {diagnostic}")
        walked = set()
        for cursor in unit.cursor.get_children():
            file = cursor.location.file
            name = file.name if file else ""
            if not name.startswith(self.root):
                continue
            relative = os.path.normpath(name[len(self.root) :])
            if relative in self.done:
                continue
            walked.add(relative)
            self.walk(cursor, relative, None)
        self.done |= walked

    def text(self, file: str) -> bytes:
        if file not in self.texts:
            with open(self.root + file, "rb") as f:
                self.texts[file] = f.read()
        return self.texts[file]

    def walk(self, cursor: Cursor, file: str, parent: CursorKind | None) -> None:
        kind = kind_of(cursor)
        if kind in NOT_EVALUATED or self.is_constant(cursor, file):
            return
        children = list(cursor.get_children())
        if kind == CursorKind.CASE_STMT or self.begins(cursor, file, rb"if\s+constexpr\b"):
            children = children[1:]
        elif kind in (CursorKind.BINARY_OPERATOR, CursorKind.CALL_EXPR):
            self.visit_operator(cursor, children, file)
        elif kind == CursorKind.INTEGER_LITERAL and parent == CursorKind.BINARY_OPERATOR:
            self.visit_literal(cursor, file)
        elif kind == CursorKind.DECL_REF_EXPR:
            self.visit_enumerator(cursor, file)
        below = parent if kind in WRAPPERS else kind
        for child in children:
            self.walk(child, file, below)

    def begins(self, cursor: Cursor, file: str, pattern: bytes) -> bool:
        if kind_of(cursor) != CursorKind.IF_STMT:
            return False
        start = cursor.extent.start.offset
        return re.match(pattern, self.text(file)[start : start + 40]) is not None

    def is_constant(self, cursor: Cursor, file: str) -> bool:
        """A constexpr variable, or a function that only runs in the compiler."""
        if kind_of(cursor) in (CursorKind.VAR_DECL, CursorKind.FIELD_DECL):
            words = rb"\b(constexpr|constinit)\b"
        elif kind_of(cursor) in (CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE,
                                 CursorKind.CONSTRUCTOR):
            words = rb"\bconsteval\b"
        else:
            return False
        start, name = cursor.extent.start.offset, cursor.location.offset
        return re.search(words, self.text(file)[start:name]) is not None

    def range_of(self, cursor: Cursor, file: str) -> tuple[int, int] | None:
        """None where a macro has a part in it."""
        start, end = cursor.extent.start, cursor.extent.end
        for side in (start, end):
            if side.file is None or os.path.normpath(side.file.name) != self.root + file:
                return None
        return (start.offset, end.offset) if start.offset < end.offset else None

    def visit_operator(self, cursor: Cursor, children: list[Cursor], file: str) -> None:
        is_call = kind_of(cursor) == CursorKind.CALL_EXPR
        if len(children) != (3 if is_call else 2):
            return
        whole = self.range_of(cursor, file)
        left, right = self.range_of(children[0], file), self.range_of(children[-1], file)
        if not whole or not left or not right or whole != (left[0], right[1]) or left[1] > right[0]:
            return
        text = self.text(file)
        between = text[left[1] : right[0]].decode()
        token = between.strip()
        if token not in OPERATORS:
            return
        after, kind = OPERATORS[token]
        if kind == "arithmetic" and (is_call or not self.is_arithmetic(children)):
            return
        at = left[1] + between.index(token)
        whole_text = text[whole[0] : whole[1]]
        if b"#" in whole_text:
            return
        offset = at - whole[0]
        mutated = whole_text[:offset] + after.encode() + whole_text[offset + len(token) :]
        self.add(file, whole, at, token, after, kind, mutated.decode())

    @staticmethod
    def is_arithmetic(operands: list[Cursor]) -> bool:
        """Not where the other operator has no meaning: pointers, and strings."""
        for operand in operands:
            kind = operand.type.get_canonical().kind
            if kind in (TypeKind.POINTER, TypeKind.RECORD, TypeKind.CONSTANTARRAY):
                return False
        return True

    def visit_literal(self, cursor: Cursor, file: str) -> None:
        where = self.range_of(cursor, file)
        if not where:
            return
        text = self.text(file)[where[0] : where[1]].decode()
        digits = LITERAL.fullmatch(text)
        if not digits or int(digits[1].replace("'", ""), 0 if "x" in text.lower() else 10) > MAX_LITERAL:
            return
        self.add(file, where, where[0], text, f"{text} + 1", "literal", f"({text} + 1)")

    def visit_enumerator(self, cursor: Cursor, file: str) -> None:
        """One code of an error for the next one."""
        to = cursor.referenced
        if to is None or to.kind != CursorKind.ENUM_CONSTANT_DECL or to.semantic_parent.spelling != "errc":
            return
        if to.semantic_parent.semantic_parent.spelling == "std":
            return
        where = self.range_of(cursor, file)
        codes = self.codes_of(to.semantic_parent)
        text = where and self.text(file)[where[0] : where[1]].decode()
        if not text or not text.endswith("errc::" + to.spelling):
            return
        other = codes[(codes.index(to.spelling) + 1) % len(codes)]
        mutated = text[: -len(to.spelling)] + other
        self.add(file, where, where[0], to.spelling, other, "error", mutated)

    def codes_of(self, enum: Cursor) -> list[str]:
        if not hasattr(self, "codes"):
            self.codes = [c.spelling for c in enum.get_children() if kind_of(c) == CursorKind.ENUM_CONSTANT_DECL]
        return self.codes

    def add(self, file, where, at, before, after, kind, mutated) -> None:
        self.places.append(Place(file, where[0], where[1], at, before, after, kind, mutated))
