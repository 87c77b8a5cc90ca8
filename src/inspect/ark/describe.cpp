// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/ark/describe.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "tessera/core/json_write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

std::string text_of_dimensions(const std::int64_t (&dims)[ark::max_rank], std::uint32_t rank) {
  std::string out = "[";
  for (std::uint32_t d = 0; d < rank && d < ark::max_rank; ++d)
    out.append(d == 0 ? "" : ", ").append(std::to_string(dims[d]));
  return out + ']';
}

std::string text_of_shape(const ark::layout& l) { return text_of_dimensions(l.shape, l.rank); }

std::string text_of_tensor(const ark::model& g, std::uint32_t tensor) {
  return std::string(ark::info(g.tensors[tensor].type).name) + ' ' +
         text_of_shape(layout_of(g, tensor));
}

std::string text_of_value(const ark::model& g, const ark::argument& a) {
  switch (a.type) {
    case ark::argument_type::uint64: return std::to_string(static_cast<std::uint64_t>(a.integer));
    case ark::argument_type::boolean: return a.integer != 0 ? "true" : "false";
    case ark::argument_type::float32: {
      char digits[32];
      return {digits, std::to_chars(digits, digits + sizeof digits, a.real).ptr};
    }
    case ark::argument_type::tensor:
      return 't' + std::to_string(g.tensors[static_cast<std::size_t>(a.integer)].id);
    case ark::argument_type::dims:
    case ark::argument_type::offset: {
      std::string out = "[";
      for (const std::int64_t v : integers(g, a.integers))
        out.append(out.size() == 1 ? "" : ", ").append(std::to_string(v));
      return out + ']';
    }
    case ark::argument_type::other: return std::string(text_of(g, a.token));
    case ark::argument_type::int32:
    case ark::argument_type::int64:
    case ark::argument_type::uint32: break;
  }
  return std::to_string(a.integer);
}

namespace {

/// The current name of an argument; empty for one that repeats what follows from the tensors.
[[nodiscard]] std::string_view current_name(const ark::model& g, const ark::op& o,
                                            const ark::argument& a) {
  for (const ark::argument_row& row : ark::argument_table) {
    if (row.op != o.type || row.name != a.name) continue;
    if (row.use == ark::argument_use::redundant) return {};
    if (row.use != ark::argument_use::alias) break;
    if (a.name == ark::argument_name::is_input_column_major) return "TransposeInput";
    if (a.name == ark::argument_name::is_other_column_major) return "TransposeOther";
    return o.type == ark::op_type::scalar_assign ? "Value" : "Factor";
  }
  return name(g, a);
}

}  // namespace

std::string text_of_arguments(const ark::model& g, const ark::op& o) {
  std::vector<std::string> found;
  for (const ark::argument& a : arguments(g, o))
    if (const std::string_view name = current_name(g, o, a); !name.empty())
      found.push_back(std::string(name) + '=' + text_of_value(g, a));
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  text out;
  for (const std::string& a : found) append_shown(out << (out.empty() ? "" : " "), a);
  return std::string(out.view());
}

std::string text_of_op(const ark::model& g, const ark::op& o) {
  text out;
  append_shown(out, type_name(g, o));
  if (!name(g, o).empty()) {
    out << ' ';
    json::append_quoted(out, name(g, o));
  }
  return std::string(out.view());
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
