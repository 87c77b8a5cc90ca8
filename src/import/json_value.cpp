// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "import/json_value.hpp"

#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace transform {
namespace {

/// Recursion is limited by the reader's depth.
void read_into(json::reader& in, json_value& to) {
  to.kind = in.peek();
  to.offset = in.offset();
  switch (to.kind) {
    case json::kind::object: {
      in.object();
      for (std::string_view key; in.key(key);) {
        to.keys.emplace_back(key);
        read_into(in, to.elements.emplace_back());
      }
      return;
    }
    case json::kind::array:
      for (in.array(); in.element();) read_into(in, to.elements.emplace_back());
      return;
    case json::kind::string: to.text = in.string(); return;
    case json::kind::number: {
      const json::number n = in.number();
      to.number = n.value;
      to.is_integer = n.integral;
      return;
    }
    case json::kind::boolean: to.boolean = in.boolean(); return;
    case json::kind::null: in.null(); return;
    case json::kind::none: in.skip(); return;  // reports what is there
  }
}

}  // namespace

result<json_value> read_json_value(std::string_view source) {
  json::reader in(source);
  json_value root;
  read_into(in, root);
  if (const error e = in.finish(); e.code != errc::ok) return e;
  return root;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
