// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// gemm, matmul.

#include "products.hpp"

#include <algorithm>
#include <vector>

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

/// A factor, last two dimensions apart: rows and columns of the matrix that is multiplied.
struct matrix_form {
  std::size_t row = 0, column = 0;  ///< dimensions
  explicit matrix_form(const tensor& x) noexcept
      : row(x.rank() - (x.is_transposed ? 1 : 2)), column(x.rank() - (x.is_transposed ? 2 : 1)) {}
};

/// Whether kernels can step through a matrix: one step is 1, the other no shorter than its lines.
[[nodiscard]] bool has_lines(const tensor& x) noexcept {
  const std::size_t r = x.rank();
  const auto fits = [&](std::size_t line, std::size_t along) {
    return (x.strides[along] == 1 || x.shape[along] == 1) &&
           (x.strides[line] >= x.shape[along] || x.shape[line] == 1);
  };
  return fits(r - 2, r - 1) || fits(r - 1, r - 2);
}
/// The matrix of one batch.
template <class T>
[[nodiscard]] factor<T> matrix_at(const tensor& x, const elements<T>& e,
                                  std::int64_t first) noexcept {
  const std::size_t r = x.rank();
  const auto is_one = [&](std::size_t d) { return e.strides[d] == 1 || x.shape[d] == 1; };
  const bool by_rows = is_one(r - 1) && (e.strides[r - 2] >= x.shape[r - 1] || x.shape[r - 2] == 1);
  const std::size_t line = by_rows ? r - 2 : r - 1, along = by_rows ? r - 1 : r - 2;
  const std::int64_t stride = x.shape[line] == 1 ? x.shape[along] : e.strides[line];
  return {e.data + first, static_cast<std::size_t>(stride), by_rows == x.is_transposed};
}
/// Where the batches of an operand begin, one after another.
class batches {
 public:
  batches(shape_view shape) noexcept : shape_(shape) {}
  [[nodiscard]] std::int64_t at(std::size_t dimension) const noexcept { return at_[dimension]; }
  /// The sum over dimensions of the batch; operands without them have none.
  template <class Strides>
  [[nodiscard]] std::int64_t first(const Strides& strides) const noexcept {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < shape_.size(); ++i) sum += at_[i] * strides[i];
    return sum;
  }
  [[nodiscard]] bool next() noexcept {
    for (std::size_t i = shape_.size(); i-- != 0; at_[i] = 0)
      if (++at_[i] != shape_[i]) return true;
    return false;
  }

 private:
  shape_view shape_;
  std::array<std::int64_t, model::max_rank> at_ = {};
};

/// A pair of an operand that varies neither along a row's columns nor along k.
[[nodiscard]] std::size_t pair_at(const descriptor& d, const batches& batch, std::size_t row_axis,
                                  std::int64_t row) noexcept {
  if (d.form == model::quantization::per_tensor) return 0;
  return d.pair(d.axis == row_axis ? row : batch.at(d.axis));
}

/// C as Y sees it: its strides, 0 along dimensions that it is repeated in.
struct broadcast {
  std::array<std::int64_t, model::max_rank> strides = {};
  std::size_t missing = 0;  ///< dimensions
  broadcast(const tensor* c, const tensor& y) noexcept {
    if (c == nullptr) return;
    missing = y.rank() - c->rank();
    for (std::size_t i = 0; i < c->rank(); ++i)
      strides[i + missing] = c->shape[i] == 1 ? 0 : c->strides[i];
  }
};

class task {
 public:
  task(const call& c, workspace& scratch) : c_(c), scratch_(scratch), a_form_(a_), b_form_(b_) {
    const tensor& y = c.outputs[0];
    m_ = y.shape[y.rank() - 2];
    p_.n = static_cast<std::size_t>(y.shape[y.rank() - 1]);
    p_.k = static_cast<std::size_t>(a_.shape[a_form_.column]);
    p_.y = &y;
    p_.y_step = y.strides[y.rank() - 1];
    p_.y_by_column = descriptor_of(y).varies_along(y.rank() - 1);
    p_.a_quant = &descriptor_of(a_);
    p_.b_quant = &descriptor_of(b_);
    if (c.inputs.size() < 3) return;
    p_.c = &c.inputs[2];
    p_.c_step = c_form().strides[y.rank() - 1];
    p_.c_by_column = p_.c->rank() != 0 && p_.c->shape.back() != 1 &&
                     descriptor_of(*p_.c).varies_along(p_.c->rank() - 1);
  }

  [[nodiscard]] verdict run() {
    if (c_.outputs[0].count() == 0) return {};
    if (is_out_of_proportion(a_) || is_out_of_proportion(b_)) return {.code = errc::nem_rt_mem};
    const bool is_integer = a_.is_integer() && b_.is_integer();
    if (is_integer) set_scales();
    if (!is_integer)
      run_with<float>();
    else if (are_bytes(a_, -128, 127) && are_bytes(b_, -255, 255))
      run_with<std::int8_t>();
    else
      run_wide();
    return found_;
  }

 private:
  [[nodiscard]] broadcast c_form() const noexcept { return {p_.c, *p_.y}; }

  /// What varies along k.
  void set_scales() {
    const bool a = p_.a_quant->varies_along(a_form_.column),
               b = p_.b_quant->varies_along(b_form_.row);
    p_.b_by_column = p_.b_quant->varies_along(b_form_.column);
    p_.b_bits = b_.element == element::i4 ? 4 : 8;
    p_.scales_of_a_in_k = a;
    p_.scales_of_b_in_k = b;
    const auto vary = [&](const descriptor& d, std::size_t slot) {
      return vary_along_k(p_, d, slot, scratch_, [&](std::int64_t k) { return d.pair(k); });
    };
    if (a) p_.a_k_zeros = vary(*p_.a_quant, slots::a);
    if (b) p_.b_k_zeros = vary(*p_.b_quant, slots::block);
  }

  [[nodiscard]] product_row row_at(const batches& batch, const broadcast& c, std::int64_t i) const {
    const tensor& y = *p_.y;
    const std::size_t axis = y.rank() - 2;
    product_row row;
    row.y = batch.first(y.strides) + i * y.strides[axis];
    if (!p_.scales_of_a_in_k) row.a_pair = pair_at(*p_.a_quant, batch, a_form_.row, i);
    if (!p_.y_by_column) row.y_pair = pair_at(descriptor_of(y), batch, axis, i);
    if (p_.c == nullptr) return row;
    row.c = batch.first(c.strides) + i * c.strides[axis];
    const descriptor& d = descriptor_of(*p_.c);
    if (d.form == model::quantization::per_tensor || p_.c_by_column) return row;
    const std::size_t of_y = d.axis + c.missing;  // the dimension of Y that it is
    const bool is_repeated = p_.c->shape[d.axis] == 1;
    row.c_pair = is_repeated ? d.pair(0) : d.pair(of_y == axis ? i : batch.at(of_y));
    return row;
  }
  void fill(std::vector<product_row>& rows, const batches& batch, const broadcast& c,
            std::int64_t first) const {
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = row_at(batch, c, first + static_cast<std::int64_t>(i));
  }
  void set_b_pair(const batches& batch) noexcept {
    if (!p_.b_by_column && !p_.scales_of_b_in_k &&
        p_.b_quant->form != model::quantization::per_tensor)
      p_.b_pair = p_.b_quant->pair(batch.at(p_.b_quant->axis));
  }
  [[nodiscard]] shape_view batch_shape() const noexcept {
    return p_.y->shape.first(p_.y->rank() - 2);
  }

  template <class T>
  void run_with() {
    const elements<T> a = elements_of<T>(a_, has_lines(a_), slots::a, scratch_),
                      b = elements_of<T>(b_, has_lines(b_), slots::b, scratch_);
    const broadcast c = c_form();
    const auto block = static_cast<std::int64_t>(rows_of_block(p_.n));
    std::vector<product_row> rows;
    batches batch(batch_shape());
    do {
      set_b_pair(batch);
      const factor<T> left = matrix_at(a_, a, batch.first(a.strides)),
                      right = matrix_at(b_, b, b_.rank() > 2 ? batch.first(b.strides) : 0);
      results to(p_, scratch_, found_);
      for (std::int64_t first = 0; first < m_; first += block) {
        rows.resize(static_cast<std::size_t>(std::min(block, m_ - first)));
        fill(rows, batch, c, first);
        factor<T> part = left;
        part.data += static_cast<std::size_t>(first) * (left.transposed ? 1 : left.stride);
        if constexpr (std::is_same_v<T, std::int8_t>)
          multiply_bytes(p_, rows, part, right, to);
        else if (c_.is_deterministic)
          multiply_in_order(p_, rows, part, right, p_.k, nullptr, to);
        else
          multiply_floats(p_, rows, part, right, to);
      }
    } while (batch.next());
  }

  void run_wide() {
    const broadcast c = c_form();
    const std::span<std::int64_t> left = scratch_.wide_integers(slots::sums, p_.k);
    batches batch(batch_shape());
    do {
      set_b_pair(batch);
      const wide_factor right{&b_, b_.rank() > 2 ? batch.first(b_.strides) : 0,
                              b_.strides.subspan(b_form_.row, 1), b_.shape.subspan(b_form_.row, 1),
                              b_.strides[b_form_.column]};
      results to(p_, scratch_, found_);
      for (std::int64_t i = 0; i < m_; ++i) {
        load(a_, batch.first(a_.strides) + i * a_.strides[a_form_.row], a_.strides[a_form_.column],
             left.data(), p_.k);
        multiply_wide(p_, row_at(batch, c, i), left.data(), right, to);
      }
    } while (batch.next());
  }

  const call& c_;
  workspace& scratch_;
  const tensor &a_ = c_.inputs[0], &b_ = c_.inputs[1];
  matrix_form a_form_, b_form_;
  std::int64_t m_ = 0;
  product p_;
  verdict found_;
};

}  // namespace

verdict multiply(const call& c, workspace& scratch) { return task(c, scratch).run(); }

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
