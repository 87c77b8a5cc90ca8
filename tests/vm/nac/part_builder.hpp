// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Containers of programs, built from operations by name. Tests take build.hpp, which verifies them.
//
//   part_builder b;
//   const auto x = b.input();
//   b.output({b.op("aten.softmax.int", {x, b.whole(-1)})});
//   const auto bytes = b.bytes();

#ifndef TESSERA_TESTS_VM_NAC_PART_BUILDER_HPP
#define TESSERA_TESTS_VM_NAC_PART_BUILDER_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <vector>

#include "tessera/nac/all.hpp"

namespace vm_nac_tests {

namespace nac = tessera::nac;

/// An argument: the result of an instruction, or a constant.
struct operand {
  bool is_constant = false;
  std::uint32_t index = 0;
};

/// A program that is being written.
class part_builder {
 public:
  nac::parts parts;

  part_builder() { parts.form = nac::header::v1_8; }

  // ---- constants, one for each call

  operand null() { return add(nac::constant_type::null, 0, {}); }
  operand truth(bool v) { return add(nac::constant_type::boolean, v ? 1 : 0, {}); }
  operand whole(std::int64_t v) {
    return add(nac::constant_type::int64, static_cast<std::uint64_t>(v), {});
  }
  operand real(double v) {
    return add(nac::constant_type::float64, std::bit_cast<std::uint64_t>(v), {});
  }
  operand string(std::string_view v) {
    return add(nac::constant_type::string, 0, parts.add_string(v));
  }
  operand int_list(const std::vector<std::int32_t>& v) {
    std::vector<std::uint32_t> bits(v.begin(), v.end());
    return add(nac::constant_type::int32_list, 0, parts.add_numbers({bits.data(), bits.size()}));
  }
  operand reals(const std::vector<float>& v) {
    std::vector<std::uint32_t> bits;
    for (const float f : v) bits.push_back(std::bit_cast<std::uint32_t>(f));
    return add(nac::constant_type::float32_list, 0, parts.add_numbers({bits.data(), bits.size()}));
  }

  // ---- instructions

  operand input() {
    ++parts.inputs;
    const auto index = static_cast<std::uint16_t>(parts.instructions.size());
    parts.add_name(parts.input_names, index, numbered('x', index));
    return instruction(nac::op_input, 0, {}, {});
  }
  /// A float32 parameter.
  operand parameter(const std::vector<std::uint32_t>& shape, const std::vector<float>& values) {
    const auto id = static_cast<std::uint16_t>(parts.tensors.size());
    parts.add_name(parts.parameters, id, numbered('p', id));
    nac::tensor_part t;
    t.id = id;
    t.shape = parts.add_numbers({shape.data(), shape.size()});
    std::vector<std::byte> data(values.size() * 4);
    for (std::size_t i = 0; i < values.size(); ++i)
      tessera::store_le(data.data() + i * 4, std::bit_cast<std::uint32_t>(values[i]));
    t.data = parts.keep({data.data(), data.size()});
    parts.tensors.push_back(t);
    return instruction(nac::op_input, 1, {id}, {});
  }
  operand state(std::uint16_t id) { return instruction(nac::op_input, 2, {id}, {}); }
  /// An operation by one of its names. Results must be earlier ones.
  operand op(const std::string& name, const std::vector<operand>& arguments) {
    std::string letters;
    std::vector<std::uint16_t> c, d;
    for (const operand& a : arguments) {
      letters += a.is_constant ? 'c' : 'T';
      if (a.is_constant) c.push_back(static_cast<std::uint16_t>(a.index));
      d.push_back(a.is_constant ? std::uint16_t{0}
                                : static_cast<std::uint16_t>(a.index - parts.instructions.size()));
    }
    return instruction(id_of(name), signature(letters), c, d);
  }
  /// Any instruction, words as they stand.
  operand instruction(std::uint8_t a, std::uint8_t b, const std::vector<std::uint16_t>& c,
                      const std::vector<std::uint16_t>& d) {
    const auto words = parts.add_words({c.data(), c.size()});
    parts.instructions.push_back({a, b, words, parts.add_words({d.data(), d.size()})});
    return {false, static_cast<std::uint32_t>(parts.instructions.size() - 1)};
  }
  void output(const std::vector<operand>& of, std::uint8_t variant = 0) {
    if (variant == 0) parts.outputs = static_cast<std::uint16_t>(of.size());
    std::vector<std::uint16_t> d;
    for (const operand& o : of)
      d.push_back(static_cast<std::uint16_t>(o.index - parts.instructions.size()));
    instruction(nac::op_output, variant, std::vector<std::uint16_t>(of.size()), d);
  }

  /// The bytes of the container, or the error that writing gives.
  [[nodiscard]] tessera::result<tessera::pool<std::byte>> bytes() const {
    return nac::write(parts);
  }

 private:
  // Not with an operator, which GCC 12 warns of where it inlines all.
  [[nodiscard]] static std::string numbered(char letter, std::uint16_t n) {
    return std::string(1, letter).append(std::to_string(n));
  }
  operand add(nac::constant_type type, std::uint64_t bits, nac::range values) {
    const auto id = static_cast<std::uint16_t>(parts.constants.size());
    parts.constants.push_back({id, type, bits, values});
    return {true, id};
  }
  std::uint8_t id_of(const std::string& name) {
    for (std::uint32_t id = nac::first_regular_op; id < 256; ++id)
      if (nac::predefined_operation(static_cast<std::uint8_t>(id), 2) == name)
        return static_cast<std::uint8_t>(id);
    const auto [at, added] = operations_.try_emplace(name, 0);
    if (added) {
      at->second = static_cast<std::uint8_t>(100 + operations_.size());
      parts.add_name(parts.operations, at->second, name);
    }
    return at->second;
  }
  std::uint8_t signature(const std::string& letters) {
    const auto [at, added] = signatures_.try_emplace(letters, 0);
    if (added) {
      at->second = static_cast<std::uint8_t>(signatures_.size());
      parts.add_name(parts.signatures, at->second, letters);
    }
    return at->second;
  }

  std::map<std::string, std::uint8_t> operations_, signatures_;
};

}  // namespace vm_nac_tests

#endif  // TESSERA_TESTS_VM_NAC_PART_BUILDER_HPP
