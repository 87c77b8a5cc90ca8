// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a slot of an execution plan holds: a value as Python has it.
//
//   plan_value a = plan_value::whole(3);
//   plan_value b = plan_value::string(arena, "text");
//   plan_value c = make_tensor(arena, data_type::float32, {1, 3});
//   if (c.what() == plan_value::kind::tensor) use(c.elements());
//
//   null boolean whole real      in the value itself
//   string bytes                 in counted memory, shared by copies
//   list tuple                   of numbers: a tensor of rank 1 of int64 or float64, shared likewise
//   tensor                       any, of rank 0 too
//   tokenizer                    a handle that keeps its model
//
// Lifetime:   the memory outlives its values.
// Errors:     budget_memory, thrown as a fault.
// Limits:     none.
// Allocation: strings, from the counted memory.

#ifndef TESSERA_VM_EXECUTION_PLAN_VALUE_HPP
#define TESSERA_VM_EXECUTION_PLAN_VALUE_HPP

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "tessera/core/bytes.hpp"
#include "vm/nac/tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

class tokenizer;

class plan_value {
 public:
  enum class kind : std::uint8_t {
    null,
    boolean,
    whole,
    real,
    string,
    bytes,
    list,
    tuple,
    tensor,
    tokenizer
  };

  plan_value() noexcept = default;
  plan_value(nac::tensor t) noexcept : kind_(kind::tensor), tensor_(std::move(t)) {}
  [[nodiscard]] static plan_value boolean(bool v) noexcept {
    return {kind::boolean, v ? std::uint64_t{1} : 0};
  }
  [[nodiscard]] static plan_value whole(std::int64_t v) noexcept {
    return {kind::whole, std::bit_cast<std::uint64_t>(v)};
  }
  [[nodiscard]] static plan_value real(double v) noexcept {
    return {kind::real, std::bit_cast<std::uint64_t>(v)};
  }
  [[nodiscard]] static plan_value string(memory& arena, std::string_view v) {
    return {arena, kind::string, v};
  }
  [[nodiscard]] static plan_value bytes(memory& arena, std::string_view v) {
    return {arena, kind::bytes, v};
  }
  /// Of a tensor of rank 1 of int64 or float64.
  [[nodiscard]] static plan_value list(nac::tensor numbers) noexcept {
    return {kind::list, std::move(numbers)};
  }
  [[nodiscard]] static plan_value tuple(nac::tensor numbers) noexcept {
    return {kind::tuple, std::move(numbers)};
  }
  explicit plan_value(std::shared_ptr<const nac::tokenizer> t) noexcept
      : kind_(kind::tokenizer), tokenizer_(std::move(t)) {}

  [[nodiscard]] kind what() const noexcept { return kind_; }
  [[nodiscard]] bool is_null() const noexcept { return kind_ == kind::null; }
  [[nodiscard]] bool is_number() const noexcept {
    return kind_ == kind::boolean || kind_ == kind::whole || kind_ == kind::real;
  }
  [[nodiscard]] bool is_text() const noexcept {
    return kind_ == kind::string || kind_ == kind::bytes;
  }
  [[nodiscard]] bool is_list() const noexcept {
    return kind_ == kind::list || kind_ == kind::tuple;
  }
  [[nodiscard]] bool is_tensor() const noexcept { return kind_ == kind::tensor; }

  [[nodiscard]] bool as_boolean() const noexcept { return bits_ != 0; }
  /// Of a boolean or whole.
  [[nodiscard]] std::int64_t as_whole() const noexcept {
    return std::bit_cast<std::int64_t>(bits_);
  }
  /// Of any number.
  [[nodiscard]] double as_real() const noexcept {
    return kind_ == kind::real ? std::bit_cast<double>(bits_) : static_cast<double>(as_whole());
  }
  /// Of a string, or bytes.
  [[nodiscard]] std::string_view as_text() const noexcept {
    return tessera::as_text({tensor_.data, static_cast<std::size_t>(bits_)});
  }
  /// Of a tensor, list or tuple.
  [[nodiscard]] const nac::tensor& elements() const noexcept { return tensor_; }
  [[nodiscard]] const nac::tokenizer& as_tokenizer() const noexcept { return *tokenizer_; }

 private:
  plan_value(kind k, std::uint64_t bits) noexcept : kind_(k), bits_(bits) {}
  plan_value(kind k, nac::tensor t) noexcept : kind_(k), tensor_(std::move(t)) {}
  plan_value(memory& arena, kind k, std::string_view v) : kind_(k), bits_(v.size()) {
    tensor_.owner = arena.take(v.size());
    tensor_.data = tensor_.owner.data();
    if (!v.empty()) std::memcpy(tensor_.data, v.data(), v.size());
  }

  kind kind_ = kind::null;
  std::uint64_t bits_ = 0;  // a number, or the bytes of a text
  nac::tensor tensor_;      // elements; of a text only its memory
  std::shared_ptr<const nac::tokenizer> tokenizer_;
};

/// "a string", as messages name what was found.
[[nodiscard]] std::string_view name(plan_value::kind k) noexcept;

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_EXECUTION_PLAN_VALUE_HPP
