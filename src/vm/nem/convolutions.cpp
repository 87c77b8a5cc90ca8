// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// conv1d, conv2d, conv3d, depthwise_conv2d: products of windows, a block of them at a time, with the
// weights, which are a matrix already. Depthwise channels need no product.

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "products.hpp"
#include "windows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

using model::quantization;

/// How many elements the windows of a block have at most, one window aside.
constexpr std::size_t block_elements = std::size_t{1} << 20;

template <class T>
struct image {
  const T* data = nullptr;
  std::int64_t step = 0;  ///< from image to image
  triple strides = {};    ///< channels follow each other
};

class task {
 public:
  task(const call& c, workspace& scratch) : c_(c), scratch_(scratch), w_(c), last_(x_.rank() - 1) {
    const tensor& y = c.outputs[0];
    p_.n = static_cast<std::size_t>(w_.made);
    p_.k = static_cast<std::size_t>(w_.taps() * w_.taken);
    p_.y = &y;
    p_.y_step = y.strides[last_];
    p_.y_by_column = descriptor_of(y).varies_along(last_);
    p_.a_quant = &descriptor_of(x_);
    p_.b_quant = &descriptor_of(weights_);
    p_.b_bits = weights_.element == element::i4 ? 4 : 8;
    if (c.inputs.size() < 3) return;
    p_.c = &c.inputs[2];
    p_.c_step = p_.c->strides[0];
    p_.c_by_column = descriptor_of(*p_.c).form != quantization::per_tensor;
  }

  [[nodiscard]] verdict run() {
    if (p_.y->count() == 0) return {};
    if (is_out_of_proportion(x_) || is_out_of_proportion(weights_))
      return {.code = errc::nem_rt_mem};
    if (!x_.is_integer() || !weights_.is_integer())
      run_floats();
    else if (!varies_in_space() && are_bytes(x_, -128, 127) && are_bytes(weights_, -255, 255))
      run_bytes();
    else
      run_wide();
    return found_;
  }

 private:
  /// Whether X's pairs are those of places: each window has its own.
  [[nodiscard]] bool varies_in_space() const noexcept {
    return p_.a_quant->form != quantization::per_tensor && p_.a_quant->axis != 0 &&
           p_.a_quant->axis != last_;
  }
  [[nodiscard]] bool has_own_channels() const noexcept { return w_.taken == 1 && w_.groups > 1; }

  /// Row of the output for a position, in the current group.
  [[nodiscard]] product_row row_at(const position& at) const noexcept {
    const tensor& y = *p_.y;
    product_row row;
    row.y = at.image * y.strides[0] + index_at(w_.spatial(y.strides, 1), at.at) +
            static_cast<std::int64_t>(p_.first_column) * p_.y_step;
    row.c = static_cast<std::int64_t>(p_.first_column) * p_.c_step;
    if (p_.a_quant->varies_along(0)) row.a_pair = p_.a_quant->pair(at.image);
    const descriptor& d = descriptor_of(y);
    if (d.form != quantization::per_tensor && !p_.y_by_column)
      row.y_pair = d.pair(d.axis == 0 ? at.image : at.at[w_.dimension(d.axis - 1)]);
    return row;
  }
  /// Takes the next rows: as many as `rows` has.
  void fill(std::vector<product_row>& rows, position at) const noexcept {
    for (product_row& row : rows) {
      row = row_at(at);
      w_.advance(at);
    }
  }

  template <class T>
  [[nodiscard]] image<T> load_x() {
    const elements<T> e =
        elements_of<T>(x_, x_.strides[last_] == 1 || w_.channels == 1, slots::a, scratch_);
    return {e.data, e.strides[0], w_.spatial(e.strides, 1)};
  }
  template <class T>
  [[nodiscard]] const T* load_weights() {
    return elements_of<T>(weights_, weights_.is_dense(), slots::b, scratch_).data;
  }

  /// Copies the window at a position: what is padding stays as it is.
  template <class T>
  void copy_window(const image<T>& x, const position& at, T* to) const {
    const auto taken = static_cast<std::size_t>(w_.taken);
    const T* const from = x.data + at.image * x.step + first_channel_;
    w_.each_tap(at.at, [&](std::size_t tap, const triple& place) {
      std::copy_n(from + index_at(x.strides, place), taken, to + tap * taken);
    });
  }
  /// The same where none is padding; taps that follow each other in memory at once.
  template <class T>
  void copy_inner_window(const image<T>& x, const position& at, T* to) const {
    const T* const from =
        x.data + at.image * x.step + first_channel_ + index_at(x.strides, w_.start(at.at));
    const bool is_row = w_.dilation[2] == 1 && x.strides[2] == w_.taken;
    const auto n = static_cast<std::size_t>(is_row ? w_.taken * w_.kernel[2] : w_.taken);
    const std::int64_t pieces = is_row ? 1 : w_.kernel[2];
    for (std::int64_t i = 0; i < w_.kernel[0]; ++i)
      for (std::int64_t j = 0; j < w_.kernel[1]; ++j) {
        const T* piece =
            from + i * w_.dilation[0] * x.strides[0] + j * w_.dilation[1] * x.strides[1];
        for (std::int64_t l = 0; l < pieces; ++l, piece += w_.dilation[2] * x.strides[2], to += n)
          std::copy_n(piece, n, to);
      }
  }
  /// What padding is: zero points, or 0.
  void pad(const product_row&, float* to) const noexcept { std::fill_n(to, p_.k, 0.0f); }
  void pad(const product_row& row, std::int8_t* to) const noexcept {
    if (p_.a_k_zeros.empty()) {
      std::fill_n(to, p_.k, static_cast<std::int8_t>(p_.a_quant->zero_point(row.a_pair)));
      return;
    }
    for (std::size_t k = 0; k < p_.k; ++k) to[k] = static_cast<std::int8_t>(p_.a_k_zeros[k]);
  }
  void note_taps(const position& at, std::int8_t* is_there) const {
    std::fill_n(is_there, w_.taps(), std::int8_t{0});
    w_.each_tap(at.at, [&](std::size_t tap, const triple&) { is_there[tap] = 1; });
  }

  /// Products of blocks of windows, group by group. `use` takes rows, windows, weights, the first
  /// position.
  template <class T, class Use>
  void run_blocks(const image<T>& x, const T* weights, Use&& use) {
    const std::int64_t count = w_.positions();
    const bool is_direct = w_.is_pointwise() && is_matrix(x);
    const std::size_t room =
        is_direct ? rows_of_block(p_.n) : std::max<std::size_t>(block_elements / p_.k, 1);
    const auto block = static_cast<std::int64_t>(std::min(room, rows_of_block(p_.n)));
    std::vector<product_row> rows;
    for (std::int64_t g = 0; g < w_.groups; ++g) {
      set_group(g);
      const factor<T> right{weights + p_.first_column, static_cast<std::size_t>(w_.results)};
      results to(p_, scratch_, found_);
      position at;
      for (std::int64_t first = 0; first < count; first += block) {
        rows.resize(static_cast<std::size_t>(std::min(block, count - first)));
        fill(rows, at);
        if (is_direct) {
          const auto step = static_cast<std::size_t>(step_of_matrix(x));
          use(rows, {x.data + first_channel_ + static_cast<std::size_t>(first) * step, step}, right,
              at, to);
          for (std::size_t i = 0; i < rows.size(); ++i) w_.advance(at);
          continue;
        }
        T* const windows = room_for<T>(rows.size() * p_.k);
        const position begin = at;
        for (std::size_t i = 0; i < rows.size(); ++i, w_.advance(at)) {
          T* const window = windows + i * p_.k;
          if (w_.is_inside(at.at)) {
            copy_inner_window(x, at, window);
          } else {
            pad(rows[i], window);
            copy_window(x, at, window);
          }
        }
        use(rows, {windows, p_.k}, right, begin, to);
      }
    }
  }
  template <class T>
  [[nodiscard]] T* room_for(std::size_t n) {
    if constexpr (std::is_same_v<T, float>)
      return scratch_.floats(slots::block, n).data();
    else
      return scratch_.bytes(slots::block, n).data();
  }
  /// Whether the places of X are the rows of one matrix; from one to the next.
  template <class T>
  [[nodiscard]] std::int64_t step_of_matrix(const image<T>& x) const noexcept {
    for (std::size_t d = 3; d-- != 0;)
      if (w_.in[d] != 1) return x.strides[d];
    return w_.images != 1 ? x.step : w_.channels;
  }
  template <class T>
  [[nodiscard]] bool is_matrix(const image<T>& x) const noexcept {
    const std::int64_t step = step_of_matrix(x);
    std::int64_t expected = step;
    for (std::size_t d = 3; d-- != 0; expected *= w_.in[d])
      if (w_.in[d] != 1 && x.strides[d] != expected) return false;
    return step >= w_.channels && (w_.images == 1 || x.step == expected);
  }

  void set_group(std::int64_t g) {
    first_channel_ = g * w_.taken;
    p_.first_column = static_cast<std::size_t>(g * w_.made);
    if (x_.is_integer() && weights_.is_integer() && !varies_in_space()) set_scales(nullptr);
  }

  /// What varies along k: by channels, by taps. With a position, by places too.
  void set_scales(const position* at) {
    const descriptor &a = *p_.a_quant, &b = *p_.b_quant;
    p_.b_by_column = b.varies_along(last_);
    p_.scales_of_a_in_k = at != nullptr || a.varies_along(last_);
    p_.scales_of_b_in_k = b.form != quantization::per_tensor && b.axis != last_;
    p_.k_scales = {};
    if (p_.scales_of_b_in_k)
      p_.b_k_zeros = vary_along_k(p_, b, slots::block, scratch_,
                                  [&](std::int64_t k) { return pair_of_weight(k); });
    if (at != nullptr) {
      const std::span<std::uint32_t> pairs = pairs_of_places(*at);
      p_.a_k_zeros = vary_along_k(p_, a, slots::a, scratch_, [&](std::int64_t k) {
        return std::size_t{pairs[static_cast<std::size_t>(k / w_.taken)]};
      });
    } else if (p_.scales_of_a_in_k) {
      p_.a_k_zeros = vary_along_k(p_, a, slots::a, scratch_, [&](std::int64_t k) {
        return a.pair(first_channel_ + k % w_.taken);
      });
    }
  }
  [[nodiscard]] std::size_t pair_of_weight(std::int64_t k) const noexcept {
    const descriptor& b = *p_.b_quant;
    if (b.axis == last_ - 1) return b.pair(k % w_.taken);
    std::int64_t tap = k / w_.taken;
    for (std::size_t i = w_.axes; --i != b.axis;) tap /= weights_.shape[i];
    return b.pair(tap % weights_.shape[b.axis]);
  }
  /// For each tap; padding is as the tap before it, or as the first that isn't.
  [[nodiscard]] std::span<std::uint32_t> pairs_of_places(const position& at) {
    const std::span<std::uint32_t> pairs =
        scratch_.patterns(slots::a, static_cast<std::size_t>(w_.taps()));
    const std::size_t d = w_.dimension(p_.a_quant->axis - 1);
    std::size_t next = 0;
    std::uint32_t pair = 0;
    w_.each_tap(at.at, [&](std::size_t tap, const triple& place) {
      const auto found = static_cast<std::uint32_t>(p_.a_quant->pair(place[d]));
      std::fill(pairs.begin() + static_cast<std::ptrdiff_t>(next),
                pairs.begin() + static_cast<std::ptrdiff_t>(tap), next == 0 ? found : pair);
      pair = found;
      pairs[tap] = pair;
      next = tap + 1;
    });
    std::fill(pairs.begin() + static_cast<std::ptrdiff_t>(next), pairs.end(), pair);
    return pairs;
  }

  void run_floats() {
    const image<float> x = load_x<float>();
    const float* const weights = load_weights<float>();
    if (has_own_channels()) return run_channels(x, weights);
    // 0 of the padding times what isn't finite would be a NaN.
    bool is_in_order = c_.is_deterministic;
    if (!is_in_order && w_.has_padding())
      is_in_order = !std::all_of(weights, weights + weights_.count(),
                                 [](float v) { return std::isfinite(v); });
    run_blocks(
        x, weights,
        [&](std::span<const product_row> rows, const float_rows& a, const float_rows& b,
            position at, results& to) {
          if (!is_in_order) return multiply_floats(p_, rows, a, b, to);
          const auto taps = static_cast<std::size_t>(w_.taps());
          const std::span<std::int8_t> there = scratch_.bytes(slots::row, taps * rows.size());
          for (std::size_t i = 0; i < rows.size(); ++i, w_.advance(at))
            note_taps(at, there.data() + i * taps);
          multiply_in_order(p_, rows, a, b, static_cast<std::size_t>(w_.taken), there.data(), to);
        });
  }

  void run_bytes() {
    const image<std::int8_t> x = load_x<std::int8_t>();
    const std::int8_t* const weights = load_weights<std::int8_t>();
    const descriptor &a = *p_.a_quant, &b = *p_.b_quant;
    const bool is_even = (a.form == quantization::per_tensor || a.axis == 0) &&
                         (b.form == quantization::per_tensor || b.axis == last_);
    // Differences are below 256 and 512.
    if (has_own_channels() && is_even && w_.taps() < (1 << 14)) return run_channels(x, weights);
    run_blocks(x, weights,
               [&](std::span<const product_row> rows, const byte_rows& left, const byte_rows& right,
                   const position&, results& to) { multiply_bytes(p_, rows, left, right, to); });
  }

  void run_wide() {
    const std::span<std::int64_t> window = scratch_.wide_integers(slots::sums, p_.k);
    const bool has_places = varies_in_space();
    for (std::int64_t g = 0; g < w_.groups; ++g) {
      set_group(g);
      position at;
      for (std::int64_t i = 0; i < w_.positions(); ++i, w_.advance(at)) {
        if (has_places) set_scales(&at);
        const product_row row = row_at(at);
        for (std::size_t k = 0; k < p_.k; ++k)
          window[k] = p_.a_k_zeros.empty() ? p_.a_quant->zero_point(row.a_pair) : p_.a_k_zeros[k];
        w_.each_tap(at.at, [&](std::size_t tap, const triple& place) {
          const std::int64_t first = at.image * x_.strides[0] +
                                     index_at(w_.spatial(x_.strides, 1), place) +
                                     first_channel_ * x_.strides[last_];
          load(x_, first, x_.strides[last_],
               window.data() + tap * static_cast<std::size_t>(w_.taken),
               static_cast<std::size_t>(w_.taken));
        });
        results to(p_, scratch_, found_);
        multiply_wide(p_, row, window.data(), weights_at(), to);
      }
    }
  }
  /// The weights of the group.
  [[nodiscard]] wide_factor weights_at() const noexcept {
    return {&weights_, static_cast<std::int64_t>(p_.first_column) * weights_.strides[last_],
            weights_.strides.first(last_), weights_.shape.first(last_), weights_.strides[last_]};
  }

  /// Each output channel is of one input channel: sums of whole rows of channels.
  template <class T>
  void run_channels(const image<T>& x, const T* weights) {
    using sum = std::conditional_t<std::is_same_v<T, float>, float, std::int32_t>;
    using term = std::conditional_t<std::is_same_v<T, float>, float, std::int16_t>;
    const auto n = static_cast<std::size_t>(w_.results),
               repeats = static_cast<std::size_t>(w_.made);
    set_group(0);
    p_.n = n;
    const std::span<sum> sums = room_of<sum>(slots::sums, n);
    const std::span<term> row = room_of<term>(slots::row, n);
    const term* const factors = terms_of(weights);
    results to(p_, scratch_, found_);
    position at;
    for (std::int64_t i = 0; i < w_.positions(); ++i, w_.advance(at)) {
      const product_row out = row_at(at);
      const auto zero = static_cast<std::int16_t>(
          std::is_same_v<T, float> ? 0 : p_.a_quant->zero_point(out.a_pair));
      std::fill(sums.begin(), sums.end(), sum{0});
      w_.each_tap(at.at, [&](std::size_t tap, const triple& place) {
        const T* const from = x.data + at.image * x.step + index_at(x.strides, place);
        spread(from, zero, repeats, row);
        const term* const factor = factors + tap * n;
        for (std::size_t j = 0; j < n; ++j) {
          const sum product = static_cast<sum>(row[j]) * static_cast<sum>(factor[j]);
          sums[j] = sums[j] + product;
        }
      });
      to.finish(out, sums.data());
    }
  }
  static void spread(const float* from, std::int16_t, std::size_t repeats, std::span<float> to) {
    for (std::size_t j = 0, c = 0; j < to.size(); j += repeats, ++c)
      for (std::size_t i = 0; i < repeats; ++i) to[j + i] = from[c];
  }
  static void spread(const std::int8_t* from, std::int16_t zero, std::size_t repeats,
                     std::span<std::int16_t> to) {
    for (std::size_t j = 0, c = 0; j < to.size(); j += repeats, ++c)
      for (std::size_t i = 0; i < repeats; ++i)
        to[j + i] = static_cast<std::int16_t>(from[c] - zero);
  }
  [[nodiscard]] const float* terms_of(const float* weights) noexcept { return weights; }
  [[nodiscard]] const std::int16_t* terms_of(const std::int8_t* weights) {
    const auto n = static_cast<std::size_t>(w_.results),
               all = n * static_cast<std::size_t>(w_.taps());
    const std::span<std::int16_t> to = scratch_.shorts(slots::b, all);
    for (std::size_t i = 0; i < all; ++i) {
      const std::size_t pair =
          p_.b_by_column ? p_.b_quant->pair(static_cast<std::int64_t>(i % n)) : 0;
      to[i] = static_cast<std::int16_t>(weights[i] - p_.b_quant->zero_point(pair));
    }
    return to.data();
  }
  template <class T>
  [[nodiscard]] std::span<T> room_of(std::size_t slot, std::size_t n) {
    if constexpr (std::is_same_v<T, float>)
      return scratch_.floats(slot, n);
    else if constexpr (std::is_same_v<T, std::int16_t>)
      return scratch_.shorts(slot, n);
    else
      return scratch_.integers(slot, n);
  }

  const call& c_;
  workspace& scratch_;
  const tensor &x_ = c_.inputs[0], &weights_ = c_.inputs[1];
  const windows w_;
  std::size_t last_ = 0;  ///< the dimension of channels
  std::int64_t first_channel_ = 0;
  product p_;
  verdict found_;
};

}  // namespace

verdict convolve(const call& c, workspace& scratch) { return task(c, scratch).run(); }

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
