// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Statistics of a NEM program: tasks, arithmetic, traffic, memory.
//
//   const tessera::inspect::nem_statistics s = tessera::inspect::summarise(program);
//   s.moved[size_t(nem::level::ddr)][size_t(nem::level::l2)];    // bytes
//
//   macs        multiplications with their additions: elements of the output times the inner
//               dimension (gemm, matmul) or the kernel's size times its input channels (conv*)
//   moved       bytes of transfers and stores, from level to level: those of the source
//   declared    bytes of all buffers of a memory
//   peak        the maximum of live bytes when tasks execute in the order of the text: a
//               buffer is live from the first task that touches it to the last
//
// Loops count with all their iterations. Where these differ in nothing but offsets, one is visited and
// multiplied, however many there are.
//
// Lifetime:   values.
// Errors:     none, for any verified program.
// Limits:     max_steps tasks and iterations that are visited, and max_nodes; `is_partial` if there are
//             more.
//             Sums that don't fit 64 bits are 2^64 - 1.
// Allocation: linear in the program's buffers.

#ifndef TESSERA_INSPECT_NEM_STATISTICS_HPP
#define TESSERA_INSPECT_NEM_STATISTICS_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Bytes of one memory: DDR, L2, or the L1 of one engine.
struct nem_memory {
  nem::level level = nem::level::ddr;  ///< which kind of memory
  std::int64_t engine = 0;             ///< of an L1; else 0
  /// How many buffers it has; bytes of all of them, and the maximum that is live at once.
  std::uint64_t buffers = 0, declared = 0, peak = 0;
};

/// What a program does, from its statements and operands.
struct nem_statistics {
  static constexpr std::uint64_t max_steps = 10'000'000;  ///< tasks and iterations visited
  static constexpr std::uint64_t max_nodes =
      100'000'000;  ///< of the text, counted again in each iteration

  std::uint64_t tasks = 0, waits = 0, iterations = 0;         ///< executed; iterations of all loops
  std::array<std::uint64_t, nem::opcode_count> opcodes = {};  ///< tasks, by nem::opcode
  std::uint64_t macs = 0;                                     ///< multiply-accumulates
  std::array<std::array<std::uint64_t, nem::level_count>, nem::level_count> moved =
      {};                            ///< bytes, [from][to] by nem::level
  std::vector<nem_memory> memories;  ///< in the order DDR, L2, L1[0] …
  bool is_partial = false;           ///< a limit ended the count
};
/// Counts what a program does.
[[nodiscard]] nem_statistics summarise(const nem::program& p);

/// A buffer in its memory. Buffers are placed one after another in the order of the text, each at a
/// multiple of its alignment: the format leaves addresses to the binder.
struct buffer_address {
  std::string_view name;                               ///< of the program
  nem::level level = nem::level::ddr;                  ///< of its memory
  std::int64_t engine = 0;                             ///< of an L1; else 0
  std::uint64_t address = 0, size = 0, alignment = 1;  ///< bytes; UINT64_MAX: past 64 bits
};
/// All buffers, in the order of the text.
[[nodiscard]] std::vector<buffer_address> address_map(const nem::program& p);
std::vector<buffer_address> address_map(const nem::program&&) = delete;

/// The name of a memory: "DDR", "L2", "L1[0]".
[[nodiscard]] std::string memory_name(nem::level level, std::int64_t engine);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NEM_STATISTICS_HPP
