// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The operations of a network as steps for a device.
//
//   mapper m(net, device);
//   plan p = m.run();               // with homes for the inputs and outputs
//
// One table says which operation becomes what: an opcode, a composition of several, a product, a
// convolution, or no task at all where elements only move.
//
// Lifetime:   borrows the network and the device.
// Errors:     throws a refusal with the operation, the device and the reason; faults of arguments.
// Limits:     none.
// Allocation: constants that steps use, as float32.

#ifndef TESSERA_TRANSFORM_LOWER_MAP_HPP
#define TESSERA_TRANSFORM_LOWER_MAP_HPP

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transform/lower/network.hpp"
#include "transform/lower/steps.hpp"
#include "transform/lower/target.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

class mapper {
 public:
  mapper(network& net, const target& device) : net_(net), device_(device) {}
  [[nodiscard]] plan run();

  // ---- for the functions of the table; letters are those of the operation's pattern

  [[nodiscard]] vm::nac::call& args() noexcept { return *call_; }
  [[nodiscard]] bool has(std::size_t letter, std::size_t k = 0) const {
    return call_->has(letter, k);
  }
  /// A tensor, or a number as one, in the network's type.
  [[nodiscard]] tensor_view operand(std::size_t letter, std::size_t k = 0);
  /// As it is: integers of inputs are i32, truth values u8.
  [[nodiscard]] tensor_view raw_operand(std::size_t letter, std::size_t k = 0);
  /// A tensor as i32.
  [[nodiscard]] tensor_view index_operand(std::size_t letter, std::size_t k = 0);
  /// In the network's type; integers that it can't hold are refused, unless they are only compared.
  [[nodiscard]] tensor_view as_numbers(const tensor_view& v, bool is_compared = false);
  [[nodiscard]] tensor_view as_indices(const tensor_view& v);
  [[nodiscard]] nem::element type_of(const tensor_view& v) const {
    return plan_.homes[v.home].type;
  }
  /// x[…, indices, …], along an axis.
  [[nodiscard]] tensor_view pick(const tensor_view& x, std::size_t axis,
                                 const tensor_view& indices);
  /// Whether an operand is the same for all inputs, and its elements then.
  [[nodiscard]] bool is_constant(std::size_t letter, std::size_t k = 0) const;
  [[nodiscard]] std::vector<float> elements(std::size_t letter, std::size_t k = 0) const;
  /// Whether the operation's result has truth values.
  [[nodiscard]] bool gives_truth() const;
  /// Of the operation's result; of an operation with several, the first one.
  [[nodiscard]] dimensions result_shape() const;
  [[nodiscard]] tensor_view constant(std::vector<float> data, const dimensions& shape);
  [[nodiscard]] tensor_view index_constant(std::vector<float> data, const dimensions& shape);
  [[nodiscard]] tensor_view number(double v) { return constant({static_cast<float>(v)}, {}); }
  /// A new tensor in row-major order.
  [[nodiscard]] tensor_view make(const dimensions& shape, nem::element type = nem::element::none);
  /// In another shape of as many elements, copied if need be.
  [[nodiscard]] tensor_view reshape(const tensor_view& v, const dimensions& shape);
  /// Elements in row-major order, copied if need be.
  [[nodiscard]] tensor_view dense(const tensor_view& v);
  void copy(const tensor_view& from, const tensor_view& to);
  /// The result of an operation that moves the elements of its first operand, or places zeros.
  void move_elements_or_zeros();
  void add(step s);
  /// The operation's result.
  void give(tensor_view v) { result_ = {std::move(v)}; }
  void give_all(std::vector<tensor_view> all) { result_ = std::move(all); }
  /// The result of an operation that only moves the elements of its first operand.
  void move_elements();
  /// Elements of x's home by their offsets, in the order of a result.
  [[nodiscard]] tensor_view taken(const tensor_view& x, const dimensions& shape,
                                  const std::vector<std::int64_t>& offsets);
  [[nodiscard]] network& net() noexcept { return net_; }
  /// The instruction.
  [[nodiscard]] std::uint32_t at() const noexcept { return at_; }
  [[nodiscard]] const target& device() const noexcept { return device_; }
  void need(std::string_view family, std::string_view variant) const;
  [[nodiscard]] bool device_has(std::string_view family, std::string_view variant) const {
    return device_.has(family, variant);
  }
  /// Whether a product, "gemm" or "conv2d", adds a bias by itself: those of integers do, unless it
  /// depends on inputs.
  [[nodiscard]] bool has_bias(std::string_view product, const tensor_view& bias) const;
  /// A product without a bias. What one of integers needs is known when its numbers are.
  void need_product(std::string_view product) const;
  [[noreturn]] void refuse(const std::string& why, errc code = errc::nac_lower_operation) const;
  [[nodiscard]] std::string_view name() const;

 private:
  void map_operation(std::uint32_t i);
  void take_item(std::uint32_t i);
  void check_type(std::uint32_t i) const;
  void check_integers(std::uint32_t i) const;
  void make_inputs();
  [[nodiscard]] std::vector<vm::nac::value> moved_indices(std::int64_t first);
  void end_branches(std::uint32_t i);
  [[nodiscard]] std::vector<tensor_view> results_of_branch(std::uint32_t i, bool is_first);
  [[nodiscard]] tensor_view chosen(std::uint32_t i, const tensor_view& a, const tensor_view& b);
  [[nodiscard]] tensor_view output_of(std::uint32_t from, std::size_t k);
  [[nodiscard]] tensor_view cast(const tensor_view& v, nem::element to);
  [[nodiscard]] std::uint32_t argument(std::size_t letter, std::size_t k) const;
  void give_outputs(const std::vector<std::uint32_t>& from);
  [[nodiscard]] plan finished(std::vector<std::uint32_t> outputs);
  void map_instruction(std::uint32_t i);

  network& net_;
  const target& device_;
  plan plan_;
  std::vector<std::vector<tensor_view>> results_;  // by instruction; of a list all of its tensors
  std::map<std::uint32_t, std::uint32_t>
      numbers_;  // homes of constants of one element, by their bits
  std::vector<std::pair<tensor_view, tensor_view>> casts_;  // from integers and truth values
  std::multimap<std::uint32_t, std::uint32_t> branches_;    // what opened them, by where they end
  std::uint32_t at_ = 0;
  std::optional<vm::nac::call> call_;
  std::vector<tensor_view> result_;
};

/// What an operation becomes; `how` is null where it only moves elements.
struct mapping {
  nac::operation from = nac::operation::unknown;
  void (*how)(mapper&, nem::opcode) = nullptr;
  nem::opcode op = nem::opcode::unknown;
};
/// The rows of each file.
[[nodiscard]] std::span<const mapping> element_mappings() noexcept;
[[nodiscard]] std::span<const mapping> function_mappings() noexcept;
[[nodiscard]] std::span<const mapping> logic_mappings() noexcept;
[[nodiscard]] std::span<const mapping> product_mappings() noexcept;
[[nodiscard]] std::span<const mapping> window_mappings() noexcept;
[[nodiscard]] std::span<const mapping> fold_mappings() noexcept;
[[nodiscard]] std::span<const mapping> norm_mappings() noexcept;
[[nodiscard]] std::span<const mapping> sequence_mappings() noexcept;
/// Null for operations that can't be lowered.
[[nodiscard]] const mapping* find_mapping(nac::operation o) noexcept;

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_MAP_HPP
