// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A network as steps: each computes one tensor, tile by tile, with a few tasks of NEM for each tile.
//
//   step s;
//   s.dims = {rows, columns};                                // of the tensor that it writes
//   s.reads = {{x, {0, 1}}, {bias, {1}}};                    // the bias follows the columns
//   s.tasks = {{opcode::add, {of_read(0), of_read(1)}, 0}};  // into register 0
//   s.result = of_register(0);
//   s.write = {y, {0, 1}};
//
// A tile is a range of one dimension of the step and one index of those before it. What a read follows
// moves with the tile; its other dimensions are in every tile. Registers have the shape of the tile.
//
// Lifetime:   values.
// Errors:     a refusal is thrown inside of the lowering only: lower() returns it as an error.
// Limits:     none.
// Allocation: that of the vectors; constants own their elements.

#ifndef TESSERA_TRANSFORM_LOWER_STEPS_HPP
#define TESSERA_TRANSFORM_LOWER_STEPS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/nem.hpp"
#include "transform/lower/view.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

/// No index of a step or of a home.
inline constexpr std::size_t none = ~std::size_t{0};

/// Why a network can't be lowered.
struct refusal {
  errc code = errc::ok;
  std::uint32_t instruction = 0;
  std::string text;
};

/// How elements are stored: as numbers of a type, or as integers that are quantized values.
struct number_form {
  nem::element type = nem::element::none;
  /// Of quantized values: one, or one for each index of the last dimension. In the program they are
  /// binary32; those of an i32 are products of two.
  std::vector<double> scales = {};
  std::int32_t zero_point = 0;

  [[nodiscard]] std::int64_t size() const noexcept { return nem::bitwidth(type) / 8; }
  friend bool operator==(const number_form&, const number_form&) = default;
};

/// Where elements are.
struct home {
  enum class kind : std::uint8_t { input, constant, computed, output };
  kind what = kind::computed;
  std::int64_t size = 0;                   ///< elements
  std::string buffer = {};                 ///< of inputs and outputs: its name
  dimensions shape = {};                   ///< of inputs and outputs
  std::vector<float> data = {};            ///< of constants
  nem::element type = nem::element::none;  ///< none, in the mapper: the network's floats
  std::int64_t end = 0;                    ///< of inputs: see lowered_port
  number_form quantized = {};  ///< of its elements, or of a copy of them, as 8-bit integers
  // Where the planner put it:
  nem::level level = nem::level::ddr;
  std::int64_t offset = 0;  ///< bytes, in the buffer of the level
};

/// What a dimension of slices follows: one of them after another is multiplied. They are terms, and
/// what they give is added; or columns of the result.
inline constexpr std::int32_t slice_dimension = -2;

/// What the tiles of a step read or write.
struct access {
  tensor_view of;
  /// By dimension of the view: the dimension of the step that it follows, or -1 for none.
  std::vector<std::int32_t> follows;
  number_form form = {};
  /// Whether tasks read it where it is: a table of which each tile takes some rows.
  bool stays = false;
  /// Where it isn't in its form yet: the one that it is loaded in, before it is quantized, or no longer.
  number_form stored = {};

  [[nodiscard]] bool is_converted() const noexcept { return stored.type != nem::element::none; }
  /// As it is outside of L1.
  [[nodiscard]] const number_form& far() const noexcept { return is_converted() ? stored : form; }
};

/// An operand of a task: of a read, with its own dimensions or broadcast to the tile; or a register.
struct task_operand {
  enum class kind : std::uint8_t { read, broadcast, reg };
  kind what = kind::reg;
  std::uint32_t index = 0;
  /// As many dimensions, those before them in the first one; 0: all. Then dimensions of 1 before
  /// them, up to another rank.
  std::uint32_t rank = 0, padded = 0;
  std::uint32_t form = 0;  ///< of a register: the index of its form
};
[[nodiscard]] inline task_operand of_read(std::uint32_t i, std::uint32_t rank = 0,
                                          std::uint32_t padded = 0) noexcept {
  return {task_operand::kind::read, i, rank, padded, 0};
}
[[nodiscard]] inline task_operand broadcast(std::uint32_t i) noexcept {
  return {task_operand::kind::broadcast, i, 0, 0, 0};
}
[[nodiscard]] inline task_operand of_register(std::uint32_t i, std::uint32_t rank = 0,
                                              std::uint32_t padded = 0) noexcept {
  return {task_operand::kind::reg, i, rank, padded, i};
}

struct tile_task {
  nem::opcode op = nem::opcode::relu;
  std::vector<task_operand> in;
  task_operand out;  ///< a register
  std::vector<std::pair<nem::attribute, nem::expr>> attributes = {};
  bool has_pads = false;          ///< those of the step's window
  bool is_deterministic = false;  ///< sums are the same whatever the tiles are
};

/// Whether a task has a read among its operands.
[[nodiscard]] inline bool is_read_by(const tile_task& t, std::size_t read) noexcept {
  for (const task_operand& o : t.in)
    if (o.what != task_operand::kind::reg && o.index == read) return true;
  return false;
}

/// A read that needs more rows than the tile has: of convolutions and pools.
struct window {
  bool exists = false;
  std::uint32_t read = 0;
  std::uint32_t dimension = 0;          ///< of the step
  std::int64_t stride = 1, extent = 1;  ///< rows, dilation included
  std::int64_t before = 0, after = 0;   ///< rows of padding
  std::int64_t left = 0, right = 0;     ///< columns of padding
};

struct step {
  std::string name;  ///< "v12 aten.conv2d.default"
  std::uint32_t instruction = 0;
  dimensions dims;
  std::uint32_t fixed = 0;  ///< dimensions at the end that each tile has as a whole
  bool can_split = false;   ///< whether columns, the last dimension, are independent
  bool is_plain = false;    ///< element by element: its dimensions can be merged
  bool is_tail = false;     ///< whether it can follow what computes a read, tile by tile
  std::vector<access> reads;
  access write;
  std::vector<tile_task> tasks;
  std::uint32_t registers = 0;
  std::vector<number_form> forms = {};  ///< of registers, as they were before some were shared
  std::vector<std::int64_t> register_sizes = {};  ///< bytes of an element, by register
  task_operand result;                            ///< a register or a read
  transform::lowering::window window;
};

/// A network in steps.
struct plan {
  std::vector<home> homes;
  std::vector<step> steps;
  std::vector<std::vector<tensor_view>> results = {};  ///< of the network's instructions
};

/// Whether layout operations of devices that have the network's types take these elements, too.
[[nodiscard]] constexpr bool has_layouts(nem::element e) noexcept {
  return e == nem::element::none || e == nem::element::i8 || nem::is_floating(e);
}

class target;

/// Gives everything that has no type yet that one.
void set_types(plan& p, nem::element type);
/// The form of an operand of a step.
[[nodiscard]] inline const number_form& form_of(const step& s, const task_operand& o) noexcept {
  return o.what == task_operand::kind::reg ? s.forms[o.form] : s.reads[o.index].form;
}

/// Appends the steps that can follow others to those that compute what they read, and gives registers
/// that are no longer used to others. A tile of a step has no more tasks than the device has tokens; what
/// needs whole rows doesn't follow a product whose weights need blocks of columns.
void fuse(plan& p, const target& device);

/// Drops steps that only quantize what one other step reads: that one does it itself, tile by tile, where
/// this costs less. Homes have their places.
void fold_conversions(plan& p, const target& device);

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_STEPS_HPP
