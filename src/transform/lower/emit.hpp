// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tilings as statements of NEM.
//
//   emitter e(to, plan, weights);
//   for (const tiling& t : tilings) e.write(t);
//   std::move(weights).take();                // that the program reads, in one piece
//
// Lifetime:   borrows the builder, the plan and the weights.
// Errors:     none.
// Limits:     none.
// Allocation: the text, and the weights.

#ifndef TESSERA_TRANSFORM_LOWER_EMIT_HPP
#define TESSERA_TRANSFORM_LOWER_EMIT_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "transform/lower/tiling.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

/// The elements of a view of a constant in the order of its own dimensions and in one form, once.
class weight_file {
 public:
  explicit weight_file(const plan& p) : plan_(p) {}
  /// Where they begin, in bytes.
  [[nodiscard]] std::int64_t place_of(const access& a);
  [[nodiscard]] std::vector<std::byte> take() && { return std::move(bytes_); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

 private:
  void append(float x, const number_form& form, std::int64_t channel);

  struct entry {
    tensor_view of;
    number_form form;
    std::int64_t at = 0;
  };
  const plan& plan_;
  std::vector<std::vector<entry>> known_;  // by home
  std::vector<std::byte> bytes_;
};

/// The dimensions of a dense tile as an operand has them.
[[nodiscard]] dimensions adapted(const dimensions& d, const task_operand& o);
/// Finite numbers beyond a float type's range, such as those that masks add, become its largest.
[[nodiscard]] float within(float x, nem::element type) noexcept;
/// sat(rint(x / scale) + zero point)
[[nodiscard]] std::int32_t quantized(double x, double scale, std::int32_t zero_point,
                                     nem::element type) noexcept;

class emitter {
 public:
  /// No more than `max_tokens` tasks are issued and not complete.
  emitter(nem::builder& to, const plan& p, weight_file& weights, std::int64_t max_tokens)
      : to_(to), plan_(p), weights_(weights), max_tokens_(max_tokens) {}
  void write(const tiling& t);

 private:
  /// Where a tile is: the index before the tiled dimension, the tile, and the slot.
  struct position {
    nem::expr outer = 0, tile = 0, slot = 0;
    bool has_outer = false, has_tile = false, has_slot = false;
    nem::expr buffer = 0;  ///< which half of what is loaded by outer indices
  };

  void write_once();
  void load_all_apart(loading when);
  /// Tasks of a tile that may not be complete.
  [[nodiscard]] std::int64_t max_live() const;
  void wait_for(std::vector<std::string>& tokens);
  void write_nested();
  void write_flat(const segment& g);
  void write_tile(const segment& g, const position& at);
  void load(std::size_t read, const segment& g, const position& at, const std::string& token);
  void load_apart(std::size_t read, const position& at, const std::string& token,
                  std::vector<std::string>& tokens);
  void load_next(const position& next);
  /// Tasks that load what the next outer index needs.
  [[nodiscard]] std::int64_t next_loads() const;
  static constexpr std::int64_t least_live = 4;  ///< tasks of a tile
  void compute(const tile_task& task, const segment& g, const position& at,
               const std::string& token, const std::vector<std::string>& deps);
  void store(const segment& g, const position& at, const std::string& dep);
  /// Bytes between a home and L1; where those of the home aren't in a row, by a layout operation.
  void move(const std::string& token, const nem::region_expr& far, bool is_store,
            const nem::expr& near, const dimensions& box, const dimensions& strides,
            nem::element type);

  [[nodiscard]] nem::expr index_of(std::uint32_t dimension, const position& at) const;
  /// A read's tile where it is: its first byte, the elements, and their strides.
  struct located {
    nem::expr first = 0;
    dimensions box, strides;
  };
  [[nodiscard]] located place_of(std::size_t read, const segment& g, const position& at) const;
  /// The first byte of a tile of an access in its buffer.
  [[nodiscard]] nem::expr offset_of(const access& a, const dimensions& strides, std::int64_t first,
                                    const segment& g, const position& at, bool is_window) const;
  [[nodiscard]] nem::expr near_offset(std::size_t read, const position& at) const;
  [[nodiscard]] nem::expr register_offset(std::uint32_t r, const position& at) const;
  [[nodiscard]] nem::region_expr operand(const task_operand& o, const segment& g,
                                         const position& at, std::string_view layout) const;
  [[nodiscard]] nem::region_expr operand_in_place(const task_operand& o, const segment& g,
                                                  const position& at) const;
  [[nodiscard]] std::string_view buffer_of(const home& h) const noexcept;
  /// With the descriptor of a form.
  void describe(nem::region_expr& r, const number_form& form, std::size_t rank = 0) const;
  /// Names for the scales of a step's operands that have one for each channel.
  void name_scales();

  nem::builder& to_;
  const plan& plan_;
  weight_file& weights_;
  std::int64_t max_tokens_;
  const tiling* t_ = nullptr;
  std::uint64_t step_ = 0;
  std::vector<std::pair<std::vector<double>, std::string>> scales_;  // of the step
  std::vector<std::size_t> zeros_;  // sizes of lists of zero points
};

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_EMIT_HPP
