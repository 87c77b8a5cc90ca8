// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// From a NAC container to ARK's model graph: one walk over the instructions that the outputs need.
//
//   ark_writer(program, options, &found).run();
//
//   to_ark.cpp              the walk; what is computed here; weights, inputs, outputs
//   to_ark_layout.cpp       operations that only move elements, as views, copies and transpositions
//   to_ark_operations.cpp   all others, as operations of ARK
//   to_ark_functions.cpp    functions that take many operations, comparisons, truth values
//   to_ark_windows.cpp      convolutions and pooling
//
// An instruction's result is computed here where no input has a part in it; else it is a tensor of ARK
// that fills its buffer, in the order of its elements. The dimensions that ARK knows of it may be
// others: neighbours are merged, and those of 1 are left out.
//
// Lifetime:   borrows the program.
// Errors:     nac_to_ark_*, nac_run_*, budget_*, in the report.
// Limits:     to_ark_options::limit.
// Allocation: linear in the instructions and the weights; 8 bytes for each element that is moved.

#ifndef TESSERA_TRANSFORM_TO_ARK_HPP
#define TESSERA_TRANSFORM_TO_ARK_HPP

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/refusals.hpp"
#include "tessera/ark/build.hpp"
#include "tessera/transform/convert.hpp"
#include "vm/nac/call.hpp"
#include "vm/nac/operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace vn = vm::nac;

/// What an instruction results in.
struct ark_item {
  enum class form : std::uint8_t {
    absent,   ///< nothing that ARK has: only what doesn't use it is converted
    refused,  ///< it was reported
    known,    ///< computed here
    tensor,   ///< of ARK
    list,
  };
  form what = form::absent;
  vn::value known;
  ark::value at;  ///< fills its buffer
  nac::data_type type = nac::data_type::float32;
  vn::shape dims;  ///< those of NAC
  std::vector<ark_item> list;

  [[nodiscard]] bool is_tensor() const noexcept { return what == form::tensor; }
  [[nodiscard]] bool is_known() const noexcept { return what == form::known; }
};

class ark_writer {
 public:
  ark_writer(const nac::program& p, const to_ark_options& options, report* found);
  [[nodiscard]] result<ark_network> run();

 private:
  using sizes = std::vector<std::int64_t>;
  /// For operations of which one instruction may become many.
  static constexpr std::uint64_t steps_of_an_operation = 4096;

  // ---- the walk (to_ark.cpp)

  void find_needed();
  void check_steps();
  void refuse(std::uint32_t instruction, errc code, const std::string& why);
  void instruction(std::uint32_t i);
  void check_builder();
  [[nodiscard]] ark_item input(std::uint32_t i);
  [[nodiscard]] ark_item parameter(std::uint32_t i);
  [[nodiscard]] ark_item regular(std::uint32_t i);
  [[nodiscard]] ark_item computed();
  [[nodiscard]] const ark_item* operand_of(nac::argument a);
  void check_arguments(std::string_view letters);
  void check_known(std::size_t argument) const;
  void outputs();
  [[nodiscard]] result<ark_network> finish();

  // ---- values of ARK

  /// The type that ARK has for elements; throws where there is none.
  [[nodiscard]] static ark::data_type code_of(nac::data_type t);
  [[nodiscard]] ark_item made(ark::value at, nac::data_type type, const vn::shape& dims) const;
  /// A tensor with dimensions of ours, as many elements as it has.
  [[nodiscard]] ark::value shaped(ark::value v, const sizes& dims);
  /// New memory that nothing wrote to.
  [[nodiscard]] ark::value fresh(const sizes& dims, nac::data_type type);
  /// A tensor of what was computed here, as a type.
  [[nodiscard]] ark::value weight(const vn::value& v, nac::data_type type, std::string_view name);
  /// An operand as a tensor of a type.
  [[nodiscard]] ark::value tensor_of(const ark_item& x, nac::data_type type);
  [[nodiscard]] ark::value cast(ark::value v, nac::data_type from, nac::data_type to);
  [[nodiscard]] static float argument(double v);
  [[nodiscard]] ark::value filled(double v, nac::data_type type);
  [[nodiscard]] ark::op_options named() const { return {.name = name_}; }

  // ---- the operation that is converted

  [[nodiscard]] const ark_item& at(std::size_t letter, std::size_t k = 0) const {
    return *items_[call_->binding().first[letter] + k];
  }
  [[nodiscard]] bool has(std::size_t letter) const { return call_->has(letter); }
  [[nodiscard]] const vn::shape& dims_of(std::size_t letter, std::size_t k = 0) const {
    return call_->tensor_at(letter, k).dims;
  }
  [[nodiscard]] nac::data_type type_of(std::size_t letter, std::size_t k = 0) const {
    return call_->tensor_at(letter, k).type;
  }
  /// The number of an operand that was computed here; none for others.
  [[nodiscard]] std::optional<double> number_of(std::size_t letter) const;

  // ---- layout (to_ark_layout.cpp)

  struct moved_axis {
    std::int64_t size = 1, step = 0;  ///< the step in elements of the source
  };
  /// Where the elements of a result lie in a source.
  struct moved {
    std::int64_t first = 0;
    std::vector<moved_axis> axes;
  };
  [[nodiscard]] static bool only_moves(nac::operation o) noexcept;
  /// Whether images have the same elements several times.
  [[nodiscard]] static bool grows(nac::operation o) noexcept;
  [[nodiscard]] ark_item move();
  [[nodiscard]] ark_item moved_by(const vn::value& places, const ark_item& from);
  [[nodiscard]] static bool append_axes(const std::int64_t* at, std::int64_t n,
                                        std::int64_t distance, std::vector<moved_axis>& to);
  [[nodiscard]] static std::optional<moved> pattern_of(const vn::tensor& places);
  [[nodiscard]] ark::value arranged(ark::value from, std::int64_t elements, nac::data_type type,
                                    moved how);
  [[nodiscard]] ark::value cut_out(ark::value from, std::int64_t elements, nac::data_type type,
                                   moved& how);
  [[nodiscard]] ark::value transposed(ark::value from, sizes dims, std::vector<std::size_t> order);
  [[nodiscard]] ark::value spread(ark::value from, nac::data_type type, const sizes& from_dims,
                                  const sizes& to);
  /// Elements [first, first + count) of the middle one of three dimensions.
  [[nodiscard]] ark::value sliced(ark::value from, std::int64_t outer, std::int64_t size,
                                  std::int64_t inner, std::int64_t first, std::int64_t count);
  [[nodiscard]] ark_item padded();
  [[nodiscard]] ark_item rolled();
  [[nodiscard]] ark_item joined(bool is_stack);
  /// Shapes of one rank, as few dimensions as possible, in which operands are broadcast as before.
  [[nodiscard]] std::vector<sizes> collapsed(std::initializer_list<sizes> shapes) const;

  // ---- operations (to_ark_operations.cpp)

  [[nodiscard]] ark_item translated(nac::operation o);
  [[nodiscard]] static ark_item only_first(ark_item x);
  [[nodiscard]] ark_item elementwise(nac::operation o);
  [[nodiscard]] ark::value scaled(ark::value x, double by);
  [[nodiscard]] ark::value plus(ark::value x, double more);
  [[nodiscard]] ark::value one_over(ark::value x, nac::data_type type);
  [[nodiscard]] ark::value absolute(ark::value x);
  [[nodiscard]] ark::value combined(ark::op_type op, ark::value a, const vn::shape& a_dims,
                                    ark::value b, const vn::shape& b_dims);
  [[nodiscard]] ark_item arithmetic(ark::op_type op, std::size_t first, std::size_t second,
                                    double alpha);
  [[nodiscard]] ark_item power();
  [[nodiscard]] ark_item chosen(std::size_t yes, std::size_t no);
  [[nodiscard]] ark_item chosen_by_input(std::size_t mask, std::size_t yes, std::size_t no);
  [[nodiscard]] ark_item converted();
  [[nodiscard]] ark_item activation(nac::operation o);
  [[nodiscard]] std::optional<ark::value> simple(nac::operation o, ark::value x,
                                                 nac::data_type type);
  [[nodiscard]] ark::value activated(nac::operation o, ark::value x);
  [[nodiscard]] ark::value clamped(ark::value x, std::optional<double> low,
                                   std::optional<double> high);
  [[nodiscard]] ark::value hard_sigmoid(ark::value x);
  [[nodiscard]] ark::value gelu_by_erf(ark::value x);
  [[nodiscard]] ark_item reduction(nac::operation o, std::size_t first);
  [[nodiscard]] ark::value reduced(ark::op_type op, ark::value x, const vn::shape& dims,
                                   std::uint32_t axes);
  [[nodiscard]] ark_item softmax();
  [[nodiscard]] ark::value softmax_of(ark::value x, std::int64_t outer, std::int64_t width,
                                      std::int64_t inner);
  [[nodiscard]] ark_item norm(nac::operation o);
  [[nodiscard]] ark::value centered(ark::value x, std::int64_t rows, std::int64_t width,
                                    double eps);
  [[nodiscard]] ark::value by_root_mean_square(ark::value x, std::int64_t rows, std::int64_t width,
                                               double eps);
  [[nodiscard]] ark::value scaled_by(ark::value x, const sizes& dims, std::size_t factor,
                                     std::size_t bias, const sizes& of_operands);
  [[nodiscard]] ark_item batch_norm(std::size_t mean, std::size_t variance, std::size_t epsilon);
  [[nodiscard]] ark_item batch_norm_by_mode(std::size_t epsilon);
  [[nodiscard]] ark_item group_norm();
  struct operand_of_product {
    const ark_item* item;
    vn::shape dims;
  };
  [[nodiscard]] ark_item product_of(nac::operation o);
  [[nodiscard]] ark_item multiplied(const operand_of_product& a, const operand_of_product& b,
                                    bool transpose_b);
  [[nodiscard]] ark_item added(const ark_item& product, std::size_t bias, double alpha,
                               double beta);
  [[nodiscard]] ark_item lookup();
  struct attention_operands {
    static constexpr std::size_t none = nac::max_letters;
    std::size_t mask = none;  // its letter
    bool is_causal = false;
    std::optional<double> scale;
    double dropout = 0;
    bool is_grouped = false;
  };
  [[nodiscard]] ark_item attention(nac::operation o);
  [[nodiscard]] ark_item attended(const attention_operands& with);
  [[nodiscard]] ark_item bias_of(const attention_operands& with, const vn::shape& scores);

  // ---- functions and comparisons (to_ark_functions.cpp)

  [[nodiscard]] ark::value function(nac::operation o, ark::value x);
  [[nodiscard]] ark::value upper_tail(ark::value magnitude);
  /// By Horner's scheme, the coefficient of the highest power first.
  [[nodiscard]] ark::value polynomial(ark::value x, std::span<const double> coefficients);
  [[nodiscard]] ark::value exponential_unit(ark::value x, double alpha, double scale,
                                            double inside);
  [[nodiscard]] ark::value logarithm(ark::value x);
  [[nodiscard]] ark::value logarithm_by(ark::value x, std::span<const double> odd);
  [[nodiscard]] ark::value either(ark::value condition, ark::value yes, ark::value no);
  [[nodiscard]] ark::value soft_plus(ark::value x);
  [[nodiscard]] ark::value mish(ark::value x);
  [[nodiscard]] ark::value complementary_error(ark::value x, bool is_complement);
  [[nodiscard]] ark::value sine(ark::value x, bool is_cosine);
  [[nodiscard]] ark::value whole_part(ark::value x);
  [[nodiscard]] ark::value is_positive(ark::value x);
  /// 1 - x
  [[nodiscard]] ark::value other(ark::value x) { return plus(scaled(x, -1), 1); }
  [[nodiscard]] ark::value operand(std::size_t letter, nac::data_type type);
  [[nodiscard]] ark::value is_greater(std::size_t a, std::size_t b);
  [[nodiscard]] ark::value differs(std::size_t a, std::size_t b);
  [[nodiscard]] nac::data_type compared_as(std::size_t a, std::size_t b) const;
  [[nodiscard]] ark::value truth(std::size_t letter);
  [[nodiscard]] ark_item truth_of(ark::value x, const vn::shape& dims);
  [[nodiscard]] ark_item compared(nac::operation o);
  [[nodiscard]] ark_item joined_truth(nac::operation o);
  [[nodiscard]] ark_item extreme(bool is_maximum);
  [[nodiscard]] ark_item prelu();
  [[nodiscard]] ark_item glu();
  [[nodiscard]] ark_item log_softmax();

  // ---- windows (to_ark_windows.cpp)

  struct window {
    std::int64_t size[2] = {1, 1}, stride[2] = {1, 1}, padding[2] = {0, 0}, dilation[2] = {1, 1};
    std::int64_t in[2] = {1, 1}, out[2] = {1, 1};
    std::int64_t images = 1, channels = 1;
    bool has_rest = false;  // of the image, after the last window
  };
  struct window_lists {
    std::span<const std::int64_t> size = {}, stride = {}, padding = {}, dilation = {};
  };
  [[nodiscard]] window window_of(const vn::shape& image, std::size_t axes,
                                 const window_lists& of) const;
  [[nodiscard]] ark::value bordered(ark::value x, const window& w, double border,
                                    std::int64_t (&size)[2]);
  [[nodiscard]] ark::value columns(ark::value x, const window& w, double border);
  [[nodiscard]] ark::value convolved(ark::value x, const window& w, ark::value filters,
                                     std::int64_t count);
  [[nodiscard]] ark::value filters_of(std::size_t letter, std::int64_t count, std::int64_t channels,
                                      std::int64_t places);
  [[nodiscard]] ark::value grouped(ark::value image, const window& w, ark::value filters,
                                   std::int64_t count, std::int64_t groups);
  [[nodiscard]] ark_item convolution(nac::operation o);
  [[nodiscard]] sizes borders_of(const sizes& filter) const;
  [[nodiscard]] ark_item transposed_convolution();
  [[nodiscard]] ark::value spaced(ark::value x, const window& w, const std::int64_t (&stride)[2],
                                  const std::int64_t (&before)[2]);
  [[nodiscard]] ark::value turned_filters(std::int64_t groups);
  [[nodiscard]] ark_item windowed(ark::value y, const window& w, std::int64_t channels,
                                  std::size_t axes);
  [[nodiscard]] vn::tensor resampling_of(std::size_t axis, std::size_t axes);
  [[nodiscard]] ark_item resampled(std::size_t axes);
  [[nodiscard]] ark_item adaptive_mean(std::size_t axes);
  [[nodiscard]] ark_item pooled(const window& w, bool is_max, std::size_t axes);
  [[nodiscard]] ark_item pooling(nac::operation o, std::size_t axes);

  const nac::program& p_;
  const to_ark_options& options_;
  refusals refused_;
  vn::memory arena_;
  vn::workspaces work_;
  ark::builder to_;
  std::vector<ark_item> items_by_instruction_;
  std::vector<bool> needed_;
  std::vector<std::string> input_names_;
  std::vector<std::uint32_t> results_;                        // operands of OUTPUT
  std::map<std::uint16_t, ark_item> constants_, parameters_;  // by id
  std::map<const void*, std::string_view> parameter_names_;   // by their elements
  std::map<std::uint32_t, sizes> dims_;                       // of tensors of ARK, where noted
  std::vector<ark::value> copies_;                            // the outputs
  bool is_broken_ = false;                                    // the builder refused something

  // What is an input of the model: its tensor and name; of weights their values, too.
  struct source {
    ark::value at;
    std::string name;
    std::optional<ark_weight> values;
  };
  std::vector<source> sources_;
  struct copied {
    const void* data;
    nac::data_type from, to;
    std::size_t count;
    vn::storage owner;  // keeps the elements where they are
    ark::value at;
  };
  std::vector<copied> weights_;

  // Of the instruction that is converted.
  std::uint32_t instruction_ = 0;
  std::string name_;
  vn::call* call_ = nullptr;
  std::vector<const ark_item*> items_;
};

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_TO_ARK_HPP
