// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nac/lookup.hpp"

#include <bit>
#include <cmath>
#include <tessera/core/shortest.hpp>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using kind = nac_argument::kind;

[[nodiscard]] std::string text_of(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  text out;
  append_double(out, v, double_style::python);
  return std::string(out.view());
}

template <class T>
[[nodiscard]] std::string list_of(nac::packed<T> values) {
  std::string out = "[";
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ", ";
    if constexpr (std::is_same_v<T, float>)
      out += text_of(static_cast<double>(values[i]));
    else
      out += std::to_string(values[i]);
  }
  return out + ']';
}

[[nodiscard]] std::string quoted(std::string_view s) {
  text out;
  nac::print_string(out, s);
  return std::string(out.view());
}

}  // namespace

std::string text_of(const nac::constant& c) {
  switch (c.type) {
    case nac::constant_type::null: return "null";
    case nac::constant_type::boolean: return c.boolean() ? "true" : "false";
    case nac::constant_type::int64: return std::to_string(c.int64());
    case nac::constant_type::float64: return text_of(c.float64());
    case nac::constant_type::string: return quoted(c.string());
    case nac::constant_type::int32_list: return list_of(c.int32_list());
    case nac::constant_type::float32_list: return list_of(c.float32_list());
  }
  return {};
}

std::string text_of_shape(nac::packed<std::uint32_t> shape) { return list_of(shape); }

std::uint64_t elements_of(nac::packed<std::uint32_t> shape) noexcept {
  std::uint64_t count = 1;
  bool fits = true;
  for (std::uint32_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return 0;
    fits = fits && checked_mul(count, std::uint64_t{shape[i]}, count);
  }
  return fits ? count : ~std::uint64_t{0};
}

std::string shortened(std::string_view s, std::size_t max_characters) {
  std::size_t at = 0;
  for (std::size_t characters = 0; at < s.size(); ++characters) {
    if (characters == max_characters) return std::string(s.substr(0, at)) + "\xE2\x80\xA6";
    const unsigned length = utf8_length(s.data() + at, s.data() + s.size());
    at += length == 0 ? 1 : length;
  }
  return std::string(s);
}

lookup::lookup(const nac::model& f) : file_(f) {
  instructions_.reserve(f.instructions().size());
  for (const nac::instruction& i : f.instructions()) instructions_.push_back(i);
  for (const nac::instruction& i : f.training()) training_.push_back(i);
  const auto row = [](std::vector<std::uint32_t>& of, std::uint16_t id, std::size_t index) {
    if (id >= of.size()) of.resize(std::size_t{id} + 1, none);
    of[id] = static_cast<std::uint32_t>(index);
  };
  for (const nac::constant& c : f.constants()) {
    row(constant_of_, c.id, constants_.size());
    constants_.push_back(c);
  }
  for (const nac::tensor& t : f.tensors()) {
    row(tensor_of_, t.id, tensors_.size());
    tensors_.push_back(t);
  }
  for (const nac::named& n : f.parameters()) {
    row(parameter_of_, n.id, parameters_.size());
    parameters_.push_back(n.text);
  }
  for (const nac::named& n : f.input_names()) {
    row(input_of_, n.id, inputs_.size());
    inputs_.push_back(n.text);
  }
  lifted_.resize(instructions_.size());
  std::uint32_t unnamed = 0;
  for (const nac::instruction& i : instructions_)
    if (i.a == nac::op_input && i.b == 0 && !has_input(i.index)) lifted_[i.index] = unnamed++;
}

namespace {

[[nodiscard]] std::uint32_t row_of(const std::vector<std::uint32_t>& of,
                                   std::uint32_t id) noexcept {
  return id < of.size() ? of[id] : lookup::none;
}

}  // namespace

const nac::constant* lookup::constant(std::uint32_t id) const noexcept {
  const std::uint32_t row = row_of(constant_of_, id);
  return row == none ? nullptr : &constants_[row];
}
const nac::tensor* lookup::tensor(std::uint32_t parameter) const noexcept {
  const std::uint32_t row = row_of(tensor_of_, parameter);
  return row == none ? nullptr : &tensors_[row];
}
bool lookup::has_parameter(std::uint32_t id) const noexcept {
  return row_of(parameter_of_, id) != none;
}
std::string_view lookup::parameter(std::uint32_t id) const noexcept {
  const std::uint32_t row = row_of(parameter_of_, id);
  return row == none ? std::string_view() : parameters_[row];
}
bool lookup::has_input(std::uint32_t instruction) const noexcept {
  return row_of(input_of_, instruction) != none;
}
std::string_view lookup::input(std::uint32_t instruction) const noexcept {
  const std::uint32_t row = row_of(input_of_, instruction);
  return row == none ? std::string_view() : inputs_[row];
}
std::uint32_t lookup::lifted(std::uint32_t instruction) const noexcept {
  return lifted_[instruction];
}

std::string lookup::operation(const nac::instruction& i) const {
  std::string_view name = file_.operation_name(i.a);
  if (i.a < nac::first_regular_op) name = nac::system_word(i.a, i.b);
  return name.empty() ? "operation " + std::to_string(i.a) : std::string(name);
}

std::vector<nac_argument> lookup::arguments(const nac::instruction& i) const {
  std::vector<nac_argument> out;
  const std::size_t count = i.offset >= file_.offset(nac::section::trng) && !training_.empty() &&
                                    i.offset >= training_.front().offset
                                ? training_.size()
                                : instructions_.size();
  const auto result = [&](std::int64_t offset, char code) {
    const std::int64_t index = std::int64_t{i.index} + offset;
    const bool found = index >= 0 && static_cast<std::uint64_t>(index) < count;
    out.push_back({found ? kind::result : kind::missing, code, index});
  };
  const auto id = [&](kind what, std::uint32_t value, char code) {
    const bool found = what == kind::constant    ? constant(value) != nullptr
                       : what == kind::parameter ? has_parameter(value)
                                                 : true;
    out.push_back({found ? what : kind::missing, code, value});
  };
  if (i.a >= nac::first_regular_op) {
    const std::string_view codes = file_.signature(i.b);
    std::uint32_t next = 0;
    for (std::uint32_t k = 0; k < i.d.size(); ++k) {
      if (i.d[k] != 0)
        result(i.d[k], codes[k]);
      else if (next < i.c.size())
        id(kind::constant, i.c[next++], codes[k]);
      else
        out.push_back({kind::missing, codes[k], 0});
    }
    return out;
  }
  switch (i.a) {
    case nac::op_input:
      if (i.c.empty()) break;
      id(i.b == 1   ? kind::parameter
         : i.b == 2 ? kind::state
         : i.b == 3 ? kind::constant
                    : kind::number,
         i.c[0], 0);
      break;
    case nac::op_output:
      if (i.b == 3 && !i.c.empty()) id(kind::parameter, i.c[0], 0);
      for (std::uint32_t k = 0; k < i.d.size(); ++k) {
        if (i.d[k] != 0)
          result(i.d[k], 0);
        else
          out.push_back({kind::absent, 0, 0});
      }
      break;
    case nac::op_control_flow:
      result(i.d[0], 0);
      for (std::uint32_t k = 0; k < i.c.size(); ++k) out.push_back({kind::number, 0, i.c[k]});
      break;
    case nac::op_convergence:
      if (!i.c.empty()) result(static_cast<std::int16_t>(i.c[0]), 0);
      for (std::uint32_t k = 0; k < i.d.size(); ++k) out.push_back({kind::number, 0, i.d[k]});
      break;
    default: break;
  }
  return out;
}

std::string lookup::text_of(const nac_argument& a) const {
  const auto id = static_cast<std::uint32_t>(a.value);
  switch (a.what) {
    case kind::result: return 'v' + std::to_string(a.value);
    case kind::constant: return inspect::text_of(*constant(id));
    case kind::parameter:
      return parameter(id).empty() ? "parameter " + std::to_string(a.value)
                                   : std::string(parameter(id));
    case kind::state: return "state " + std::to_string(a.value);
    case kind::number: return std::to_string(a.value);
    case kind::absent: return "nothing";
    case kind::missing: break;
  }
  return "missing " + std::to_string(a.value);
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
