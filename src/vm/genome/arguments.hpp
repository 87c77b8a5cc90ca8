// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How the parts of a v1.2 node become a call of the tensor machine.
//
//   // A = "aten.linear.default:node_args(2):kwargs()", B = "in1,in0", C = 0, D = two nodes
//   call_compiler compiler(arena, library);
//   const compiled_call& c = compiler.compile(node, 2);
//   c.operation;                           // linear
//   c.arguments;                           // input 1, input 0
//   c.binding;                             // letters 0 and 1 of "tt?T"
//
//   part                          argument
//   keys "argN" of a group        position N
//   other keys of a group         the keyword
//   a constant without a group    the operation's keyword, where it has one that takes a constant;
//                                 else the position after the tensors, or the nearest before it in
//                                 which tensors meet letters of tensors and the constant another
//   inputs of the variation       what is left of positions and of the operation's keywords, both in
//                                 the order of their names as text: arg0, arg1, arg10, arg2, mask
//   other inputs                  elements of a list of tensors, ascending: at position 1, and without
//                                 tensors before it at position 0 ("einsum" has a string there)
//
// A variation counts the inputs as D has them. Where a writer counted first and then sorted D, only
// the order of D shows which input is which argument. And of two calls that differ only in the
// position of their constant without a key it is the likelier one, x - 1 and not 1 - x: writers
// give the other one a group of one.
//
// Positions are those of PyTorch's function, or those of a flattened list: "cat" of three and an axis
// has the axis at position 1 or 3. What Python calls "<built-in function mul>" is "mul".
//
//   keyword without a letter                         what becomes of it
//   device, memory_format, pin_memory, non_blocking  no effect here
//   layout                                           the same, for torch.strided
//   any other                                        the same for null and false; else refused
//
// Lifetime:   calls refer to constants of the compiler, which stay in place.
// Errors:     faults: genome_run_operation, genome_run_arguments, genome_run_constant.
// Limits:     255 arguments, 32 of them from a group, 16 of them tensors with keywords.
// Allocation: each constant once, and about 200 bytes for each kind of node.

#ifndef TESSERA_VM_GENOME_ARGUMENTS_HPP
#define TESSERA_VM_GENOME_ARGUMENTS_HPP

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "constants.hpp"
#include "tessera/genome.hpp"
#include "tessera/nac/all.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::genome {

/// An argument: an input of the node, or a constant.
struct compiled_argument {
  const nac::value* constant = nullptr;
  std::uint32_t input = 0;
};

struct compiled_call {
  tessera::nac::operation operation = tessera::nac::operation::unknown;
  tessera::nac::binding binding;
  std::vector<compiled_argument> arguments;
};

/// Calls for the nodes of a program, each kind of node looked at once.
class call_compiler {
 public:
  call_compiler(nac::memory& arena, const model::library& from) : arena_(arena), library_(from) {}
  /// `n`: an operation, with the inputs that it has.
  [[nodiscard]] const compiled_call& compile(const model::node& n, std::uint32_t inputs);

  [[nodiscard]] const model::library& library() const noexcept { return library_; }
  [[nodiscard]] nac::memory& arena() const noexcept { return arena_; }
  [[nodiscard]] const loaded_constant& constant(std::uint32_t id);
  /// One that no registry holds.
  [[nodiscard]] const loaded_constant& keep(loaded_constant c) {
    loaded_.push_back(std::move(c));
    return loaded_.back();
  }
  /// What an A means.
  [[nodiscard]] tessera::nac::operation operation_of(std::uint8_t a);

 private:
  nac::memory& arena_;
  const model::library& library_;
  std::map<std::uint64_t, compiled_call> calls_;  // by A, B, C and the number of inputs
  std::vector<std::uint32_t> places_;             // by id: in loaded_, plus 1
  std::deque<loaded_constant> loaded_;            // which stay in place
  tessera::nac::operation operations_[256] = {};
  bool asked_[256] = {};
};

/// What the machine means by the target of an operation's name; `unknown` where it has none.
[[nodiscard]] tessera::nac::operation find_operation(std::string_view target);

/// Gathers the operations that the machine doesn't implement, of programs with one library; those of
/// a pattern are looked at once.
class unsupported_operations {
 public:
  void add(const model::program& p);
  [[nodiscard]] const std::set<std::string, std::less<>>& names() const noexcept { return names_; }

 private:
  void add(std::uint8_t a, const model::library& of);
  std::set<std::string, std::less<>> names_;
  std::vector<bool> patterns_;
  bool asked_[256] = {};
};

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_GENOME_ARGUMENTS_HPP
