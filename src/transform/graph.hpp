// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A NAC program that can be changed: instructions in a list, operands that name them.
//
//   graph g(program);                                     // of nac::verify
//   for (std::uint32_t n = g.first(); n != graph::none; n = g[n].next)
//     if (g.is(n, nac::operation::pass)) g.forward(n, g[n].operands[0].node);
//   g.resolve();
//   auto parts = std::move(g).encode();
//
//   node          an instruction, by a number that never changes. Between CONTROL_FLOW or CONVERGENCE
//                 and what follows its branches, a marker begins each branch, and one ends them all
//   operand       a node or a constant, and its letter in the signature
//   parameter     the name and the tensor of INPUT 1
//   everything else of the container is kept; MMAP isn't, for it counts instructions
//
// Not for programs with a CONVERGENCE that skips instructions before its first branch.
//
// Lifetime:   borrows the program and what that borrows; so do the parts.
// Errors:     of encode(): transform_optimize_limit, nac::convert's.
// Limits:     of a container, when it is encoded.
// Allocation: linear in the instructions, constants and names.

#ifndef TESSERA_TRANSFORM_GRAPH_HPP
#define TESSERA_TRANSFORM_GRAPH_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/container.hpp"
#include "tessera/nac/verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

class graph {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  enum class role : std::uint8_t {
    operation,
    system,  ///< INPUT, OUTPUT, and those without a meaning
    opener,  ///< CONTROL_FLOW, CONVERGENCE
    branch,  ///< begins one
    end,     ///< of all branches
  };
  struct operand {
    char letter = 'T';
    std::uint32_t node = none;   ///< that gives it, or
    std::uint32_t value = none;  ///< one of the constants
    friend bool operator==(const operand&, const operand&) = default;
  };
  struct node {
    role what = role::operation;
    std::uint8_t a = 0, b = 0;  ///< of the system's operations
    bool is_alive = true;
    bool is_in_place = false;
    nac::operation op = nac::operation::unknown;
    std::uint16_t id = 0;         ///< of INPUT's state or constant
    std::uint32_t name = none;    ///< of the operation, in names; of INPUT 1, its parameter
    std::uint32_t origin = 0;     ///< the instruction that it was, or came from
    std::uint32_t block = none;   ///< the marker of the innermost branch around it
    std::uint32_t depth = 0;      ///< of markers: how many branches are around them
    std::uint32_t opener = none;  ///< of markers: whose branches they are
    std::uint32_t previous = none, next = none;
    std::vector<operand> operands;
  };
  struct parameter {
    std::string name;
    std::uint32_t tensor = none;  ///< in rest().tensors
    bool is_dropped = false;
  };

  explicit graph(const nac::program& p);

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(nodes_.size());
  }
  [[nodiscard]] node& operator[](std::uint32_t n) noexcept { return nodes_[n]; }
  [[nodiscard]] const node& operator[](std::uint32_t n) const noexcept { return nodes_[n]; }
  [[nodiscard]] std::uint32_t first() const noexcept { return first_; }
  [[nodiscard]] std::string_view name(std::uint32_t n) const noexcept {
    return names_[nodes_[n].name];
  }
  [[nodiscard]] bool is(std::uint32_t n, nac::operation o) const noexcept {
    return nodes_[n].what == role::operation && nodes_[n].op == o;
  }
  [[nodiscard]] bool is_input(std::uint32_t n, nac::input variant) const noexcept {
    return nodes_[n].what == role::system && nodes_[n].a == nac::op_input &&
           nodes_[n].b == static_cast<std::uint8_t>(variant);
  }
  [[nodiscard]] bool is_parameter(std::uint32_t n) const noexcept {
    return is_input(n, nac::input::parameter);
  }
  /// Whether its place gives it a meaning: the value of a branch is that of its last instruction.
  [[nodiscard]] bool is_last(std::uint32_t n) const noexcept;
  /// Whether `outer` is the block `inner`, or one around it.
  [[nodiscard]] bool contains(std::uint32_t outer, std::uint32_t inner) const noexcept;
  /// By node: how many operands are its result.
  [[nodiscard]] std::vector<std::uint32_t> uses() const;
  /// By node: its place in the list.
  [[nodiscard]] std::vector<std::uint32_t> places() const;

  // ---- operands

  /// Which operands each letter of the operation's pattern has; none where they don't fit.
  [[nodiscard]] std::optional<nac::binding> bind(std::uint32_t n) const;
  /// The operand of a letter; null where it is missing, or several.
  [[nodiscard]] const operand* argument(std::uint32_t n, const nac::binding& b,
                                        std::size_t letter) const noexcept;
  [[nodiscard]] nac::constant constant(std::uint32_t value) const noexcept;
  /// Of constants; none for results and other types.
  [[nodiscard]] std::optional<double> number(const operand* o) const noexcept;
  [[nodiscard]] bool is_null(const operand* o) const noexcept;
  [[nodiscard]] std::string_view string(const operand* o) const noexcept;
  /// A list of integers, one integer, or consecutive ones; none where one is a result.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::uint32_t n,
                                                                  const nac::binding& b,
                                                                  std::size_t letter) const;
  [[nodiscard]] std::uint32_t integer_list(const std::vector<std::int64_t>& values);

  // ---- parameters

  [[nodiscard]] const std::vector<parameter>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] const parameter& parameter_of(std::uint32_t n) const noexcept {
    return parameters_[nodes_[n].name];
  }
  /// Null where weights are elsewhere.
  [[nodiscard]] const nac::tensor_part* tensor_of(std::uint32_t n) const noexcept;
  [[nodiscard]] const nac::parts& rest() const noexcept { return rest_; }
  /// Whether tensors can be added.
  [[nodiscard]] bool holds_weights() const noexcept { return rest_.internal_weights; }
  /// Adds a parameter of that name, or one like it that isn't taken.
  [[nodiscard]] std::uint32_t add_parameter(std::string_view name, nac::data_type type,
                                            const std::vector<std::uint32_t>& shape, bytes data);
  /// Gives a parameter another tensor.
  void set_tensor(std::uint32_t parameter, nac::data_type type,
                  const std::vector<std::uint32_t>& shape, bytes data);

  // ---- changes

  /// From now on `n` is the result of `to`, and no part of the list. See resolve().
  void forward(std::uint32_t n, std::uint32_t to);
  [[nodiscard]] std::uint32_t target(std::uint32_t n) noexcept;
  /// Gives the operands of a node, or of all, the nodes that theirs were forwarded to.
  void resolve(std::uint32_t n) noexcept;
  void resolve() noexcept;
  void erase(std::uint32_t n) noexcept;
  /// Moves a node before another one, into its block.
  void move_before(std::uint32_t n, std::uint32_t place) noexcept;
  /// A new INPUT 1, not yet in the list.
  [[nodiscard]] std::uint32_t add_input(std::uint32_t of_parameter, std::uint32_t origin);
  /// Drops those that no INPUT asks for: how many.
  std::size_t drop_parameters();
  /// Another operation with the same operands.
  void rename(std::uint32_t n, std::string_view name);
  /// Makes an operation, where it is, the INPUT of a parameter.
  void become_parameter(std::uint32_t n, std::uint32_t parameter);

  /// Adds the operation of a node to a container; `at` says which instruction a node is there.
  template <class At>
  std::uint32_t add_call(container_builder& to, std::uint32_t n, const At& at) const {
    container_builder::operands out;
    for (const operand& o : nodes_[n].operands) {
      if (o.node != none)
        out.push_back({o.letter, at(o.node), 0});
      else
        out.push_back({o.letter, none, add_constant(to, o.value)});
    }
    return to.call(std::string(name(n)), out);
  }
  [[nodiscard]] std::uint16_t add_constant(container_builder& to, std::uint32_t value) const;

  /// The container, without a schedule. The graph is of no use then.
  [[nodiscard]] result<nac::parts> encode() &&;

 private:
  struct value {
    nac::constant_type type = nac::constant_type::null;
    std::uint16_t length = 0;
    std::string payload;
  };

  [[nodiscard]] std::uint32_t intern(nac::constant_type type, std::uint16_t length,
                                     std::string payload);
  [[nodiscard]] std::uint32_t intern_name(std::string_view name);
  void append(std::uint32_t n);
  void decode_step(const nac::program& p, std::uint32_t i);
  class encoder;

  std::vector<node> nodes_;
  std::uint32_t first_ = none, last_ = none;
  std::vector<std::uint32_t> forwards_;
  std::vector<value> values_;
  std::map<std::string, std::uint32_t> value_of_, name_of_;
  std::vector<std::string> names_;
  std::vector<parameter> parameters_;
  std::map<std::uint32_t, std::string_view> input_names_;  // by node
  nac::parts rest_;
};

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_GRAPH_HPP
