// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/write.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_WRITE_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_WRITE_HPP

#include <utility>

#include "../../print.hpp"
#include "../../read.hpp"
#include "../../write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

TESSERA_INLINE result<text> write(const model& d, const write_options& options) {
  text out = print(d, {.strict_ebnf = options.strict_ebnf});
  for (const node& n : d.nodes)
    if (n.offset != 0 || n.length != 0) return out;
  constexpr limits unlimited = {.max_bytes = UINT64_MAX, .max_items = UINT64_MAX};
  if (const result<model> again = read(out.view(), {.limit = unlimited}); !again)
    return again.error();
  return out;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_WRITE_HPP
