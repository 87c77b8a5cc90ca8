// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a program does, task by task: a visitor, and what it gets.
//
//   struct count : nem::visitor {
//     void task(const nem::values& v, const nem::task& t) {
//       for (const nem::operand& o : v.inputs(t)) bytes += v.regions[o.region].extent;
//     }
//     std::int64_t bytes = 0;
//   };
//   count c;
//   nem::for_each_task(program, c);
//
//   buffer      level, engine, size, alignment            "Buffers"
//   region      buffer, bytes, element type, shape, …     "Regions"
//   quant       scales and zero points                    "Quantization Descriptor"
//   task        opcode, operands, tasks it depends on     "Tasks and Tokens"
//
//   loop(v, node, first, last, in_flight)   then iteration(node, value) …, then end_loop(node)
//   task(v, t)                              after its operands and dependences are evaluated
//   wait(node, tasks)                       indices of those that are waited for
//   stopped()                               asked after each task and iteration; true ends it
//   end(v)                                  after all; `v` has all buffers
//
// Tasks come in the order in which a device issues them. Loops are not unrolled in memory: a body
// is evaluated anew in each iteration, and what it declared is gone after it. `values` holds what
// is visible.
//
// Lifetime:   what visitors get lasts until they return.
// Errors:     none.
// Limits:     2^32 - 2 tasks.
// Allocation: that of the pools.

#ifndef TESSERA_NEM_VISITOR_HPP
#define TESSERA_NEM_VISITOR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/pool.hpp"
#include "../version.hpp"
#include "detail/rules/attributes.hpp"
#include "format.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// What `@readonly`, `@writeonly` and `@materialized` say; bits.
enum access_flag : std::uint8_t { flag_readonly = 1, flag_writeonly = 2, flag_materialized = 4 };

/// A buffer; `size` and `align` only count where it is known.
struct buffer {
  std::uint32_t node = 0;              ///< its declaration
  std::uint32_t name = 0;              ///< in model::names
  nem::level level = nem::level::ddr;  ///< the memory level
  std::uint8_t flags = 0;              ///< a sum of access_flag
  bool is_known = false;               ///< whether its size could be evaluated
  std::int64_t engine = 0;             ///< of an L1
  std::int64_t size = 0;               ///< bytes
  std::int64_t align = 1;              ///< bytes
};

/// The descriptor of a region: an element q means scale * (q - zero point).
struct quant {
  quantization form = quantization::per_tensor;         ///< which of the fields below it has
  std::int64_t axis = 0, group_size = 0;                ///< where the form has them
  std::uint32_t first_scale = 0, scales = 0;            ///< in values::reals
  std::uint32_t first_zero_point = 0, zero_points = 0;  ///< in values::numbers
};

/// Bytes of a buffer, and what is in them, where a type was given.
struct region {
  std::uint32_t node = 0;                     ///< the node_kind::region
  std::uint32_t declaration = no_node;        ///< its `let`; no_node for a region in place
  std::uint32_t buffer = no_index;            ///< in values::buffers; no_index where it isn't known
  std::int64_t offset = 0, extent = 0;        ///< bytes, relative to the buffer
  nem::element element = nem::element::none;  ///< none where no type was given
  std::uint8_t flags = 0;                     ///< access_flag, with those of the buffer
  bool has_shape = false, has_strides = false;  ///< whether the type attribute is given
  std::uint32_t layout = no_name;               ///< in model::names
  std::uint32_t first_dimension = 0, rank = 0;  ///< in values::numbers, elements
  std::uint32_t first_stride = 0, strides = 0;  ///< in values::numbers, elements
  std::uint32_t quant = no_index;               ///< in values::quants
  bool is_sound = false;  ///< evaluated, and without an error of its own; checks of tasks need this
};

/// One operand of the current task.
struct operand {
  std::uint32_t node = 0;           ///< its node: input, output, destination or source
  std::uint32_t region = no_index;  ///< in values::regions; no_index where it isn't known
  std::uint8_t flags = 0;           ///< of the region and of the operand
};

/// One execution of a transfer, a store or a compute task.
struct task {
  std::uint32_t index = 0;                    ///< how many tasks were issued before
  std::uint32_t node = 0;                     ///< its statement's node
  nem::opcode opcode = nem::opcode::unknown;  ///< transfer and store too
  nem::mode mode = nem::mode::async;          ///< sync: the stream that issues it waits for it
  std::uint32_t token = no_name;              ///< its name
  std::uint32_t first_operand = 0, inputs = 0, outputs = 0;  ///< in values::operands, inputs first
  std::uint32_t first_dep = 0, deps = 0;                     ///< in values::deps
  nem::unit unit = nem::unit::none;  ///< of `@resource`, when it names one that can be bound
  std::int64_t unit_index = 0;       ///< which of the engine's units, from 0
  std::int64_t engine = -1;          ///< of its L1 regions or `@seq_engine`; -1 for any
  bool is_memmove = false;           ///< whether source and destination may overlap
};

/// Everything that is visible at one point of a program.
struct values {
  pool<nem::buffer> buffers;    ///< in the order of their declarations
  pool<nem::region> regions;    ///< of visible declarations, and those of the current task
  pool<nem::quant> quants;      ///< of these regions
  pool<std::int64_t> numbers;   ///< dimensions, strides and zero points
  pool<double> reals;           ///< scales of descriptors
  pool<nem::operand> operands;  ///< of the current task
  pool<std::uint32_t> deps;     ///< of the current task: indices of tasks
  nem::attributes attributes;   ///< of the current task, where it computes

  /// The inputs of the current task, in the order of its opcode's operands. Borrows.
  [[nodiscard]] view<nem::operand> inputs(const task& t) const& noexcept {
    return {operands.data() + t.first_operand, t.inputs};
  }
  view<nem::operand> inputs(const task&) const&& = delete;
  /// The outputs of the current task, likewise. Borrows.
  [[nodiscard]] view<nem::operand> outputs(const task& t) const& noexcept {
    return {operands.data() + t.first_operand + t.inputs, t.outputs};
  }
  view<nem::operand> outputs(const task&) const&& = delete;
  /// The indices of the tasks that must complete before the current one starts. Borrows.
  [[nodiscard]] view<std::uint32_t> tasks_before(const task& t) const& noexcept {
    return {deps.data() + t.first_dep, t.deps};
  }
  view<std::uint32_t> tasks_before(const task&) const&& = delete;
  /// The dimensions of a region in elements; empty where it has no shape. Borrows.
  [[nodiscard]] view<std::int64_t> shape(const nem::region& r) const& noexcept {
    return {numbers.data() + r.first_dimension, r.rank};
  }
  view<std::int64_t> shape(const nem::region&) const&& = delete;
  /// The strides of a region in elements; empty where it has none. Borrows.
  [[nodiscard]] view<std::int64_t> strides(const nem::region& r) const& noexcept {
    return {numbers.data() + r.first_stride, r.strides};
  }
  view<std::int64_t> strides(const nem::region&) const&& = delete;
  /// The scales of a descriptor: one, or one for each channel or group. Borrows.
  [[nodiscard]] view<double> scales(const nem::quant& q) const& noexcept {
    return {reals.data() + q.first_scale, q.scales};
  }
  view<double> scales(const nem::quant&) const&& = delete;
  /// The zero points of a descriptor: one, or one for each channel or group. Borrows.
  [[nodiscard]] view<std::int64_t> zero_points(const nem::quant& q) const& noexcept {
    return {numbers.data() + q.first_zero_point, q.zero_points};
  }
  view<std::int64_t> zero_points(const nem::quant&) const&& = delete;
};

/// A visitor that does nothing: derive from it, and define what is wanted.
struct visitor {
  /// A loop begins: its node, the first and the last value, and how many iterations may be active.
  void loop(const values&, std::uint32_t /*node*/, std::int64_t /*first*/, std::int64_t /*last*/,
            std::int64_t /*in_flight*/) {}
  /// An iteration begins: the loop's node, and its variable's value.
  void iteration(std::uint32_t /*node*/, std::int64_t /*value*/) {}
  /// A loop ends: its node.
  void end_loop(std::uint32_t /*node*/) {}
  /// A `wait`: its node, and the indices of the tasks that it waits for.
  void wait(std::uint32_t /*node*/, view<std::uint32_t> /*tasks*/) {}
  /// A task is issued; its operands are evaluated.
  void task(const values&, const nem::task&) {}
  /// Whether the visit ends here; asked after each task and iteration.
  [[nodiscard]] bool stopped() const noexcept { return false; }
  /// The visit is over. After the whole program, all buffers are in `values`.
  void end(const values&) {}
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_VISITOR_HPP
