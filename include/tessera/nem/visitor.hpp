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
// Tasks come in the order in which a device issues them. Loops are not unrolled in memory: a body is
// evaluated anew in each iteration, and what it declared is gone after it. `values` holds what is
// visible.
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

/// What @readonly, @writeonly and @materialized say; bits.
enum access_flag : std::uint8_t { flag_readonly = 1, flag_writeonly = 2, flag_materialized = 4 };

/// A buffer; `size` and `align` only count where it is known.
struct buffer {
  std::uint32_t node = 0;  ///< its declaration
  std::uint32_t name = 0;  ///< in model::names
  nem::level level = nem::level::ddr;
  std::uint8_t flags = 0;
  bool is_known = false;    ///< whether its size could be evaluated
  std::int64_t engine = 0;  ///< of an L1
  std::int64_t size = 0;    ///< bytes
  std::int64_t align = 1;   ///< bytes
};

/// The descriptor of a region: an element q means scale * (q - zero point).
struct quant {
  quantization form = quantization::per_tensor;
  std::int64_t axis = 0, group_size = 0;                ///< where the form has them
  std::uint32_t first_scale = 0, scales = 0;            ///< in values::reals
  std::uint32_t first_zero_point = 0, zero_points = 0;  ///< in values::numbers
};

/// Bytes of a buffer, and what is in them, where a type was given.
struct region {
  std::uint32_t node = 0;               ///< the node_kind::region
  std::uint32_t declaration = no_node;  ///< its `let`; no_node for a region in place
  std::uint32_t buffer = no_index;      ///< in values::buffers; no_index where it isn't known
  std::int64_t offset = 0, extent = 0;  ///< bytes, relative to the buffer
  nem::element element = nem::element::none;
  std::uint8_t flags = 0;  ///< access_flag, with those of the buffer
  bool has_shape = false, has_strides = false;
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
  std::uint32_t index = 0;  ///< how many tasks were issued before
  std::uint32_t node = 0;
  nem::opcode opcode = nem::opcode::unknown;  ///< transfer and store too
  nem::mode mode = nem::mode::async;
  std::uint32_t token = no_name;                             ///< its name
  std::uint32_t first_operand = 0, inputs = 0, outputs = 0;  ///< in values::operands, inputs first
  std::uint32_t first_dep = 0, deps = 0;                     ///< in values::deps
  nem::unit unit = nem::unit::none;  ///< of @resource, when it names one that can be bound
  std::int64_t unit_index = 0;
  std::int64_t engine = -1;  ///< of its L1 regions or @seq_engine; -1 for any
  bool is_memmove = false;
};

/// Everything that is visible at one point of a program.
struct values {
  pool<nem::buffer> buffers;
  pool<nem::region> regions;
  pool<nem::quant> quants;
  pool<std::int64_t> numbers;
  pool<double> reals;
  pool<nem::operand> operands;  ///< of the current task
  pool<std::uint32_t> deps;     ///< of the current task: indices of tasks
  nem::attributes attributes;   ///< of the current task, where it computes

  [[nodiscard]] view<nem::operand> inputs(const task& t) const& noexcept {
    return {operands.data() + t.first_operand, t.inputs};
  }
  view<nem::operand> inputs(const task&) const&& = delete;
  [[nodiscard]] view<nem::operand> outputs(const task& t) const& noexcept {
    return {operands.data() + t.first_operand + t.inputs, t.outputs};
  }
  view<nem::operand> outputs(const task&) const&& = delete;
  [[nodiscard]] view<std::uint32_t> tasks_before(const task& t) const& noexcept {
    return {deps.data() + t.first_dep, t.deps};
  }
  view<std::uint32_t> tasks_before(const task&) const&& = delete;
  [[nodiscard]] view<std::int64_t> shape(const nem::region& r) const& noexcept {
    return {numbers.data() + r.first_dimension, r.rank};
  }
  view<std::int64_t> shape(const nem::region&) const&& = delete;
  [[nodiscard]] view<std::int64_t> strides(const nem::region& r) const& noexcept {
    return {numbers.data() + r.first_stride, r.strides};
  }
  view<std::int64_t> strides(const nem::region&) const&& = delete;
  [[nodiscard]] view<double> scales(const nem::quant& q) const& noexcept {
    return {reals.data() + q.first_scale, q.scales};
  }
  view<double> scales(const nem::quant&) const&& = delete;
  [[nodiscard]] view<std::int64_t> zero_points(const nem::quant& q) const& noexcept {
    return {numbers.data() + q.first_zero_point, q.zero_points};
  }
  view<std::int64_t> zero_points(const nem::quant&) const&& = delete;
};

/// A visitor that does nothing: derive from it, and define what is wanted.
struct visitor {
  void loop(const values&, std::uint32_t /*node*/, std::int64_t /*first*/, std::int64_t /*last*/,
            std::int64_t /*in_flight*/) {}
  void iteration(std::uint32_t /*node*/, std::int64_t /*value*/) {}
  void end_loop(std::uint32_t /*node*/) {}
  void wait(std::uint32_t /*node*/, view<std::uint32_t> /*tasks*/) {}
  void task(const values&, const nem::task&) {}
  [[nodiscard]] bool stopped() const noexcept { return false; }
  void end(const values&) {}
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_VISITOR_HPP
