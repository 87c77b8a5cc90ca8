// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Parts of nodes on their way into a corpus: variations, constants as JSON, names.
//
//   node_parts n;
//   n.tensor(0, 7), n.tensor(1, 5);            // argument 0 is node 7, argument 1 node 5
//   n.constant("arg2", "int", "1");
//   n.finish();                                // variation "in1,in0", inputs 5 and 7
//   to.add(to.names().kind(n.operation("nac.add"), n.variation(), n.constants()), n.inputs());
//
//   text        argument names sort as text: arg10 comes before arg2
//   floats      Python's repr; what JSON has no number for is a string: "nan", "inf", "-inf"
//   strings     bytes that aren't UTF-8 are replaced by U+FFFD, in names of operations too
//
// Lifetime:   what it hands out lasts until clear().
// Errors:     none.
// Limits:     none.
// Allocation: what one node takes.

#ifndef TESSERA_GENOME_CONVERT_PARTS_HPP
#define TESSERA_GENOME_CONVERT_PARTS_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus.hpp"
#include "tessera/genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

[[nodiscard]] std::string_view name_of(genome::command c) noexcept;

/// The kind of an IF (genome::if_else) or WHILE (genome::while_loop) with blocks of so many nodes.
[[nodiscard]] std::uint32_t control_flow_kind(vocabulary& names, std::uint8_t b,
                                              std::uint64_t first_block,
                                              std::uint64_t second_block);

/// `s` in UTF-8 for certain.
[[nodiscard]] std::string utf8_of(std::string_view s);
[[nodiscard]] std::string json_of(double v);
[[nodiscard]] std::string json_of(std::string_view s);
/// A list of numbers.
template <class List>
[[nodiscard]] std::string json_of_integers(const List& list) {
  text out;
  for (std::size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "[" : ",") << list[i];
  out << (list.size() == 0 ? "[]" : "]");
  return std::string(out.view());
}
template <class List>
[[nodiscard]] std::string json_of_reals(const List& list) {
  std::string out = "[";
  for (std::size_t i = 0; i < list.size(); ++i)
    out.append(i == 0 ? "" : ",").append(json_of(static_cast<double>(list[i])));
  return out + ']';
}
/// The key of an argument without a name.
[[nodiscard]] std::string key_of(std::uint32_t position);
/// The key of an argument by its name: characters that have a meaning in a registry's texts become
/// "%3d", so that different names remain different.
[[nodiscard]] std::string key_of(std::string_view name);

/// What one node says.
class node_parts {
 public:
  void clear();
  /// Tensor argument number `position` is the result of `node`.
  void tensor(std::uint32_t position, std::uint32_t node) { tensors_.push_back({position, node}); }
  /// `value` is JSON. Of constants of one key the first one counts.
  void constant(std::string key, std::string_view type, std::string value);
  /// Call it once all are there.
  void finish();

  [[nodiscard]] std::span<const std::uint32_t> inputs() const noexcept { return inputs_; }
  [[nodiscard]] std::string_view variation() const noexcept { return variation_; }
  [[nodiscard]] std::span<const argument> constants() const noexcept { return arguments_; }
  /// TARGET:node_args(N):kwargs(…); with `keywords`, the keys of the constants.
  [[nodiscard]] std::string operation(std::string_view target, bool keywords = false) const;

 private:
  struct tensor_argument {
    std::uint32_t position, node;
  };
  struct owned {
    std::string key, type, value;
  };
  std::vector<tensor_argument> tensors_;
  std::vector<owned> owned_;
  std::vector<std::uint32_t> inputs_;
  std::string variation_;
  std::vector<argument> arguments_;
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_CONVERT_PARTS_HPP
