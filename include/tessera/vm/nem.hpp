// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference VM of NEM: executes verified programs, under any legal schedule.
//
//   machine vm(*program);                                     // from nem::verify
//   if (const place* x = vm.find("x_ddr")) vm.bind(*x, bytes);
//   tessera::report found;
//   const outcome done = vm.run(&found);
//   if (!done) return show(found);
//   use(vm.bytes(*vm.find("y_ddr")));
//
//   schedule    in_order   the order of the text, iteration by iteration, whatever windows allow
//               reverse    of the ready tasks, the last of the text and of the last iteration
//               random     any of the ready tasks, chosen by the seed
//
//   RT-DIV0, RT-INDEX, RT-UNSUPPORTED   end the run, unless keep_going is set: then the undefined
//                                       element is 0
//   RT-ACC, RT-UNINIT                   warnings
//   RT-RACE                             unordered tasks touch the same bytes: searched for where
//                                       verification skipped tasks, or always; ends the run,
//                                       unless keep_going is set
//   RT-MEM                              the buffers don't fit
//
// Iterations that verification skipped are verified as they are executed: the first error ends the
// run. So does, as RT-UNSUPPORTED, an output whose shape doesn't match its inputs, which the
// profile `upstream` permits.
//
// A program without races gives the same bytes under every schedule. Buffers are zero until
// something is bound or written; each task is executed at once. @materialized changes nothing: all
// regions are.
//
// A host function executes compute("op"); it sees the task as a `call`: operands in memory, with their
// types, and attributes. A region without a shape (of a transfer) has only bytes.
//
// Link tessera::vm.
//
// Lifetime:   borrows its program. Bytes of buffers last as long as the machine.
// Errors:     run(): the code of the first error, even if the run continued: nem_rt_*,
//             budget_steps, or a rule of verification. The report has the places.
// Limits:     machine_options; the budget. Steps are charged in the order of the text, whatever the schedule.
// Allocation: the buffers, as far as they are touched, and up to an eighth of that to track writes;
//             the workspace of operations. Schedules other than in_order keep up to `lookahead`
//             tasks, and 20 bytes for each past one; a search for races, the same as verification.

#ifndef TESSERA_VM_NEM_HPP
#define TESSERA_VM_NEM_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "../nem.hpp"
#include "callback.hpp"
#include "observer.hpp"
#include "outcome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace model = tessera::nem;
using model::element;
using model::opcode;

class timeline;  // nem_timing.hpp

/// Dimensions or strides, the outermost first.
using shape_view = std::span<const std::int64_t>;

// ---- a task, as the code that executes it sees it

/// The quantization of a tensor. Verified: as many scales and zero points as the form needs.
struct descriptor {
  model::quantization form = model::quantization::per_tensor;  ///< per tensor, channel or group
  std::size_t axis = 0;                                        ///< from 0, where the form has one
  std::int64_t group_size = 1;                ///< elements of the axis, of per_group
  std::span<const float> scales;              ///< rounded to binary32
  std::span<const std::int64_t> zero_points;  ///< as many as scales, or one

  /// Whether the pairs vary along that axis.
  [[nodiscard]] bool varies_along(std::size_t dimension) const noexcept {
    return form != model::quantization::per_tensor && axis == dimension;
  }
  /// The pair of scale and zero point of an element, by its index along the axis.
  [[nodiscard]] std::size_t pair(std::int64_t index) const noexcept {
    switch (form) {
      case model::quantization::per_tensor: return 0;
      case model::quantization::per_channel: return static_cast<std::size_t>(index);
      case model::quantization::per_group: break;
    }
    return static_cast<std::size_t>(index / group_size);
  }
  /// The scale of a pair.
  [[nodiscard]] double scale(std::size_t pair) const noexcept {
    return static_cast<double>(scales[scales.size() == 1 ? 0 : pair]);
  }
  /// The zero point of a pair; 0 where none is given.
  [[nodiscard]] std::int64_t zero_point(std::size_t pair) const noexcept {
    return zero_points.empty() ? 0 : zero_points[zero_points.size() == 1 ? 0 : pair];
  }
};

/// The elements of a region. Element (i, j, …) is at index i * strides[0] + j * strides[1] + …; that
/// of i4 are nibbles, the lower one first.
struct tensor {
  std::byte* data = nullptr;                  ///< of the region; outputs are written, inputs aren't
  std::int64_t extent = 0;                    ///< bytes
  nem::element element = nem::element::none;  ///< none: it has only bytes
  /// In elements; the strides of a region without any are those of its shape.
  shape_view shape, strides;
  const descriptor* quant = nullptr;  ///< its quantization; null where it has none
  /// Whether the last two dimensions are swapped: layouts …KM of A, …NK of B.
  bool is_transposed = false;

  /// The number of dimensions.
  [[nodiscard]] std::size_t rank() const noexcept { return shape.size(); }
  /// The number of elements; at most 2^63 - 1, as strides of 0 allow more.
  [[nodiscard]] std::int64_t count() const noexcept {
    std::int64_t n = 1;
    for (const std::int64_t d : shape)
      if (__builtin_mul_overflow(n, d, &n)) return INT64_MAX;
    return n;
  }
  /// Whether elements follow each other in the order of the shape.
  [[nodiscard]] bool is_dense() const noexcept {
    std::int64_t n = 1;
    for (std::size_t i = shape.size(); i-- != 0; n *= shape[i])
      if (strides[i] != n && shape[i] != 1) return false;
    return true;
  }
  /// Whether its elements are integers.
  [[nodiscard]] bool is_integer() const noexcept {
    return model::element_table[static_cast<std::size_t>(element)].kind ==
           model::element_class::integer;
  }
};

/// One task.
struct call {
  nem::opcode opcode = nem::opcode::unknown;  ///< what it does
  std::span<const tensor> inputs, outputs;    ///< in the order of the opcode registry
  model::attributes attributes;               ///< those that the statement has
  std::string_view op;                        ///< of compute
  bool is_memmove = false;                    ///< source and destination may overlap
  bool is_deterministic = false;              ///< sums in ascending order, one after another
};

/// What executing a task found. The whole output has been written: 0 where there is no value.
struct verdict {
  errc code = errc::ok;      ///< nem_rt_div0, nem_rt_index, nem_rt_unsupported, nem_rt_mem
  std::int64_t element = 0;  ///< of the output in the order of its shape, the first one
  std::int64_t index = 0;    ///< of nem_rt_index
  std::int64_t size = 0;     ///< nem_rt_index: of the axis, or the maximum of the type
  bool has_wrapped = false;  ///< a sum exceeded 32 bits: RT-ACC
  /// Whether nothing was wrong.
  [[nodiscard]] explicit operator bool() const noexcept { return code == errc::ok; }
};

// ---- the machine

/// The result of a run. Steps: charged for tasks and for iterations.
struct outcome : vm::outcome {
  std::uint64_t tasks = 0;   ///< executed
  bool was_stopped = false;  ///< by machine::stop()
};

/// An execution of a task.
struct event {
  std::uint32_t task = 0;                   ///< nem::task::index
  std::uint32_t node = 0;                   ///< of its statement, in model::nodes
  std::uint32_t token = model::no_name;     ///< its name, in model::names
  std::span<const std::int64_t> iteration;  ///< values of the loops around it, the outermost first
  const call* what = nullptr;               ///< its operands in memory
};

/// A task that was issued, and hasn't begun.
struct waiting_task {
  std::uint32_t task = 0, node = 0;     ///< as of an event
  std::vector<std::int64_t> iteration;  ///< values of the loops around it, the outermost first
  bool is_ready = false;                ///< may begin; else waits for a task, or for a token
};

/// The order of tasks, as the table at the top says.
enum class schedule : std::uint8_t { in_order, reverse, random };
/// When unordered tasks that touch the same bytes are searched for.
enum class race_search : std::uint8_t {
  unverified,  ///< where verification didn't cover all tasks
  always,      ///< in all iterations
  never        ///< not at all
};

/// Executes compute("op"): returns false for an unknown op.
using host_function = callback<bool(const call&, verdict&)>;

/// How a machine executes a program.
struct machine_options {
  std::uint64_t max_memory = budget{}.max_memory;  ///< bytes of all buffers
  nem::schedule schedule = schedule::in_order;     ///< the order of tasks
  std::uint64_t seed = 0;                          ///< of random
  std::uint32_t lookahead = 1u << 16;              ///< tasks that may wait; not for in_order
  race_search races = race_search::unverified;     ///< whether races are searched for
  bool keep_going = false;  ///< after RT-DIV0, RT-INDEX, RT-UNSUPPORTED and RT-RACE
  /// Tasks take time on a timeline and compute nothing: no finding depends on a value, and no byte
  /// changes.
  bool is_dry = false;
  host_function host = {};  ///< executes compute("op"); none: they are RT-UNSUPPORTED
};

/// A buffer, or a region that the program names.
struct place {
  std::string_view name;                         ///< in the program
  bool is_buffer = false;                        ///< else it is a region
  model::level level = model::level::ddr;        ///< of its memory
  std::int64_t engine = -1;                      ///< of an L1; else -1
  std::uint64_t offset = 0, size = 0;            ///< bytes, of its buffer
  std::uint32_t buffer = 0;                      ///< in buffers()
  std::uint8_t flags = 0;                        ///< model::access_flag
  nem::element element = model::element::none;   ///< of a region with a type; else none
  std::span<const std::int64_t> shape, strides;  ///< of a region with a type, in elements
};

/// A program with its buffers.
class machine {
 public:
  /// Allocates the buffers, if they fit; see has_memory().
  explicit machine(const model::program& p, const machine_options& how = {});
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  ~machine();

  /// The program, which it borrows.
  [[nodiscard]] const model::program& program() const noexcept;
  /// All buffers, in the order of the text.
  [[nodiscard]] std::span<const place> buffers() const noexcept;
  /// The regions that `let` names outside of loops, in the order of the text. They are evaluated when
  /// they are first asked for, as is a name that isn't a buffer's: by one thread at a time.
  [[nodiscard]] std::span<const place> regions() const;
  /// A buffer or a region by its name, or null.
  [[nodiscard]] const place* find(std::string_view name) const;
  /// Also finds, after a run, the region that `let` names in a loop: as it was in the last
  /// iteration in which a task follows the `let`. False where the text has no such name.
  bool watch(std::string_view name);

  /// Whether the buffers fit max_memory; else there are no bytes, and run() ends with RT-MEM.
  [[nodiscard]] bool has_memory() const noexcept;
  /// The bytes of a place, for reading or writing between runs.
  [[nodiscard]] std::span<std::byte> bytes(const place& of) noexcept;
  [[nodiscard]] std::span<const std::byte> bytes(const place& of) const noexcept;
  /// Copies bytes to the beginning of a place and marks them as bound. False if there are more than
  /// the place holds.
  bool bind(const place& to, std::span<const std::byte> data);
  /// Marks the bytes of a place as bound: zeros are intended, or bytes() was written to.
  void mark_bound(const place& to);

  /// Executes the program. Buffers keep their contents, also for later runs. With a timeline, tasks
  /// start in the order of time, whatever the schedule; `lookahead` are considered at once.
  template <observer_of<event> Observer = no_observer>
  outcome run(tessera::report* found = nullptr, timeline* when = nullptr, const budget& limit = {},
              Observer&& see = {}) {
    return run_observed(found, when, limit, observer_ref<event>(see));
  }
  /// For observers: ends the run before the next task. A task whose begin() calls it isn't executed.
  void stop() noexcept;
  /// For observers, in begin() and end(): the tasks that a schedule other than in_order keeps, as
  /// they were issued. With in_order a task is issued when the one before it is complete: none.
  [[nodiscard]] std::vector<waiting_task> waiting() const;

 private:
  outcome run_observed(tessera::report* found, timeline* when, const budget& limit,
                       const observer_ref<event>& see);

  class state;
  std::unique_ptr<state> state_;
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_HPP
