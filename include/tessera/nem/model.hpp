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
// expression of a single number or name is just that node, parentheses leave no trace.
//
// Lifetime:   a model owns itself; name() borrows from it.
// Errors:     none.
// Limits:     sources up to 4 GiB; fewer than 2^32 nodes.
// Allocation: 16 bytes per node, and each name once.

#ifndef TESSERA_NEM_MODEL_HPP
#define TESSERA_NEM_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

// clang-format off
// X(enumerator, whether its value is a name or a string)
#define TESSERA_NEM_NODES(X)                                                                       \
  X(include, 1) X(device_file, 1) X(device_name, 1) X(program, 1) X(constant, 1) X(let, 1)         \
  X(buffer, 1) X(loop, 1) X(body, 0) X(transfer, 1) X(store, 1) X(compute, 1) X(wait, 1)           \
  X(region, 1) X(elem, 0) X(shape, 0) X(layout, 1) X(strides, 0) X(quant, 0) X(quant_field, 0)     \
  X(level_index, 0) X(size, 0) X(align, 0) X(opcode, 1) X(input, 0) X(output, 0)                   \
  X(destination, 0) X(source, 0) X(attribute, 1) X(decorator, 1) X(unit_index, 1) X(deps, 0)       \
  X(name, 1) X(string, 1) X(integer, 0) X(wide_integer, 0) X(real, 0) X(list, 0)                   \
  X(expression, 0) X(add, 0) X(subtract, 0) X(multiply, 0) X(divide, 0) X(modulo, 0)               \
  X(negate, 0) X(type_family, 1) X(type_parameter, 1) X(binding, 1) X(condition, 1) X(on, 1)       \
  X(variant, 1) X(conformance, 0) X(element_type, 0) X(device, 1) X(extends, 1)                    \
  X(spec_version, 1) X(topology, 0) X(num_engines, 0) X(l2_size, 0) X(l1_size, 0)                  \
  X(device_units, 0) X(per_engine, 0) X(unit, 1) X(unit_characteristics, 0) X(unit_group, 1)       \
  X(characteristic, 1) X(mandatory, 0) X(extended, 0) X(variant_ref, 1)
// clang-format on

/// What a node is; the table above has what each kind holds.
enum class node_kind : std::uint8_t {
#define TESSERA_X(name, has_name) name,
  TESSERA_NEM_NODES(TESSERA_X)
#undef TESSERA_X
};
/// The names of the kinds, by node_kind.
inline constexpr std::string_view node_names[] = {
#define TESSERA_X(name, has_name) #name,
    TESSERA_NEM_NODES(TESSERA_X)
#undef TESSERA_X
};
namespace detail {
inline constexpr bool nodes_with_names[] = {
#define TESSERA_X(name, has_name) has_name != 0,
    TESSERA_NEM_NODES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NEM_NODES
}  // namespace detail
/// The name of a kind, as write_json has it: "type_family".
[[nodiscard]] constexpr std::string_view name(node_kind k) noexcept {
  return node_names[static_cast<std::size_t>(k)];
}

inline constexpr std::uint32_t no_name = 0xffffffff;  ///< of a task whose token has no name
inline constexpr std::uint32_t no_node = 0xffffffff;  ///< no node: in place of its index
/// No element of a list: in place of its index.
inline constexpr std::uint32_t no_index = 0xffffffff;

/// One node of the tree. Its children follow it, up to `next`.
struct node {
  node_kind kind = node_kind::include;  ///< decides what the next four hold
  std::uint8_t detail = 0;              ///< an enumerator, by kind
  std::uint16_t length = 0;             ///< bytes of its text, 65,535 for more
  std::uint32_t offset = 0;             ///< of its first byte
  std::uint32_t value = 0;              ///< a name, a number, an index, by kind
  std::uint32_t next = 0;               ///< the first node after its children
};
static_assert(sizeof(node) == 16);

/// A range of the characters of a model or report.
struct string {
  std::uint32_t first = 0, size = 0;  ///< of the first character; how many there are
  friend bool operator==(const string&, const string&) = default;
};

/// What `read` makes of one file.
struct model {
  pool<node> nodes;             ///< in the order of the file, each before its children
  pool<string> names;           ///< each name and string once, in the order of its first use
  text characters;              ///< those of the names; strings have their escapes resolved
  pool<std::int64_t> integers;  ///< of wide_integer: those from 2^32 on
  pool<double> reals;           ///< of nodes of the kind `real`

  /// A name or string, by its index in `names`; not no_name. Borrows from the model.
  [[nodiscard]] std::string_view name(std::uint32_t index) const& noexcept;
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

/// Whether the value of such a node is a name or a string of the model, or no_name.
[[nodiscard]] constexpr bool has_name(node_kind k) noexcept {
  return detail::nodes_with_names[static_cast<std::size_t>(k)];
}
/// The name or string of a node, empty where it has none.
[[nodiscard]] std::string_view name_of(const model& d, std::uint32_t i) noexcept;
std::string_view name_of(const model&&, std::uint32_t) = delete;

/// The children of a node, for `for (std::uint32_t c : children(d, i))`. Lifetime: borrows.
class children {
 public:
  /// Steps from one child to the next.
  class iterator {
   public:
    /// At node `at` of `nodes`.
    iterator(const node* nodes, std::uint32_t at) noexcept : nodes_(nodes), at_(at) {}
    /// The child's index in model::nodes.
    std::uint32_t operator*() const noexcept { return at_; }
    /// Moves to the next child.
    iterator& operator++() noexcept { return at_ = nodes_[at_].next, *this; }
    /// Whether they are at different nodes.
    friend bool operator!=(const iterator& a, const iterator& b) noexcept { return a.at_ != b.at_; }

   private:
    const node* nodes_;
    std::uint32_t at_;
  };
  /// The children of node `parent`.
  children(const model& d, std::uint32_t parent) noexcept
      : nodes_(d.nodes.data()), first_(parent + 1), last_(d.nodes[parent].next) {}
  children(const model&&, std::uint32_t) = delete;
  /// The first child.
  [[nodiscard]] iterator begin() const noexcept { return {nodes_, first_}; }
  /// After the last child.
  [[nodiscard]] iterator end() const noexcept { return {nodes_, last_}; }

 private:
  const node* nodes_;
  std::uint32_t first_, last_;
};

/// The first child of a kind, or no_node.
[[nodiscard]] std::uint32_t child(const model& d, std::uint32_t parent, node_kind k) noexcept;
/// The first child of a kind that has a detail, such as an attribute that the registry knows.
[[nodiscard]] std::uint32_t child(const model& d, std::uint32_t parent, node_kind k,
                                  std::uint8_t detail) noexcept;

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/model.hpp"
#endif

#endif  // TESSERA_NEM_MODEL_HPP
