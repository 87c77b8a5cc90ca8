// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The syntax tree of one NEM file: a flat array of nodes, each before its children.
//
//   for (std::uint32_t i = 0; i < d.nodes.size(); i = d.nodes[i].next)      // the top level
//     if (d.nodes[i].kind == nem::node_kind::buffer) use(d.name(d.nodes[i].value));
//   for (std::uint32_t c = i + 1; c < d.nodes[i].next; c = d.nodes[c].next) …   // children of i
//
//   node         value                 detail     children
//   include      its path (a string)              -
//   device_file  its path (a string)              -
//   device_name  name                             -
//   program      name                             -
//   constant     name                             an expression
//   let          name                             a value, or a region and its decorators
//   buffer       name                  level      [level_index] [size] [align] decorators
//   loop         loop variable                    first, last, decorators, body
//   body                                          statements
//   transfer     token or no_name      mode       destination, source, [deps], decorators
//   store        token or no_name      mode       destination, source, [deps], decorators
//   compute      token or no_name      mode       opcode, inputs, outputs, then deps, attributes
//                                                 and decorators in the order of the text
//   opcode       name                  opcode     -
//   wait         token or no_name (TOK-005)       names of tokens
//   region       buffer's name                    offset, extent, type attributes in source order
//   elem                               element    -
//   shape, strides                                expressions
//   layout       name                             -
//   quant                              form       quant_field (detail: which; its value) …
//   input, output, destination, source            a name or a region, then decorators
//   attribute    name                  attribute  a value
//   decorator    name                  decorator  values, or unit_index (value: name; expression)
//   deps                                          names of tokens
//   name, string the text's index                 -
//   integer      the number                       -  (wide_integer: index in `integers`)
//   real         index in `reals`                 -
//   list                                          values
//   expression                                    operands and operators, operators last:
//                                                 1 + 2 * x is  1 2 x mul add
//
//   type_family  name ("gemm.float")              type_parameter, binding, condition, variant
//   type_parameter  name                          element_type
//   binding      operand's name                   element_type or name
//   condition    "accum", "quant"                 element_type or name, [on]
//   on           operand's name                   -
//   variant      name                             binding, conformance
//   conformance                        1 = MUST   element_type
//   element_type                       element    -
//   device       name                             [extends] spec_version topology
//                                                 unit_characteristics mandatory extended
//   extends      name                             -
//   spec_version string                           -
//   topology                                      num_engines l2_size device_units per_engine
//   num_engines                                   integer
//   l2_size, l1_size                              an expression
//   device_units, per_engine                      unit (value: name; detail: unit; integer)
//   unit_characteristics                          unit_group (value: name; detail: unit)
//   unit_group                                    characteristic (value: name; integer)
//   mandatory, extended                           variant_ref (value: family's name)
//   variant_ref                                   element_type …, name of the variant
//
// There is no root: the top level is the sequence from node 0 on, in the order of the file. An
// expression of a single number or name is that node alone, parentheses leave no trace.
//
// Lifetime:   a document owns itself; name() borrows from it.
// Errors:     none.
// Limits:     sources up to 4 GiB; fewer than 2^32 nodes.
// Allocation: 16 bytes a node, and each name once.

#ifndef TESSERA_NEM_SYNTAX_HPP
#define TESSERA_NEM_SYNTAX_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

// clang-format off
// X(enumerator)
#define TESSERA_NEM_NODES(X)                                                                       \
  X(include) X(device_file) X(device_name) X(program) X(constant) X(let) X(buffer) X(loop)         \
  X(body) X(transfer) X(store) X(compute) X(wait) X(region) X(elem) X(shape) X(layout)             \
  X(strides) X(quant) X(quant_field) X(level_index) X(size) X(align) X(opcode) X(input)            \
  X(output) X(destination) X(source) X(attribute) X(decorator) X(unit_index) X(deps) X(name)       \
  X(string) X(integer) X(wide_integer) X(real) X(list) X(expression) X(add) X(subtract)            \
  X(multiply) X(divide) X(modulo) X(negate) X(type_family) X(type_parameter) X(binding)            \
  X(condition) X(on) X(variant) X(conformance) X(element_type) X(device) X(extends)                \
  X(spec_version) X(topology) X(num_engines) X(l2_size) X(l1_size) X(device_units) X(per_engine)   \
  X(unit) X(unit_characteristics) X(unit_group) X(characteristic) X(mandatory) X(extended)         \
  X(variant_ref)
// clang-format on

enum class node_kind : std::uint8_t {
#define TESSERA_X(name) name,
  TESSERA_NEM_NODES(TESSERA_X)
#undef TESSERA_X
};
inline constexpr std::string_view node_names[] = {
#define TESSERA_X(name) #name,
    TESSERA_NEM_NODES(TESSERA_X)
#undef TESSERA_X
};
[[nodiscard]] constexpr std::string_view name(node_kind k) noexcept {
  return node_names[static_cast<std::size_t>(k)];
}

inline constexpr std::uint32_t no_name = 0xffffffff;  ///< of a task whose token has no name
inline constexpr std::uint32_t no_node = 0xffffffff;
inline constexpr std::uint32_t no_index = 0xffffffff;

/// One node of the tree. Its children follow it, up to `next`.
struct node {
  node_kind kind = node_kind::include;
  std::uint8_t detail = 0;   ///< an enumerator, by kind
  std::uint16_t length = 0;  ///< bytes of its text, 65,535 for more
  std::uint32_t offset = 0;  ///< of its first byte
  std::uint32_t value = 0;   ///< a name, a number, an index, by kind
  std::uint32_t next = 0;    ///< the first node behind its children
};
static_assert(sizeof(node) == 16);

/// Some characters of a document or a report.
struct string {
  std::uint32_t first = 0, size = 0;
  friend bool operator==(const string&, const string&) = default;
};

/// What `read` makes of one file.
struct document {
  pool<node> nodes;             ///< in the order of the file, each before its children
  pool<string> names;           ///< each name and string once, in the order of its first use
  text characters;              ///< those of the names; strings have their escapes resolved
  pool<std::int64_t> integers;  ///< of wide_integer: those from 2^32 on
  pool<double> reals;

  [[nodiscard]] std::string_view name(std::uint32_t index) const& noexcept {
    const string s = names[index];
    return {characters.data() + s.first, s.size};
  }
  std::string_view name(std::uint32_t) const&& = delete;
  /// The number of an integer or a wide_integer.
  [[nodiscard]] std::int64_t integer(const node& n) const noexcept {
    return n.kind == node_kind::integer ? static_cast<std::int64_t>(n.value) : integers[n.value];
  }
};

/// Whether a node is an operator inside of an expression.
[[nodiscard]] constexpr bool is_operator(node_kind k) noexcept {
  return k >= node_kind::add && k <= node_kind::negate;
}
/// Whether a node begins a statement of a program.
[[nodiscard]] constexpr bool is_statement(node_kind k) noexcept {
  return (k >= node_kind::constant && k <= node_kind::loop) ||
         (k >= node_kind::transfer && k <= node_kind::wait);
}

/// Whether the value of such a node is a name or a string of the document, or no_name.
[[nodiscard]] constexpr bool has_name(node_kind k) noexcept {
  switch (k) {
    case node_kind::include:
    case node_kind::device_file:
    case node_kind::device_name:
    case node_kind::program:
    case node_kind::constant:
    case node_kind::let:
    case node_kind::buffer:
    case node_kind::loop:
    case node_kind::transfer:
    case node_kind::store:
    case node_kind::compute:
    case node_kind::wait:
    case node_kind::region:
    case node_kind::layout:
    case node_kind::opcode:
    case node_kind::attribute:
    case node_kind::decorator:
    case node_kind::unit_index:
    case node_kind::name:
    case node_kind::string:
    case node_kind::type_family:
    case node_kind::type_parameter:
    case node_kind::binding:
    case node_kind::condition:
    case node_kind::on:
    case node_kind::variant:
    case node_kind::device:
    case node_kind::extends:
    case node_kind::spec_version:
    case node_kind::unit:
    case node_kind::unit_group:
    case node_kind::characteristic:
    case node_kind::variant_ref: return true;
    default: return false;
  }
}
/// The name or string of a node, empty where it has none.
[[nodiscard]] inline std::string_view name_of(const document& d, std::uint32_t i) noexcept {
  const node& n = d.nodes[i];
  return has_name(n.kind) && n.value != no_name ? d.name(n.value) : std::string_view();
}

/// The children of a node, for `for (std::uint32_t c : children(d, i))`. Lifetime: borrows.
class children {
 public:
  class iterator {
   public:
    iterator(const node* nodes, std::uint32_t at) noexcept : nodes_(nodes), at_(at) {}
    std::uint32_t operator*() const noexcept { return at_; }
    iterator& operator++() noexcept { return at_ = nodes_[at_].next, *this; }
    friend bool operator!=(const iterator& a, const iterator& b) noexcept { return a.at_ != b.at_; }

   private:
    const node* nodes_;
    std::uint32_t at_;
  };
  children(const document& d, std::uint32_t parent) noexcept
      : nodes_(d.nodes.data()), first_(parent + 1), last_(d.nodes[parent].next) {}
  [[nodiscard]] iterator begin() const noexcept { return {nodes_, first_}; }
  [[nodiscard]] iterator end() const noexcept { return {nodes_, last_}; }

 private:
  const node* nodes_;
  std::uint32_t first_, last_;
};

/// The first child of a kind, or no_node.
[[nodiscard]] inline std::uint32_t child(const document& d, std::uint32_t parent,
                                         node_kind k) noexcept {
  for (const std::uint32_t c : children(d, parent))
    if (d.nodes[c].kind == k) return c;
  return no_node;
}
/// The first child of a kind that has a detail, such as an attribute that the registry knows.
[[nodiscard]] inline std::uint32_t child(const document& d, std::uint32_t parent, node_kind k,
                                         std::uint8_t detail) noexcept {
  for (const std::uint32_t c : children(d, parent))
    if (d.nodes[c].kind == k && d.nodes[c].detail == detail) return c;
  return no_node;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_SYNTAX_HPP
