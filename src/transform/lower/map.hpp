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
  /// A tensor, or a number as one.
  [[nodiscard]] tensor_view operand(std::size_t letter, std::size_t k = 0);
  /// Whether an operand is the same for all inputs, and its elements then.
  [[nodiscard]] bool is_constant(std::size_t letter, std::size_t k = 0) const;
  [[nodiscard]] std::vector<float> elements(std::size_t letter, std::size_t k = 0) const;
  /// Of the operation's result; of an operation with several, the first one.
  [[nodiscard]] dimensions result_shape() const;
  [[nodiscard]] tensor_view constant(std::vector<float> data, const dimensions& shape);
  [[nodiscard]] tensor_view number(double v) { return constant({static_cast<float>(v)}, {}); }
  /// A new tensor in row-major order.
  [[nodiscard]] tensor_view make(const dimensions& shape);
  /// In another shape of as many elements, copied if need be.
  [[nodiscard]] tensor_view reshape(const tensor_view& v, const dimensions& shape);
  /// Elements in row-major order, copied if need be.
  [[nodiscard]] tensor_view dense(const tensor_view& v);
  void copy(const tensor_view& from, const tensor_view& to);
  void add(step s);
  /// The operation's result.
  void give(tensor_view v) { result_ = {std::move(v)}; }
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
  void move_elements();
  void check_type(std::uint32_t i) const;
  [[nodiscard]] std::uint32_t argument(std::size_t letter, std::size_t k) const;
  void give_outputs(view<nac::argument> given);

  network& net_;
  const target& device_;
  plan plan_;
  std::vector<std::vector<tensor_view>> results_;  // by instruction; of a list all of its tensors
  std::map<std::uint32_t, std::uint32_t>
      numbers_;  // homes of constants of one element, by their bits
  std::uint32_t at_ = 0;
  std::optional<vm::nac::call> call_;
  std::vector<tensor_view> result_;
};

/// What an operation becomes. Null where it only moves elements.
struct mapping {
  nac::operation from = nac::operation::unknown;
  void (*how)(mapper&, nem::opcode) = nullptr;
  nem::opcode op = nem::opcode::unknown;
};
/// Null for operations that can't be lowered.
[[nodiscard]] const mapping* find_mapping(nac::operation o) noexcept;

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_MAP_HPP
