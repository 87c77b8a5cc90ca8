// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The blocks of a network: what lies between two results that everything on the way from an input to the
// outputs passes.
//
//   const network_blocks n(program);
//   for (const network_blocks::block& b : n.blocks()) show(b.gene, b.instructions);
//
//   order    of instructions: depth first from the outputs, by the order of operands, so that it doesn't
//            depend on the program's own order
//   cuts     the chains of immediate post-dominators that begin at the inputs
//   block    a cut, with what meets there and at no cut before. What no cut follows is the last block
//   gene     of a block: its operations, which operands they have and how they are connected; neither
//            shapes nor the values of constants
//
// Instructions that ask for a parameter are in no block: they are operands.
//
// Lifetime:   borrows the program.
// Errors:     none.
// Limits:     none.
// Allocation: about 200 bytes for an instruction.

#ifndef TESSERA_TRANSFORM_BLOCKS_HPP
#define TESSERA_TRANSFORM_BLOCKS_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/nac/verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

class network_blocks {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct block {
    std::uint64_t gene = 0;
    std::vector<std::uint32_t> instructions;  ///< in the order above
  };
  /// An operand that is a parameter.
  struct weight {
    std::uint32_t position = 0;
    std::uint32_t parameter = 0;  ///< index in program::parameters()
  };

  explicit network_blocks(const nac::program& p);

  [[nodiscard]] const std::vector<block>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::vector<weight> weights_of(std::uint32_t instruction) const;
  /// Equal for instructions of the same operation with operands of the same kinds.
  [[nodiscard]] std::uint64_t operation(std::uint32_t instruction) const noexcept {
    return operations_[instruction];
  }
  /// What surrounds an instruction, `distance` (1 to max_distance) steps up and down.
  static constexpr std::uint32_t max_distance = 3;
  [[nodiscard]] std::uint64_t above(std::uint32_t instruction, std::uint32_t distance) const {
    return above_[distance - 1][instruction];
  }
  [[nodiscard]] std::uint64_t below(std::uint32_t instruction, std::uint32_t distance) const {
    return below_[distance - 1][instruction];
  }

 private:
  [[nodiscard]] bool is_parameter(std::uint32_t instruction) const noexcept;
  void connect();
  void sort_roots(std::vector<std::uint32_t>& roots);
  [[nodiscard]] std::vector<std::uint32_t> visit(const std::vector<std::uint32_t>& roots) const;
  void find_surroundings();
  void cut(const std::vector<std::uint32_t>& order);
  [[nodiscard]] std::uint64_t gene_of(const block& b) const;

  const nac::program& program_;
  std::vector<std::uint64_t> operations_;
  std::vector<std::vector<std::uint32_t>> needs_, used_by_;  // without parameters
  std::vector<std::uint64_t> above_[max_distance], below_[max_distance];
  std::vector<std::uint32_t> parameter_of_;  // by id: index
  std::vector<block> blocks_;
};

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_BLOCKS_HPP
