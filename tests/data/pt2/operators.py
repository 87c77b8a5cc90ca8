# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Rewrites the table of operators from what PyTorch knows of them.

    python3 tests/data/pt2/operators.py [NAME...]

Rewrites include/tessera/pt2/detail/operator_rows.hpp: the operators that it has, those named, and
the ones that do the same in place. pt2/operators.hpp tells how a row is written.
"""

import os
import re
import sys

import torch

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "../../../include/tessera/pt2/detail/operator_rows.hpp")
WORDS = {"Tensor": "T", "int": "i", "float": "f", "bool": "b", "str": "s", "number": "S",
         "ScalarType": "dtype", "Layout": "layout", "Device": "device", "MemoryFormat": "format",
         "Generator": "generator", "Stream": "stream"}


def schema(name):
    _, op, overload = name.split(".")
    packet = getattr(torch.ops.aten, op, None)
    found = getattr(packet, overload, None) if packet is not None else None
    return getattr(found, "_schema", None)


def word(of, alias):
    optional = of.startswith("Optional[")
    of = of[9:-1] if optional else of
    is_list = of.startswith("List[")
    of = of[5:-1] if is_list else of
    inner = of.startswith("Optional[")
    of = of[9:-1] if inner else of
    return (WORDS[of] + ("?" if inner else "") + ("[]" if is_list else "") + ("?" if optional else "")
            + ("" if alias is None else "!" if alias.is_write else "&"))


def default(value):
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(str, value)) + "]"
    return str(value)


def row(name):
    s = schema(name)
    arguments = []
    for a in s.arguments:
        text = word(str(a.real_type), a.alias_info) + " " + a.name
        if a.has_default_value():
            text += "=" + default(a.default_value)
        arguments.append(text)
    results = [word(str(r.real_type), r.alias_info) for r in s.returns]
    return (", ".join(arguments) + " -> " + ", ".join(results)).strip()


def main():
    names = set(sys.argv[1:])
    if os.path.exists(PATH):
        names |= set(re.findall(r'"(aten\.[^"]+)"', open(PATH).read()))
    for name in sorted(names):
        space, op, overload = name.split(".")
        in_place = f"{space}.{op}_.{overload}"
        if not op.endswith("_") and schema(in_place) is not None:
            names.add(in_place)
    names = sorted((n for n in names if schema(n) is not None))
    with open(PATH, "w") as out:
        out.write("""// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The operators of pt2/operators.hpp. Written by tests/data/pt2/operators.py, sorted by name.

#ifndef TESSERA_PT2_DETAIL_OPERATOR_ROWS_HPP
#define TESSERA_PT2_DETAIL_OPERATOR_ROWS_HPP

#include "../operators.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

// clang-format off
inline constexpr operator_row operator_rows[] = {
""")
        for name in names:
            out.write('    {"%s", "%s"},\n' % (name, row(name)))
        out.write("""};
// clang-format on

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_OPERATOR_ROWS_HPP
""")


main()
