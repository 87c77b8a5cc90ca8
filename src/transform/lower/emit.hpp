// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tilings as statements of NEM.
//
//   emitter e(to, plan, weights);
//   for (k = 0; …; ++k) e.write(tilings[k], &tilings[k + 1]);
//   weights.make();                           // that the program reads, in one piece
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
  /// Their bytes.
  [[nodiscard]] std::vector<std::byte> make() const;
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

 private:
  struct entry {
    tensor_view of;
    number_form form;
    std::int64_t at = 0;
  };
  void write(const entry& e, std::byte* to) const;
  static void put(float x, const number_form& form, std::int64_t channel, std::byte* to);

  const plan& plan_;
  std::vector<std::vector<entry>> known_;  // by home
  std::int64_t size_ = 0;
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
  /// `next` is the step after it, which may load something ahead.
  void write(const tiling& t, const tiling* next);

 private:
  /// Where a tile is: the index before the tiled dimension, the tile, and the slot.
  struct position {
    nem::expr outer = 0, tile = 0, slot = 0;
    bool has_outer = false, has_slot = false;
    nem::expr slice = 0;
    nem::expr buffer = 0;  ///< which half of what is loaded by outer indices or slices
    nem::expr band = 0;
    bool has_band = false;
  };
  /// The tiles of a loop. Numbers that differ at its ends are expressions of the tile.
  struct tile_form {
    const segment *first = nullptr, *middle = nullptr, *last = nullptr;
    nem::expr not_first = 1, is_last = 0;  ///< 0 or 1

    /// `of` a segment, for each tile.
    template <class F>
    [[nodiscard]] nem::expr value(F&& of) const;
    template <class F>
    [[nodiscard]] bool all(F&& of) const {
      return of(*first) && of(*middle) && of(*last);
    }
  };

  /// Tokens of a tile's tasks that later ones may depend on.
  struct tile_tokens {
    std::vector<std::string> loads = {};  ///< by read
    std::string last = {};
    std::int64_t live = 0;  ///< tasks that may not be complete
  };

  void load_before();
  void load_ahead(const tiling* next);
  void load_next(const position& next);
  /// Tasks that load what the next outer index needs.
  [[nodiscard]] std::int64_t next_loads() const;
  /// Tasks of a tile that may not be complete.
  [[nodiscard]] std::int64_t max_live() const;
  static constexpr std::int64_t least_live = least_tokens;
  void wait_for(std::vector<std::string>& tokens);
  void write_nested(const tiling* next);
  void write_inner(const position& outer);
  void write_by_slices();
  void write_sliced_tiles(std::int64_t begin, std::int64_t end);
  void write_slices(const tile_form& g, const position& first, tile_tokens tokens);
  void write_columns(const tile_form& g, const position& tile, const tile_tokens& loaded);
  void add_slices();
  /// Of all bands, or the rows of one.
  void load_slices(const position& at, const std::string& token, std::vector<std::string>& tokens);
  void write_bands(const tile_tokens& loaded);
  template <class F>
  void in_bands(const position& now, const position* next, F&& work);
  /// Multiplies a slice and adds it.
  void add_slice(const tile_form& g, const position& at, const std::string& token);
  [[nodiscard]] std::vector<std::string> loads_of(const tile_task& task, tile_tokens& tokens) const;
  [[nodiscard]] tile_form band_form(const position& at) const {
    return form_of(t_->band_segments, t_->band_run, at.band);
  }
  /// Bytes from the first row of a tile of a read to those of a band.
  [[nodiscard]] nem::expr band_offset(std::size_t read, const tile_form& g,
                                      const position& at) const;
  [[nodiscard]] position slice_at(const nem::expr& tile, const nem::expr& slice) const;
  void write_flat(const tile_run& r);
  void write_pipelined(const tile_run& r);
  void write_product(const tile_run& r, const nem::expr& index, std::int64_t count);
  void load_some(const tile_form& g, const position& at, bool is_of_product,
                 std::vector<std::string>* tokens);
  [[nodiscard]] position tile_at(const tile_run& r, const nem::expr& index) const;
  void write_tile(const tile_form& g, const position& at);
  void load_pieces(const position& at);
  void load_tiles(const tile_form& g, const position& at, tile_tokens& tokens);
  void issue(tile_tokens& tokens);
  void write_tail(const tile_form& g, const position& at, tile_tokens tokens, std::size_t first);
  void load(std::size_t read, const tile_form& g, const position& at, const std::string& token);
  void load_to(const nem::expr& near, std::size_t read, const tile_form& g, const position& at,
               const std::string& token);
  template <class Size>
  void convert(const access& a, const nem::expr& near, const nem::expr& stage, const Size& size,
               const std::string& token, const std::vector<std::string>& deps);
  [[nodiscard]] dimensions loaded_shape(std::size_t read, const segment& s) const;
  void load_apart(std::size_t read, const position& at, const std::string& token,
                  std::vector<std::string>& tokens);
  void compute(const tile_task& task, const tile_form& g, const position& at,
               const std::string& token, const std::vector<std::string>& deps);
  void store(const tile_form& g, const position& at, const std::string& dep);
  /// Bytes between a home and L1; where those of the home aren't in a row, by a layout operation.
  template <class Shape>
  void move(const std::string& token, std::string_view buffer, const nem::expr& far, bool is_store,
            const nem::expr& near, const tile_form& g, const Shape& shape,
            const dimensions& strides, nem::element type);

  [[nodiscard]] tile_form form_of(const tile_run& r, const nem::expr& tile) const {
    return form_of(t_->segments, r, tile);
  }
  [[nodiscard]] static tile_form form_of(const std::vector<segment>& of, const tile_run& r,
                                         const nem::expr& tile);
  [[nodiscard]] tile_form whole() const;
  [[nodiscard]] nem::expr index_of(std::uint32_t dimension, const position& at) const;
  [[nodiscard]] bool has_window(std::size_t read) const noexcept;
  /// The strides of a read where it is.
  [[nodiscard]] dimensions strides_of(std::size_t read) const;
  /// The first byte of a read's tile where it is.
  [[nodiscard]] nem::expr place_of(std::size_t read, const tile_form& g, const position& at) const;
  /// The first byte of a tile of an access in its buffer, by strides in bytes.
  [[nodiscard]] nem::expr offset_of(const access& a, const dimensions& strides, std::int64_t first,
                                    const tile_form& g, const position& at, bool is_window) const;
  [[nodiscard]] nem::expr near_offset(std::size_t read, const tile_form& g,
                                      const position& at) const;
  [[nodiscard]] nem::expr register_offset(std::uint32_t r, const position& at) const;
  [[nodiscard]] nem::region_expr operand(const task_operand& o, const tile_form& g,
                                         const position& at, std::string_view layout) const;
  [[nodiscard]] nem::region_expr operand_in_place(const task_operand& o, const tile_form& g,
                                                  const position& at) const;
  /// The extents of a shape of a segment, dimension by dimension.
  template <class Shape>
  [[nodiscard]] nem::expr shape_of(const tile_form& g, const Shape& shape) const;
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
  bool has_slices_ = false;  ///< whether the slices that stay are there
  std::vector<std::pair<std::vector<double>, std::string>> scales_;  // of the step
  std::vector<std::size_t> zeros_;  // sizes of lists of zero points
  std::vector<std::string> ahead_;  ///< tokens of what is loaded ahead for the next step
};

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_EMIT_HPP
