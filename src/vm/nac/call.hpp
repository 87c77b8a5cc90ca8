// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What an operation of the NAC machine is called with: its arguments, by the letters of its pattern
// (tessera/nac/operations.hpp), the first of which is 0.
//
//   value softmax(call& c) {                        // "ti?d"
//     const tensor& x = c.tensor_at(0);
//     const std::size_t axis = axis_of(c.whole(1), x.rank());
//     const data_type to = c.type_or(2, as_float(x.type));
//     tensor out = make_tensor(c.arena, to, x.dims);
//     …
//     return out;
//   }
//
// An argument is missing when its letter got none, or null. A list where a tensor is expected means
// its first element: compilers leave out the getitem(…, 0) of operations with several results.
//
// Lifetime:   for one operation; what it returns borrows from the values of the machine.
// Errors:     faults: nac_run_kind, nac_run_argument.
// Limits:     255 arguments.
// Allocation: none.

#ifndef TESSERA_VM_NAC_CALL_HPP
#define TESSERA_VM_NAC_CALL_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "tensor.hpp"
#include "tensor/convolution.hpp"
#include "tensor/matmul.hpp"
#include "tensor/matmul_int8.hpp"
#include "types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// A number as it was given.
struct scalar {
  data_type type = data_type::int64;  ///< boolean, int64 or float64
  std::int64_t whole = 0;             ///< of booleans and integers
  double real = 0;                    ///< of all
  template <class T>
  [[nodiscard]] T as() const noexcept {
    return type == data_type::float64 ? convert<T>(real) : convert<T>(whole);
  }
};

/// What operations share, made when the first one asks.
class workspaces {
 public:
  std::uint64_t random = 0;  ///< the state of io::next_bits, set at the beginning of a run
  [[nodiscard]] tensors::matmul_workspace& products() {
    if (products_ == nullptr) products_ = std::make_unique<tensors::matmul_workspace>();
    return *products_;
  }
  [[nodiscard]] tensors::convolution_workspace& convolutions() {
    if (convolutions_ == nullptr)
      convolutions_ = std::make_unique<tensors::convolution_workspace>();
    return *convolutions_;
  }
  /// For products of bytes: the kernel's workspace, and the sums.
  struct byte_products {
    static constexpr std::size_t sum_count = std::size_t{1} << 16;
    tensors::matmul_int8_workspace kernel;
    std::int32_t sums[sum_count];
  };
  [[nodiscard]] byte_products& bytes() {
    if (bytes_ == nullptr) bytes_ = std::make_unique_for_overwrite<byte_products>();
    return *bytes_;
  }

 private:
  std::unique_ptr<tensors::matmul_workspace> products_;
  std::unique_ptr<tensors::convolution_workspace> convolutions_;
  std::unique_ptr<byte_products> bytes_;
};

/// What everything but getitem takes of an operation that has several results: the first one.
[[nodiscard]] inline const value& decayed(const value& v) noexcept {
  const value* one = &v;
  while (one->is_list() && !one->as_list().empty()) one = &one->as_list()[0];
  return *one;
}

class call {
 public:
  call(memory& of_results, workspaces& shared, model::operation o, const model::binding& b,
       std::span<const value* const> arguments) noexcept
      : arena(of_results), work(shared), operation(o), binding_(b), arguments_(arguments) {}

  memory& arena;
  workspaces& work;
  model::operation operation;

  // ---- any argument

  [[nodiscard]] const model::binding& binding() const noexcept { return binding_; }
  [[nodiscard]] std::span<const value* const> arguments() const noexcept { return arguments_; }
  /// Whether one of the first three is complex.
  [[nodiscard]] bool is_complex() const noexcept {
    for (const value* const v : arguments_.first(arguments_.size() < 3 ? arguments_.size() : 3))
      if (v->is_complex()) return true;
    return false;
  }

  /// Arguments that a letter has got.
  [[nodiscard]] std::size_t count(std::size_t letter) const noexcept {
    return binding_.count[letter];
  }
  [[nodiscard]] const value& at(std::size_t letter, std::size_t k = 0) const noexcept {
    return *arguments_[binding_.first[letter] + k];
  }
  /// Whether it was given, and isn't null.
  [[nodiscard]] bool has(std::size_t letter, std::size_t k = 0) const noexcept {
    return k < count(letter) && !at(letter, k).is_none();
  }

  /// Charges the elements of all tensors, at so many steps.
  void charge_operands(std::uint64_t steps);

  // ---- tensors: letters t and x

  [[nodiscard]] const tensor& tensor_at(std::size_t letter, std::size_t k = 0) const {
    const value& v = at(letter, k);
    return v.is_tensor() ? v.as_tensor() : first_of(v);
  }
  /// Null where it is missing.
  [[nodiscard]] const tensor* optional(std::size_t letter, std::size_t k = 0) const {
    return has(letter, k) ? &tensor_at(letter, k) : nullptr;
  }

  // ---- numbers: letters n, i and b; tensors of one element too

  [[nodiscard]] static scalar number_of(const value& v);
  [[nodiscard]] scalar number(std::size_t letter) const { return number_of(at(letter)); }
  [[nodiscard]] double real(std::size_t letter) const { return number(letter).real; }
  [[nodiscard]] double real_or(std::size_t letter, double otherwise) const {
    return has(letter) ? real(letter) : otherwise;
  }
  /// Throws nac_run_argument for fractions.
  [[nodiscard]] std::int64_t whole(std::size_t letter) const { return whole_of(at(letter)); }
  [[nodiscard]] std::int64_t whole_or(std::size_t letter, std::int64_t otherwise) const {
    return has(letter) ? whole(letter) : otherwise;
  }
  [[nodiscard]] bool truth_or(std::size_t letter, bool otherwise) const {
    return has(letter) ? number(letter).real != 0 : otherwise;
  }

  // ---- lists: letters l, v and r

  /// A list, or numbers in a row; empty where it is missing.
  [[nodiscard]] std::span<const std::int64_t> int_list(std::size_t letter) {
    if (count(letter) != 0)
      if (const value& v = at(letter); v.what() == value::form::int_list) return v.as_int_list();
    return computed_int_list(letter);
  }
  [[nodiscard]] std::span<const double> numbers(std::size_t letter);

  // ---- strings and types: letters s and d

  [[nodiscard]] std::string_view string_or(std::size_t letter, std::string_view otherwise) const {
    return has(letter) ? at(letter).as_string() : otherwise;
  }
  /// The data type that one of a letter's arguments names; devices, layouts and the like name none.
  [[nodiscard]] data_type type_or(std::size_t letter, data_type otherwise) const;
  /// Whether the type that type_or() gave is that of the parts of complex elements.
  [[nodiscard]] bool makes_complex() const noexcept { return makes_complex_; }

 private:
  [[nodiscard]] const tensor& first_of(const value& v) const;
  [[nodiscard]] static std::int64_t whole_of(const value& v) {
    if (v.is_tensor())
      if (const tensor& t = v.as_tensor(); t.is_number && t.type == data_type::int64)
        return *t.as<std::int64_t>();
    return computed_whole(v);
  }
  [[nodiscard]] static std::int64_t computed_whole(const value& v);
  [[nodiscard]] std::span<const std::int64_t> computed_int_list(std::size_t letter);
  template <class T>
  [[nodiscard]] T* keep(std::size_t count, T* all, std::size_t& used);

  const model::binding& binding_;
  std::span<const value* const> arguments_;
  static constexpr std::size_t max_kept = 256;
  std::size_t ints_used_ = 0, numbers_used_ = 0;
  std::int64_t ints_[max_kept];  // of lists that were computed
  double numbers_[max_kept];
  mutable bool makes_complex_ = false;
};

/// The type that PyTorch means by "float32", "torch.float32", "f32"; none for other words.
[[nodiscard]] std::optional<data_type> type_named(std::string_view name) noexcept;
/// The type of the parts that PyTorch means by "complex64", "torch.complex128"; none for other words.
[[nodiscard]] std::optional<data_type> parts_named(std::string_view name) noexcept;

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_CALL_HPP
