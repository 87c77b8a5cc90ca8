// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <map>

#include "convert.hpp"
#include "convert_parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

using ark::argument_name;
using ark::argument_type;

/// The row of an argument in the format's table; null where it isn't known there.
[[nodiscard]] const ark::argument_row* row_of(ark::op_type op, argument_name name) noexcept {
  for (const ark::argument_row& row : ark::argument_table)
    if (row.op == op && row.name == name) return &row;
  return nullptr;
}

/// Today's name of an older spelling.
[[nodiscard]] argument_name spelled_today(argument_name name) noexcept {
  if (name == argument_name::is_input_column_major) return argument_name::transpose_input;
  if (name == argument_name::is_other_column_major) return argument_name::transpose_other;
  if (name == argument_name::value) return argument_name::factor;
  return name == argument_name::factor ? argument_name::value : name;
}

class converter {
 public:
  converter(corpus& to, const ark::model& g) : to_(to), g_(g) {}

  void run() {
    for (const ark::node& n : g_.nodes)
      for (const ark::op& o : operations(g_, n)) add(o);
    std::vector<std::uint32_t> outputs;
    for (std::uint32_t i = 0; i < is_output_.size(); ++i)
      if (is_output_[i]) outputs.push_back(i);
    if (!outputs.empty())
      to_.add(to_.names().kind(name_of(genome::command::output), "", {}), outputs);
  }

 private:
  /// The node whose result a tensor is: of the operation that made or wrote it last; else of the one
  /// that last wrote into its buffer; else an input of the model.
  [[nodiscard]] std::uint32_t source_of(std::uint32_t tensor) {
    const std::int64_t id = g_.tensors[tensor].id;
    if (const auto at = makers_.find(id); at != makers_.end()) return at->second;
    const auto writer = writers_.find(buffer_of(g_, tensor).id);
    if (writer != writers_.end()) return writer->second;
    const std::uint32_t made = next(false);
    to_.add(to_.names().kind(name_of(genome::command::data_input), "", {}), {});
    makers_.emplace(id, made);
    return made;
  }
  /// The number of the node that is added next.
  [[nodiscard]] std::uint32_t next(bool is_output) {
    is_output_.push_back(is_output);
    return static_cast<std::uint32_t>(is_output_.size() - 1);
  }

  void add(const ark::op& o) {
    if (ark::is_virtual(o.type) && o.reads == 0) return;  // only names memory
    parts_.clear();
    for (std::uint32_t k = 0; k < o.reads; ++k) {
      const std::uint32_t from = source_of(reads(g_, o)[k]);
      is_output_[from] = false;
      parts_.tensor(k, from);
    }
    for (const ark::argument& a : arguments(g_, o)) constant(o, a);
    parts_.finish();
    const std::uint32_t made = next(o.writes + o.results != 0);
    to_.add(to_.names().kind(
                parts_.operation("ark." + std::string(type_name(g_, o)), /*keywords=*/true),
                parts_.variation(), parts_.constants()),
            parts_.inputs());
    for (const std::uint32_t t : writes(g_, o)) {
      makers_[g_.tensors[t].id] = made;
      writers_[buffer_of(g_, t).id] = made;
    }
    for (const std::uint32_t t : results(g_, o)) makers_[g_.tensors[t].id] = made;
  }

  void constant(const ark::op& o, const ark::argument& a) {
    const ark::argument_row* const row = row_of(o.type, a.name);
    if (row != nullptr && row->use == ark::argument_use::redundant) return;
    argument_name as = a.name;
    if (row != nullptr && row->use == ark::argument_use::alias) as = spelled_today(a.name);
    if (as != a.name && find_argument(g_, o, as) != nullptr) return;
    const std::string key =
        key_of(as == argument_name::other ? ark::name(g_, a)
                                          : ark::argument_names[static_cast<std::size_t>(as)]);
    switch (a.type) {
      case argument_type::int32:
      case argument_type::int64:
      case argument_type::uint32: return parts_.constant(key, "int", std::to_string(a.integer));
      case argument_type::uint64:
        return parts_.constant(key, "int", std::to_string(static_cast<std::uint64_t>(a.integer)));
      case argument_type::boolean:
        return parts_.constant(key, "bool", a.integer != 0 ? "true" : "false");
      case argument_type::float32:
        return parts_.constant(key, "float", json_of(static_cast<double>(a.real)));
      case argument_type::dims:
        return parts_.constant(key, "list", json_of_integers(integers(g_, a.integers)));
      case argument_type::other: return parts_.constant(key, "str", json_of(text_of(g_, a.token)));
      case argument_type::tensor:
      case argument_type::offset: return;  // where things lie
    }
  }

  corpus& to_;
  const ark::model& g_;
  node_parts parts_;
  std::vector<bool> is_output_;                    // of each node: nothing takes it
  std::map<std::int64_t, std::uint32_t> makers_;   // nodes, by Ids of tensors
  std::map<std::int64_t, std::uint32_t> writers_;  // nodes, by Ids of buffers
};

}  // namespace

error add_graph(corpus& to, std::string_view name, const ark::model& from,
                const conversion_options&) {
  to.begin(name);
  converter(to, from).run();
  return {};
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
