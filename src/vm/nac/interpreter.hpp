// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference VM of NAC: runs verified programs with PyTorch's semantics, one instruction after
// another.
//
//   interpreter vm(*program);                            // from nac::verify
//   tensor x = make_tensor(vm.arena(), data_type::float32, {1, 3});
//   vm.set_input(0, x);
//   const outcome done = vm.run();
//   if (!done) report(done.code, done.instruction, done.text);
//   const tensor& y = vm.outputs()[0].as_tensor();
//
//   inputs        INPUT 0, in the order of program.inputs(), those without a name among them; they
//                 stay set
//   parameters    INPUT 1: loaded once for all INPUTs of an id, quantized ones as float32. They stay
//                 loaded between runs, unless interpreter_options says that FREE releases them.
//   states        INPUT 2: float32 zeros of [1, 12, 0, 64] until set_state. What aten.copy.default
//                 makes of one is its value for later runs, once the run has ended without a fault.
//                 A state takes the shape of a source of as many dimensions, so that it can grow;
//                 others are broadcast to it.
//   constants     INPUT 3: what CNST holds
//   OUTPUT 0      ends the run; its operands are outputs(), as many as the header counts. A program
//                 that meets none has the last result as its only output.
//   OUTPUT 1      in a branch: ends the innermost one, with its operand as the branch's value, or
//                 all of them as a list. Elsewhere: adds its operands to intermediate(), and the run
//                 goes on.
//   in place      aten.add_.Tensor and the like: in_place.hpp
//   random ones   aten.rand and the like: PyTorch's distributions, numbers of their own (random.cpp)
//   a list        of what an operation with several results gives, getitem takes an element; whatever
//                 else takes the list, OUTPUT too, takes the first one
//   CONTROL_FLOW  runs the branch that its predicate, one element, chooses. Its result is the value
//                 of the branch: OUTPUT 1's or the last instruction's. To take a result of what
//                 wasn't run is nac_run_absent.
//                 torch.cond becomes this; of while_loop, map and scan the format holds nothing: each
//                 instruction runs once, and takes earlier results only. A file that names them, or
//                 wrap_with_set_grad_enabled, whose graph no argument can be, is unsupported.
//   CONVERGENCE   runs all its branches, one after another, and merges their values (convergence.hpp)
//
//   command of MMAP (tick t)   what it does
//   FREE x                     drops the result of x: before instruction t, or after it where t
//                              still uses it
//   FORWARD x                  drops the result of t after x, which uses it
//   SAVE_RESULT                keeps it for a FREE: the FORWARD of the same tick is void
//   PRELOAD x                  a thread loads the parameter of INPUT x from the beginning of t on; x
//                              waits for it. Without memory or a thread for it, x loads it itself.
//   the others                 nothing: they are of training
//
// Commands of branches that aren't run are executed too, all but PRELOAD. Those that verification
// warns of aren't executed; the others change no result.
//
// Lifetime:   a machine borrows its program and what that borrows. Tensors of its memory must not
//             outlive it. outputs() and intermediate() last until the next run. One machine serves
//             one caller at a time.
// Errors:     run(): nac_run_*, budget_steps, budget_memory, with the instruction; none where making
//             the machine took too much. A machine can be run again after any of them.
//             made(): nac_operation_unsupported where operations are unknown here, with their names.
// Limits:     interpreter_options; max_steps: those of each instruction are charged before it runs.
// Allocation: constants, parameters and results, within max_memory; 4 bytes for each id up to the largest
//             of constants and of parameters, about 300 for an instruction, and 450 for each branch that
//             is being run. A thread at the first PRELOAD.

#ifndef TESSERA_VM_NAC_INTERPRETER_HPP
#define TESSERA_VM_NAC_INTERPRETER_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "call.hpp"
#include "in_place.hpp"
#include "load.hpp"
#include "operations.hpp"
#include "preload.hpp"
#include "tensor.hpp"
#include "tessera/nac/all.hpp"
#include "tessera/vm/nac.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// Operations of a verified program that nothing here implements.
struct unsupported_operations {
  std::set<std::string, std::less<>> names;
  std::uint32_t first = outcome::none;  ///< the first instruction of one of them
  std::uint64_t instructions = 0;       ///< how many are of one
};
[[nodiscard]] unsupported_operations unsupported(const model::program& p);

/// Whose schedule says when results are freed.
enum class freeing : std::uint8_t {
  as_filed,  ///< MMAP's; where a program has none, those of make_schedule
  computed,  ///< those of make_schedule (schedule.hpp)
  never,     ///< results last until the end of the run
};

struct interpreter_options {
  std::uint64_t max_memory = budget{}.max_memory;
  freeing frees = freeing::as_filed;
  /// Parameters stay loaded; else they are released as their results are, and after each run.
  bool keep_parameters = true;
  bool preload = true;      ///< PRELOAD is executed
  std::uint64_t seed = 0;   ///< of random operations; each run begins with it
  memory* arena = nullptr;  ///< one that outlives the machine, instead of its own
};

/// What the last run took, in bytes of the machine's memory.
struct statistics {
  std::uint64_t peak = 0;            ///< the most that was held at once, all kinds of values
  std::uint64_t peak_unfreed = 0;    ///< the same, had nothing been freed before the end
  std::uint64_t parameters = 0;      ///< of those that the program asked for
  std::uint32_t preloads_ready = 0;  ///< parameters that were there when their INPUT came
  std::uint32_t preloads_late = 0;   ///< those that it had to wait for, or to load itself
};

/// Sees nothing; what else run() takes has these members, and throws nothing: those of any observer
/// (tessera/vm/observer.hpp), and two for the schedule.
struct no_observer : vm::no_observer {
  using clock = preloader::clock;
  /// A command of the schedule that dropped a result or began to load a parameter.
  void command(model::action, std::uint32_t /*target*/) noexcept {}
  /// What the thread did for an INPUT; reported when that INPUT comes.
  void preloaded(std::uint32_t, clock::time_point /*from*/, clock::time_point /*to*/) noexcept {}
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
  /// Where tensors for inputs and states are made.
  [[nodiscard]] memory& arena() noexcept { return arena_; }

  /// An input by its index in program().inputs().
  void set_input(std::size_t index, value v) { inputs_[index] = std::move(v); }

  /// A state by its id: a tensor. nac_run_state where the program has none of that id, nac_run_kind
  /// for other values.
  errc set_state(std::uint16_t id, value v);
  /// Null where the program has none of that id.
  [[nodiscard]] const value* state(std::uint16_t id) const noexcept;
  /// Of all states, as they are in INPUTs of variant 2.
  [[nodiscard]] std::span<const std::uint16_t> states() const noexcept { return state_ids_; }
  /// Makes them as they were at first.
  void reset_states();

  outcome run(const budget& limit = {});
  template <class Observer>
  outcome run(const budget& limit, Observer&& see);

  /// What an instruction gave, for observers: until it is freed (of freeing::never, until the run's
  /// end).
  [[nodiscard]] const value& result(std::uint32_t instruction) const noexcept {
    return results_[instruction];
  }
  /// What the program returned, in its order.
  [[nodiscard]] std::span<const value> outputs() const noexcept { return outputs_; }
  /// What OUTPUT 1 gave outside of branches, in its order.
  [[nodiscard]] std::span<const value> intermediate() const noexcept { return intermediate_; }
  [[nodiscard]] const statistics& figures() const noexcept { return figures_; }

 private:
  enum class kind : std::uint8_t {
    regular,
    copy_to_state,
    change,  // a form in place
    input,
    parameter,
    state,
    constant,
    output,
    subgraph_output,
    control_flow,
    convergence,
    nothing,
  };
  /// What else there is to do for an instruction.
  enum : std::uint8_t {
    checks_absent = 1,  // before: operands may come from branches that weren't run
    preloads = 2,       // before
    tracked = 4,        // after: others check that it was run
    ends_block = 8,     // after: its result is that of the block
    drops = 16,         // after
  };
  static constexpr std::uint8_t has_before = checks_absent | preloads,
                                has_after = tracked | ends_block | drops;
  /// An instruction, as far as it is known without running.
  struct compiled_instruction {
    kind what = kind::nothing;
    std::uint8_t flags = 0;
    model::operation operation = model::operation::unknown;
    std::uint16_t arguments = 0;
    std::uint32_t first = 0;    // of its arguments
    std::uint32_t slot = 0;     // of the input, parameter or state; in changes_.all
    std::uint32_t command = 0;  // the first of those after it
    std::uint32_t steps = 0;    // besides those of its elements
  };
  struct command {
    std::uint32_t target = 0;
    model::action what = model::action::free;
  };
  struct preload {
    std::uint32_t tick = 0, target = 0;
  };
  /// A branch that is being run, or the whole program.
  struct frame {
    std::uint32_t instruction = 0;  // that opened it
    std::uint32_t end = 0;          // the end of the branch
    std::uint32_t after = 0;        // the end of all branches
    std::uint32_t branch = 0;       // of a CONVERGENCE: which one
    value result;                   // of the branch, when it has ended
    value input;                    // of a CONVERGENCE
    std::vector<value> branches;    // of a CONVERGENCE: their results
  };
  /// A parameter.
  struct weight {
    std::uint16_t id = 0;
    bool loading = false;
    bool counted = false, dropped = false;  // in this run
    std::uint32_t uses = 0;                 // INPUTs that hold it, where FREE releases it
    std::uint32_t instruction = 0;          // that it is loaded for
    tensor value;
  };

  // ---- made once
  void refuse_unsupported();
  void compile();
  void compile_operation(std::uint32_t i);
  void compile_input(std::uint32_t i, std::vector<std::uint32_t>& weight_at);
  void compile_blocks();
  void compile_commands();
  [[nodiscard]] const value* constant_of(std::uint16_t id);

  // ---- one run
  void begin_run();
  template <class Observer>
  void execute(Observer& see, outcome& done);
  void end_run(outcome& done) noexcept;
  void end_run_well();

  // ---- instructions
  void check_absent(std::uint32_t i) const;
  [[nodiscard]] value copy_to_state(std::uint32_t i);
  [[nodiscard]] value change_in_place(std::uint32_t i);
  [[nodiscard]] tensor write_base(const change& c, const tensor& from);
  [[nodiscard]] value input(const compiled_instruction& p) const;
  [[nodiscard]] bool begin_preload(std::uint32_t target);
  template <class Observer>
  void begin_preloads(std::uint32_t tick, Observer& see);
  /// The times of its thread, where that loaded it and they weren't asked for yet.
  [[nodiscard]] preloader::times parameter(std::uint32_t i, const compiled_instruction& p);
  void prepare_weight(weight& w, filling& fill);
  void hold(std::uint32_t i, weight& w);
  void collect(std::uint32_t i, std::vector<value>& to) const;
  static void give_output(const value& v, std::size_t k, std::vector<value>& to);
  void give_outputs(std::uint32_t i, std::vector<value>& to) const;
  [[nodiscard]] value branch_value(std::uint32_t i) const;
  [[nodiscard]] std::uint32_t enter_control_flow(std::uint32_t i, const compiled_instruction& p);
  [[nodiscard]] std::uint32_t enter_convergence(std::uint32_t i, const compiled_instruction& p);
  /// The branch ended; the frame goes on to the next one, or is left. Where to go on.
  [[nodiscard]] bool leave(std::uint32_t& i);
  [[nodiscard]] std::span<const value* const> arguments_of(
      const compiled_instruction& p) const noexcept {
    return {arguments_.data() + p.first, p.arguments};
  }
  [[nodiscard]] const value& operand(const compiled_instruction& p) const noexcept {
    return *arguments_[p.first];
  }

  // ---- memory
  void drop(std::uint32_t target);
  void release(weight& w);
  void count_freed(std::uint64_t live_before) noexcept;
  template <class Observer>
  void drop_all(std::uint32_t first, std::uint32_t last, Observer& see) {
    for (std::uint32_t k = first; k < last; ++k) {
      if constexpr (!std::is_same_v<Observer, no_observer>)
        see.command(commands_[k].what, commands_[k].target);
      drop(commands_[k].target);
    }
  }
  [[nodiscard]] std::uint32_t commands_after(std::uint32_t i) const noexcept {
    return i < code_.size() ? code_[i].command : static_cast<std::uint32_t>(commands_.size());
  }
  /// What is scheduled for instructions [first, last), which aren't run.
  template <class Observer>
  void skip(std::uint32_t first, std::uint32_t last, Observer& see) {
    if (first < last) drop_all(commands_after(first), commands_after(last), see);
  }

  model::program const& program_;
  memory own_;
  memory& arena_;
  interpreter_options how_;
  workspaces work_;
  outcome made_;

  changes changes_;
  std::vector<compiled_instruction> code_;        // by instruction
  std::vector<model::binding> bindings_;          // by instruction
  std::vector<const value*> arguments_;           // as the program's code has them
  std::vector<command> commands_;                 // FREE and FORWARD, in the order of instructions
  std::vector<preload> preloads_;                 // by tick
  std::vector<value> constants_;                  // by place
  std::vector<std::uint32_t> constant_at_, ran_;  // by id, 0: not yet; by instruction: in which run
  std::vector<std::uint16_t> state_ids_;
  std::vector<weight> weights_;
  std::vector<bool> holds_;  // by instruction: an INPUT holds its parameter

  std::vector<value> inputs_, results_, outputs_, intermediate_, states_, next_states_;
  std::vector<frame> frames_;
  std::uint32_t run_ = 0;
  std::uint64_t dropped_ = 0;  // bytes that this run freed
  statistics figures_;
  std::unique_ptr<preloader> preloader_;  // gone first
};

template <class Observer>
void interpreter::begin_preloads(std::uint32_t tick, Observer& see) {
  std::size_t k = 0, last = preloads_.size();  // the first one of this tick
  while (k < last) {
    const std::size_t middle = k + (last - k) / 2;
    if (preloads_[middle].tick < tick)
      k = middle + 1;
    else
      last = middle;
  }
  for (; k < preloads_.size() && preloads_[k].tick == tick; ++k) {
    const bool began = begin_preload(preloads_[k].target);
    if constexpr (!std::is_same_v<Observer, no_observer>) {
      if (began) see.command(model::action::preload, preloads_[k].target);
    } else {
      (void)began;
    }
  }
}

template <class Observer>
void interpreter::execute(Observer& see, outcome& done) {
  constexpr bool observed = !std::is_same_v<Observer, no_observer>;
  std::uint32_t i = 0, end = frames_.back().end;
  while (true) {
    for (; i != end; ++i) {
      const compiled_instruction& p = code_[i];
      done.instruction = i;
      arena_.charge(p.steps);
      ++done.instructions;
      if constexpr (observed) see.begin(event{i, arena_.live()});
      if ((p.flags & has_before) != 0) {
        if ((p.flags & checks_absent) != 0) check_absent(i);
        if ((p.flags & preloads) != 0) begin_preloads(i, see);
      }
      std::uint32_t next = i + 1;
      switch (p.what) {
        case kind::regular: {
          call c(arena_, work_, p.operation, bindings_[i], arguments_of(p));
          results_[i].emplace([&] { return nac::run(c); });
          break;
        }
        case kind::copy_to_state: results_[i] = copy_to_state(i); break;
        case kind::change: results_[i] = change_in_place(i); break;
        case kind::input:
        case kind::state:
        case kind::constant: results_[i] = input(p); break;
        case kind::parameter: {
          [[maybe_unused]] const preloader::times took = parameter(i, p);
          if constexpr (observed)
            if (took.known) see.preloaded(weights_[p.slot].instruction, took.from, took.to);
          break;
        }
        case kind::output:
          give_outputs(i, outputs_);
          if constexpr (observed) see.end(event{i, arena_.live()});
          return;
        case kind::subgraph_output:
          if (frames_.size() == 1) {
            give_outputs(i, intermediate_);
            break;
          }
          frames_.back().result = branch_value(i);
          skip(i, end, see);
          if constexpr (observed) see.end(event{i, arena_.live()});
          i = end - 1;
          continue;
        case kind::control_flow: next = enter_control_flow(i, p); break;
        case kind::convergence: next = enter_convergence(i, p); break;
        case kind::nothing: break;
      }
      if (p.what == kind::control_flow || p.what == kind::convergence) {
        skip(i, next, see);  // what is scheduled for the instruction itself, and for what it skips
        end = frames_.back().end;
        i = next - 1;
        continue;
      }
      if ((p.flags & has_after) != 0) {
        if ((p.flags & tracked) != 0) ran_[i] = run_;
        if ((p.flags & ends_block) != 0) frames_.back().result = results_[i];
        if ((p.flags & drops) != 0) drop_all(p.command, commands_after(i + 1), see);
      }
      if constexpr (observed) see.end(event{i, arena_.live()});
    }
    if (frames_.size() == 1) {  // without an OUTPUT 0
      if (const value& last = frames_.back().result; !last.is_none())
        give_output(last, 0, outputs_);
      return;
    }
    const std::uint32_t opened_by = frames_.back().instruction;
    done.instruction = opened_by;
    if (leave(i)) {
      // First, for a command of a branch may drop it.
      if (i == frames_.back().end) frames_.back().result = results_[opened_by];
      skip(end, i, see);
      if constexpr (observed) see.end(event{opened_by, arena_.live()});
    }
    end = frames_.back().end;
  }
}

template <class Observer>
outcome interpreter::run(const budget& limit, Observer&& see) {
  outcome done = made_;
  if (!done) return done;
  const vm::meter own = arena_.steps().part(limit.max_steps), outer = arena_.exchange(own);
  const std::uint64_t memory = arena_.exchange_limit(memory_of_run(limit, arena_.limit()));
  try {
    begin_run();
    execute(see, done);
    done.instruction = outcome::none;
    end_run_well();
  } catch (fault& f) {
    done.code = f.code;
    done.text = std::move(f.text);
  } catch (const std::bad_alloc&) {
    done.code = errc::budget_memory;
  }
  done.steps = own.left() - arena_.exchange(outer).left();
  arena_.exchange_limit(memory);
  end_run(done);
  return done;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_INTERPRETER_HPP
