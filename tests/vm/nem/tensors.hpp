// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tensors of the NEM machine that own their memory, and operations on them.

#ifndef TESSERA_TESTS_VM_NEM_TENSORS_HPP
#define TESSERA_TESTS_VM_NEM_TENSORS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/nem.hpp"
#include "vm/nem/elements.hpp"
#include "vm/nem/operations.hpp"

namespace test {

using namespace tessera;
using vm::nem::element;
using vm::nem::opcode;

inline constexpr element all_types[] = {element::i4,   element::i8,  element::u8,  element::i16,
                                        element::u16,  element::i32, element::u32, element::f16,
                                        element::bf16, element::f32};

/// A tensor with its memory. Strides beyond the dense ones leave gaps of bytes 0xa5.
struct held {
  element type = element::f32;
  std::vector<std::int64_t> shape = {}, strides = {};
  std::vector<std::byte> memory = {};
  bool is_quantized = false, is_transposed = false;
  std::vector<float> scales = {};
  std::vector<std::int64_t> zero_points = {};
  vm::nem::descriptor quant = {};

  held(element e, std::vector<std::int64_t> of, const std::vector<double>& values = {},
       std::vector<std::int64_t> steps = {})
      : type(e), shape(std::move(of)), strides(std::move(steps)) {
    if (strides.empty()) {
      const auto dense = vm::nem::dense_strides(shape);
      strides.assign(dense.data(), dense.data() + shape.size());
    }
    std::int64_t last = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) last += (shape[i] - 1) * strides[i];
    const std::size_t bits = nem::bitwidth(type);
    memory.assign((static_cast<std::size_t>(last + 1) * bits + 7) / 8, std::byte{0xa5});
    if (!values.empty()) set(values);
  }
  held& quantize(std::vector<float> s, std::vector<std::int64_t> z,
                 nem::quantization form = nem::quantization::per_tensor, std::size_t axis = 0,
                 std::int64_t group_size = 1) {
    is_quantized = true;
    scales = std::move(s);
    zero_points = std::move(z);
    quant = {form, axis, group_size, {}, {}};
    return *this;
  }
  [[nodiscard]] vm::nem::tensor tensor() {
    quant.scales = scales;
    quant.zero_points = zero_points;
    return {memory.data(), static_cast<std::int64_t>(memory.size()), type,         shape,
            strides,       is_quantized ? &quant : nullptr,          is_transposed};
  }
  void set(const std::vector<double>& values) {
    const vm::nem::tensor t = tensor();
    const vm::nem::rows<1> r(t.shape, {t.strides});
    const double* from = values.data();
    r.each([&](const auto& first, std::int64_t n) {
      store(t, first[0], r.steps()[0], from, static_cast<std::size_t>(n));
      from += n;
    });
  }
  [[nodiscard]] std::vector<double> get() {
    const vm::nem::tensor t = tensor();
    std::vector<double> out(static_cast<std::size_t>(t.count()));
    const vm::nem::rows<1> r(t.shape, {t.strides});
    double* to = out.data();
    r.each([&](const auto& first, std::int64_t n) {
      load(t, first[0], r.steps()[0], to, static_cast<std::size_t>(n));
      to += n;
    });
    return out;
  }
  /// The patterns of its elements.
  [[nodiscard]] std::vector<std::uint32_t> bits() {
    const vm::nem::tensor t = tensor();
    std::vector<std::uint32_t> out(static_cast<std::size_t>(t.count()));
    const vm::nem::rows<1> r(t.shape, {t.strides});
    std::uint32_t* to = out.data();
    r.each([&](const auto& first, std::int64_t n) {
      load_bits(t, first[0], r.steps()[0], to, static_cast<std::size_t>(n));
      to += n;
    });
    return out;
  }
};

/// Executes one operation.
inline vm::nem::verdict run(opcode op, std::vector<held*> inputs, std::vector<held*> outputs,
                            const nem::attributes& attributes = {}, bool is_deterministic = false) {
  std::vector<vm::nem::tensor> in, out;
  for (held* h : inputs) in.push_back(h->tensor());
  for (held* h : outputs) out.push_back(h->tensor());
  vm::nem::workspace scratch;
  vm::nem::call c;
  c.opcode = op;
  c.inputs = in;
  c.outputs = out;
  c.attributes = attributes;
  c.is_deterministic = is_deterministic;
  return execute(c, scratch);
}

}  // namespace test

#endif  // TESSERA_TESTS_VM_NEM_TENSORS_HPP
