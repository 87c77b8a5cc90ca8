// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the declarations and tasks of a NEM model evaluate to, by their nodes: for those who look at a
// program while it is written.
//
//   const tessera::inspect::nem_facts f(model, options, program ? &*program : nullptr);
//   if (const auto* r = f.region(node)) show(r->offset, r->offset + r->extent);
//
//   buffer     level, engine, bytes, alignment        declarations
//   region     bytes of a buffer, type                declarations, and regions in place
//   number     of const and let                       outside of loops
//   loop       first, last, iterations in flight
//   task       operands, MACs, elements, bytes; on which unit, and cycles by vm/nem_timing.hpp
//
// Of loops it is the first iteration. A model needn't be valid: what has errors is left out. MACs and
// cycles need a verified program.
//
// Lifetime:   values; they don't borrow.
// Errors:     none.
// Limits:     as many steps as the model has nodes.
// Allocation: linear in the model.

#ifndef TESSERA_INSPECT_NEM_FACTS_HPP
#define TESSERA_INSPECT_NEM_FACTS_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../nem.hpp"
#include "../../vm/nem_timing.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// A region of a buffer, in the first iteration of the loops around it.
struct nem_region_fact {
  std::string buffer;                         ///< its name
  nem::level level = nem::level::ddr;         ///< of its buffer
  std::int64_t engine = 0;                    ///< of an L1
  std::int64_t offset = 0, extent = 0;        ///< bytes, relative to the buffer
  nem::element element = nem::element::none;  ///< none: it has no type, only bytes
  bool has_shape = false;                     ///< whether a shape is given, which may be []
  std::vector<std::int64_t> shape, strides;   ///< elements; no strides: those of the shape
  std::string layout;                         ///< "NHWC"; empty: none is given
  bool has_quant = false;                     ///< whether `quant` is given
  nem::quantization quant = nem::quantization::per_tensor;  ///< the form of its quantization
  /// The loop variables around it with their values, the outermost first.
  std::vector<std::pair<std::string, std::int64_t>> iteration;
};
/// A task, in the first iteration of the loops around it.
struct nem_task_fact {
  nem::opcode opcode = nem::opcode::unknown;     ///< what it does
  nem::mode mode = nem::mode::async;             ///< .async or .sync
  std::vector<nem_region_fact> inputs, outputs;  ///< those that are known
  bool is_placed = false;                        ///< whether what follows is known
  vm::nem::work work;                            ///< MACs, elements and bytes
  nem::unit unit = nem::unit::none;  ///< the type of the unit that executes it when all are free
  std::int64_t engine = -1;          ///< -1: a unit of the device
  std::uint32_t index = 0;           ///< of the units of that type
  std::uint64_t cycles = 0;          ///< from start to end
};
/// A loop, in the first iteration of those around it.
struct nem_loop_fact {
  /// The first and the last value of its variable, and how many iterations may be in flight.
  std::int64_t first = 0, last = 0, in_flight = 1;
};

/// Values by node, in ascending order.
template <class T>
using by_node = std::vector<std::pair<std::uint32_t, T>>;

/// The facts of one model.
class nem_facts {
 public:
  /// Without facts.
  nem_facts() = default;
  /// The program, if there is one, is that of the model.
  nem_facts(const nem::model& d, const nem::verify_options& options, const nem::program* verified);

  /// The buffer that a node declares; null where it isn't known, as below.
  [[nodiscard]] const nem::buffer* buffer(std::uint32_t node) const noexcept;
  /// The region of a `let` or of a region in place, or null.
  [[nodiscard]] const nem_region_fact* region(std::uint32_t node) const noexcept;
  /// The task of a transfer, store or compute statement, or null.
  [[nodiscard]] const nem_task_fact* task(std::uint32_t node) const noexcept;
  /// The loop of a loop statement, or null.
  [[nodiscard]] const nem_loop_fact* loop(std::uint32_t node) const noexcept;
  /// The value of a const, or of a `let` outside of loops that is an integer; or null.
  [[nodiscard]] const std::int64_t* number(std::uint32_t node) const noexcept;
  /// All regions, by the node of the `let` or of the region in place.
  [[nodiscard]] const by_node<nem_region_fact>& regions() const noexcept { return regions_; }
  /// The families and devices that the model has or includes.
  [[nodiscard]] const nem::catalog& catalog() const noexcept { return catalog_; }
  /// The device that the model is for, or null.
  [[nodiscard]] const nem::device* target() const noexcept {
    return target_ == nem::no_index ? nullptr : &catalog_.devices[target_];
  }

 private:
  class collector;

  std::uint32_t target_ = nem::no_index;  // before the catalog, whose making sets it
  nem::catalog catalog_;
  by_node<nem::buffer> buffers_;
  by_node<nem_region_fact> regions_;
  by_node<nem_task_fact> tasks_;
  by_node<nem_loop_fact> loops_;
  by_node<std::int64_t> numbers_;
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NEM_FACTS_HPP
