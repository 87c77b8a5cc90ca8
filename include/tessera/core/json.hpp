// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// JSON, both ways: json::reader, json::writer, and copying from one to the other.
//
//   json::copy(in, out);   // a member that the schema doesn't know survives in the new layout
//
// Lifetime:   see reader and writer.
// Errors:     those of the reader; what was written until then stays.
// Limits:     those of the reader.
// Allocation: a byte for each open container.

#ifndef TESSERA_CORE_JSON_HPP
#define TESSERA_CORE_JSON_HPP

#include <string_view>

#include "json_read.hpp"
#include "json_write.hpp"
#include "pool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace json {

/// Copies one value of any kind: order of members and tokens of numbers as they were, white space
/// and escapes as the writer lays them out.
inline void copy(reader& in, writer& out) {
  pool<bool> objects;  // the containers that this value has opened
  std::string_view name;
  do {
    switch (in.peek()) {
      case kind::object:
        in.object(), out.begin_object();
        objects.push_back(true);
        break;
      case kind::array:
        in.array(), out.begin_array();
        objects.push_back(false);
        break;
      case kind::string: out.string(in.string()); break;
      default: out.raw(in.skip());
    }
    while (!objects.empty() && !(objects.back() ? in.key(name) : in.element())) {
      out.end();
      objects.pop_back();
    }
    if (!objects.empty() && objects.back()) out.key(name);
  } while (!objects.empty());
}

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_JSON_HPP
