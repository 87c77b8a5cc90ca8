// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Runs the execution plan of a verified NAC container: prompts, files, tokenizers, models in loops,
// text and pictures out.
//
//   plan_options how;
//   how.answers = {"cat.png"};                       // to prompts, before how.ask is called
//   how.out = [](std::string_view s) { return std::fwrite(s.data(), 1, s.size(), stdout) == s.size(); };
//   plan_machine vm(*program, std::move(how));
//   const plan_outcome done = vm.run();
//   if (!done) report(done.code, done.offset, done.text);
//
//   scalars      as Python has them; integers wrap at 64 bits, a / b is a float
//   tensors      the machine's operations with PyTorch's types, numbers giving way; lists count as
//                tensors of int64 or float32. A tensor of one element counts as that one where a
//                scalar is wanted; another doesn't.
//   indices      below 0 they count from the end. TENSOR_EXTRACT takes batch 0
//   inputs       of a model that has more than are given: those that are, again from the first
//   loops        a count of 0 or less skips the body; a fraction counts as a whole round
//   pad_left     by as many elements as the width says
//   top_k        at most as many as there are, the first of equals first
//   text         of a tensor: nested lists
//   prompts      that were answered before are shown with their answer
//   sampling     splitmix64 from the seed; weights 2^-x in fixed point: alike on every platform
//   training     MODEL_TRAIN_STEP and MODEL_SAVE_WEIGHTS are refused: before anything runs, but in
//                the mode "infer" when they are reached
//
// Files that are read are only those below the folder, else beside the container: where a path leads
// is decided after symbolic links and "..". Files are written in a folder that was named, and then
// only new and plain ones (files.hpp). Whoever can create links there during the run can make it write
// elsewhere.
//
// Model 0 is the container that runs, whatever path it is loaded by; other paths that lead to it give
// the same model.
//
// Lifetime:   borrows the program; what was returned and the machine's memory end with the machine.
// Errors:     run(): nac_plan_*, those of operations, models and tokenizers; budget_steps and
//             budget_memory; of files that are loaded, those of reading and verifying.
// Limits:     plan_options; 256 models, 65,536 loops inside one another.
// Allocation: values and models' tensors, in one counted memory; besides that at most 64 bytes for a
//             byte of the execution plan, twice the longest text, and what models' tables and
//             tokenizers take.

#ifndef TESSERA_VM_EXECUTION_PLAN_MACHINE_HPP
#define TESSERA_VM_EXECUTION_PLAN_MACHINE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files.hpp"
#include "tessera/nac/all.hpp"
#include "tessera/vm/outcome.hpp"
#include "value.hpp"
#include "vm/nac/call.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

struct plan_options {
  file_access files = file_access::folder;
  std::string folder = {};           ///< for files; without it nothing is written
  std::string path = {};             ///< of the container; its folder has files to read as well
  std::string mode = "infer_train";  ///< or "infer", "train": what SRC_EXEC_MODE gives
  std::vector<std::string> answers = {};
  /// Asks for what `answers` don't hold; nullopt: there is no answer.
  std::function<std::optional<std::string>(std::string_view prompt)> ask = {};
  /// Standard output and standard error; false: it can't be written. Null: the text is dropped.
  std::function<bool(std::string_view)> out = {}, err = {};
  /// Gives models by path that it knows; null: they are files.
  std::function<const model::program*(std::string_view path)> load = {};
  std::uint64_t seed = 0;
  std::uint64_t max_steps = budget{}.max_steps;  ///< of the run, models and tokenizers included
  std::uint64_t max_memory = budget{}.max_memory;
  std::uint64_t max_written = std::uint64_t{1} << 30;  ///< bytes to files and streams
};

/// How a run ended.
struct plan_outcome : vm::outcome {
  std::uint64_t offset = 0;          ///< of the instruction, into the bytecode; its size at the end
  std::uint64_t instructions = 0;    ///< that ran, those of models included
  std::vector<plan_value> returned;  ///< by EXEC_RETURN
};

class plan_machine {
 public:
  explicit plan_machine(const model::program& p, plan_options how = {});
  plan_machine(const plan_machine&) = delete;
  plan_machine& operator=(const plan_machine&) = delete;
  ~plan_machine();

  [[nodiscard]] const memory& arena() const noexcept { return arena_; }
  /// Slots are empty and models as they were loaded, whatever an earlier run did.
  plan_outcome run();
  /// What a slot held at the end of the run.
  [[nodiscard]] const plan_value& slot(std::uint8_t i) const noexcept { return slots_[i]; }

 private:
  struct loaded;
  /// An instruction of the execution plan, decoded.
  struct step {
    model::plan_op op = model::plan_op::exec_halt;
    std::uint32_t offset = 0;
    std::uint32_t operands = 0;  ///< the first, in operands_
    std::uint32_t jump = 0;      ///< the target; for a loop's start, after its end
    std::uint32_t steps = 0;     ///< besides those of its elements
  };

  void decode();
  void refuse_training(plan_outcome& done) const;
  static constexpr std::uint32_t no_step = ~std::uint32_t{0};
  void execute(plan_outcome& done);
  [[nodiscard]] std::uint32_t run_step(const step& s, std::uint32_t next, plan_outcome& done);

  [[nodiscard]] const plan_value& in(std::uint32_t operand) const noexcept {
    return slots_[static_cast<std::uint8_t>(operand)];
  }
  [[nodiscard]] plan_value constant(std::uint32_t id);
  [[nodiscard]] std::string_view string_constant(std::uint32_t id) const noexcept;
  [[nodiscard]] std::string_view string_in(std::uint32_t operand) const;
  [[nodiscard]] std::uint64_t room_left() const noexcept { return arena_.limit() - arena_.live(); }

  [[nodiscard]] plan_value prompt(std::uint32_t type, std::string_view text);
  void write_stream(bool error, std::string_view text);
  void write(const plan_value& v, std::uint32_t destination, const plan_value& path,
             std::uint32_t mode);
  void count_written(std::uint64_t bytes);
  [[nodiscard]] plan_value image_of(std::string_view path);
  [[nodiscard]] plan_value array_named(std::string_view name);
  [[nodiscard]] plan_value serialized(const plan_value& v, std::uint32_t how);
  [[nodiscard]] loaded& model_at(std::uint32_t number) const;
  void load_model(std::uint32_t number, std::string_view path);
  void run_model(const std::uint32_t* operands, plan_outcome& done);
  [[nodiscard]] plan_value tokenizer_of(std::uint32_t number);
  [[nodiscard]] plan_value encoded(const plan_value& tokens, const plan_value& text);
  [[nodiscard]] plan_value decoded(const plan_value& tokens, const plan_value& ids);
  [[nodiscard]] static plan_value id_of(const plan_value& tokens, std::string_view text);
  [[nodiscard]] plan_value external(std::uint32_t what, std::uint32_t id);
  [[nodiscard]] plan_value file_named(std::uint32_t type, std::string_view path);
  void unload(bool is_model, std::uint32_t index);
  [[nodiscard]] plan_value formatted(std::string_view pattern, std::uint32_t count,
                                     const std::uint32_t* from);
  [[nodiscard]] plan_value manipulated(std::uint32_t how, const std::uint32_t* operands);
  [[nodiscard]] plan_value concatenated(std::uint32_t count, const std::uint32_t* operands);
  [[nodiscard]] plan_value information(std::uint32_t what, const std::uint32_t* operands);
  void print(const plan_value& v, std::string_view label);
  void find_top_k(const std::uint32_t* operands);
  /// False where there are no rounds.
  [[nodiscard]] bool begin_loop(const plan_value& rounds);

  const model::program& program_;
  plan_options how_;
  memory arena_;
  workspaces work_;
  plan_files files_;
  std::vector<step> steps_;
  std::vector<std::uint32_t> operands_;
  std::vector<model::constant> constants_;  // by id
  std::vector<std::shared_ptr<loaded>> models_;
  std::vector<plan_value> slots_;
  std::vector<std::int64_t> loops_;  // rounds that are left
  std::size_t next_answer_ = 0;
  std::uint64_t written_ = 0, random_ = 0;
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_EXECUTION_PLAN_MACHINE_HPP
