// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The machine of NAC v1.2: runs verified node streams, with the operations of the NAC machine.
//
//   interpreter vm(*program);                            // from genome::verify
//   vm.set_parameter("p_weight", weight);
//   vm.set_input(0, make_tensor(vm.arena(), data_type::float32, {1, 3}));
//   const outcome done = vm.run();
//   if (!done) report(done.code, done.offset, done.text);
//   const nac::tensor& y = vm.outputs()[0].as_tensor();
//
//   command         what it does
//   DATA_INPUT      outside of blocks the next input, in the order of the expansion; in a block that
//                   of its IF or WHILE (format.hpp)
//   CONST_REF       a parameter, by its id or its name; PARAM_INPUT the next one without a name, in
//                   the order of the expansion. All that a program holds must be given.
//   COPY            the node that it copies, once: all have the same value. One of inputs takes as
//                   many; its id is the first of them, the value of a block that it ends the last.
//   operation       for its arguments see arguments.hpp
//   PATTERN         a call: the nodes of the pattern, each with a result of its own, which later
//                   nodes may take by the numbering of the expansion. Its value is that of its last
//                   node, or of the one that interpreter_options names.
//   CONTROL_FLOW    as format.hpp says: IF runs one of its blocks, WHILE its body as long as its
//                   condition holds. A condition is one element, or a list that begins with one.
//   OUTPUT          outside of blocks adds its inputs to outputs(), of an operation with several
//                   results the first one; a program without one gives the value of its last node
//   PAD             nothing
//
// What can be known before running is: names, arguments and constants of all nodes, run or not, are
// resolved when the machine is made, and the first that can't run makes every run() fail. Inputs
// and parameters after that one, and inputs of patterns, aren't known then.
//
// Lifetime:   a machine borrows its program. Tensors of its memory must not outlive it. outputs() last
//             until the next run. One machine serves one caller at a time.
// Errors:     run(): genome_run_*, nac_run_*, budget_steps, budget_memory, with the node; where
//             patterns lead, as expand() has them, genome_pattern_* and genome_reference_external. A
//             machine can be run again after any of them.
// Limits:     interpreter_options; the budget: steps of each node are charged before it runs.
// Allocation: numbers, parameters and results, within max_memory: results until their last use.
//             Besides them about 200 bytes for a node of the expansion, which has at most max_nodes,
//             and 100 for one of the stream and of each pattern that it calls, 16 for each argument.

#ifndef TESSERA_VM_GENOME_INTERPRETER_HPP
#define TESSERA_VM_GENOME_INTERPRETER_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "tessera/genome.hpp"
#include "tessera/vm/genome.hpp"
#include "vm/nac/call.hpp"
#include "vm/nac/tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::genome {

struct interpreter_options {
  std::uint64_t max_memory = budget{}.max_memory;
  std::uint64_t max_nodes = std::uint64_t{1} << 20;  ///< of the expansion; and inputs of a kind
  view<model::pattern_result> results = {};          ///< read when the machine is made
  nac::memory* arena = nullptr;                      ///< one that outlives it, instead of its own
};

class interpreter {
 public:
  explicit interpreter(const model::program& p, const interpreter_options& how = {});
  interpreter(const interpreter&) = delete;
  interpreter& operator=(const interpreter&) = delete;
  ~interpreter();

  [[nodiscard]] const model::program& program() const noexcept { return program_; }
  /// Whether it can run; if not, the error that every run() gives.
  [[nodiscard]] const outcome& made() const noexcept { return made_; }
  /// Where tensors for inputs and parameters are made.
  [[nodiscard]] nac::memory& arena() noexcept { return arena_; }

  /// DATA_INPUTs outside of blocks, in their order. They stay set.
  [[nodiscard]] std::size_t inputs() const noexcept { return inputs_.size(); }
  /// False where there are fewer.
  bool set_input(std::size_t index, nac::value v) { return set(inputs_, index, std::move(v)); }

  /// Ids of the parameters that the program takes, in the order of its nodes; library().parameter()
  /// has their names. They stay set.
  [[nodiscard]] std::span<const std::uint32_t> parameters() const noexcept {
    return parameter_ids_;
  }
  /// False where the program takes none of that id or name.
  bool set_parameter(std::uint32_t id, nac::value v);
  bool set_parameter(std::string_view name, nac::value v);
  /// PARAM_INPUTs.
  [[nodiscard]] std::size_t unnamed_parameters() const noexcept { return unnamed_.size(); }
  /// False where there are fewer.
  bool set_unnamed_parameter(std::size_t index, nac::value v) {
    return set(unnamed_, index, std::move(v));
  }

  outcome run(const budget& limit = {}, const observer_ref<event>& see = {});

  /// What the program returned, in its order.
  [[nodiscard]] std::span<const nac::value> outputs() const noexcept { return outputs_; }

 private:
  [[nodiscard]] static bool set(std::vector<nac::value>& to, std::size_t index, nac::value v) {
    if (index >= to.size()) return false;
    to[index] = std::move(v);
    return true;
  }

  enum class kind : std::uint8_t {
    nothing,
    input,
    external,  // DATA_INPUT of an IF's block
    variable,  // DATA_INPUT of a WHILE's block
    parameter,
    unnamed_parameter,
    output,
    block_output,
    operation,
    call,
    if_else,
    while_loop,
  };
  /// A node of the stream or of a pattern. Slots are counted from the first one of its code.
  struct compiled_node {
    kind what = kind::nothing;
    tessera::nac::operation operation = tessera::nac::operation::unknown;
    tessera::nac::binding binding;
    std::uint32_t slot = 0;    // its own
    std::uint32_t result = 0;  // where its value is: of a PATTERN not its own
    std::uint32_t next = 0;    // the node after it and its blocks
    std::uint32_t first = 0;   // of its operands
    std::uint32_t count = 0;
    std::uint32_t extra = 0;  // input, parameter, variable; operand; pattern; control
  };
  /// A result, or a constant.
  struct operand {
    const nac::value* constant = nullptr;
    std::int32_t slot = 0;  // may lie before the code
  };
  /// The blocks of an IF or WHILE.
  struct control {
    std::uint32_t middle = 0;       // where the second one begins
    std::uint32_t results[2] = {};  // slots of their values
  };
  /// The nodes of a pattern that the program calls.
  struct called {
    std::uint32_t pattern = 0;  // index in the registry
    std::uint32_t first = 0, end = 0;
    std::uint32_t caller = 0;  // the first node of the stream that leads to it
  };
  struct pattern_shape {
    std::uint32_t value = 0;    // where its value is, counted from its first slot
    std::uint32_t same_as = 0;  // the pattern that it is, where it is nothing but another's call
    bool known = false;
  };
  /// An input or PARAM_INPUT, or several of a COPY.
  struct given_place {
    std::uint32_t slot = 0, index = 0, count = 1;
  };
  enum class phase : std::uint8_t { code, branch, condition, body };
  /// Nodes that are being run: all, those of a pattern, or a block.
  struct frame {
    phase what = phase::code;
    std::uint32_t end = 0;     // after the last one
    std::uint32_t base = 0;    // the slot of the code's first node
    std::uint32_t opener = 0;  // the PATTERN, IF or WHILE
    std::uint32_t value = 0;   // of a block: the slot
    std::vector<nac::value> variables, outside;
  };

  // ---- made once (compile.cpp)
  void compile();
  void compile_code(const model::stream_view& code, bool is_stream);
  void compile_node(const model::stream_view& code, std::uint32_t i, compiled_node& to,
                    bool in_block);
  void take_last(const model::stream_view& code, std::uint32_t first, std::uint32_t i);
  void compile_pattern(std::uint32_t pattern);
  [[nodiscard]] std::uint32_t compile_call_of(std::uint32_t pattern);
  [[nodiscard]] std::uint32_t value_of_pattern(std::uint32_t pattern);
  [[nodiscard]] std::uint32_t place_of_parameter(std::uint32_t id);
  void add_given(std::vector<nac::value>& to, std::uint32_t count) const;
  class lifetimes;
  void find_drops();

  // ---- one run
  void execute(outcome& done, const observer_ref<event>& see);
  [[nodiscard]] static std::size_t slot_at(const operand& o, std::uint32_t base) noexcept {
    return static_cast<std::size_t>(std::int64_t{base} + o.slot);
  }
  [[nodiscard]] nac::value& slot_of(const operand& o, std::uint32_t base) noexcept {
    return results_[slot_at(o, base)];
  }
  [[nodiscard]] std::span<const operand> operands_of(const compiled_node& p) const noexcept {
    return {operands_.data() + p.first, p.count};
  }
  [[nodiscard]] nac::value run_operation(const compiled_node& p, std::uint32_t base);
  [[nodiscard]] nac::value parameter(const compiled_node& p) const;
  [[nodiscard]] static std::uint32_t index_of(const std::vector<given_place>& places,
                                              std::uint32_t slot);
  [[nodiscard]] const nac::value& input(std::uint32_t slot) const;
  [[nodiscard]] const nac::value& unnamed_parameter(std::uint32_t slot) const;
  void give_output(std::size_t slot);
  [[nodiscard]] nac::value values_of(const compiled_node& p, std::uint32_t base);
  void begin_block(std::uint32_t opener, std::uint32_t base, bool second, phase what);
  void begin_round(frame& f);
  /// The innermost frame ended. Where to go on.
  [[nodiscard]] std::uint32_t leave();
  void drop(std::uint32_t slot);
  [[nodiscard]] event place(std::uint32_t at) const;
  void set_place(outcome& done) const;

  model::program const& program_;
  const model::library& library_;
  nac::memory own_;
  nac::memory& arena_;
  interpreter_options how_;
  nac::workspaces work_;
  call_compiler compiler_;
  outcome made_;

  std::vector<compiled_node> code_;  // the stream, then the patterns that it calls
  std::vector<operand> operands_;
  std::vector<control> controls_;
  std::vector<called> calls_;
  std::vector<std::uint32_t> call_of_;         // by pattern: in calls_, plus 1
  std::vector<pattern_shape> shapes_;          // by pattern
  std::vector<std::uint32_t> chosen_;          // by pattern: the result that was asked for, plus 1
  std::vector<std::uint32_t> slots_, values_;  // of the code being compiled, by node
  std::uint32_t caller_ = 0;                   // while compiling: a node of the stream
  std::vector<std::uint32_t> parameter_ids_, parameter_at_;  // the latter by id, plus 1
  std::vector<given_place> inputs_at_, unnamed_at_;          // their slots ascending
  std::vector<std::uint32_t> first_drop_, drops_;            // by slot: what to drop after it
  std::vector<bool> is_loop_;  // by slot: a WHILE's value, once it ran

  std::vector<nac::value> inputs_, parameters_, unnamed_, results_, outputs_;
  std::vector<frame> frames_;
  std::vector<const nac::value*> arguments_;
  std::uint32_t at_ = outcome::none;  // the node being compiled_node or run
};

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_GENOME_INTERPRETER_HPP
