// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/weights.hpp.

#ifndef TESSERA_NAC_DETAIL_WEIGHTS_HPP
#define TESSERA_NAC_DETAIL_WEIGHTS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/json_write.hpp"
#include "../../core/pool.hpp"
#include "../../core/result.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../parts.hpp"
#include "../safetensors.hpp"
#include "../weights.hpp"
#include "../write.hpp"
#include "ids.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Numbers of parts as records have them: little-endian.
[[nodiscard]] inline pool<std::byte> little_endian(const pool<std::uint32_t>& numbers) {
  pool<std::byte> out;
  out.reserve(numbers.size() * 4);
  for (const std::uint32_t n : numbers) append_le(out, n);
  return out;
}

/// A tensor of parts as a record over those numbers.
[[nodiscard]] inline tensor record_of(const tensor_part& t, const pool<std::byte>& numbers,
                                      bytes data) noexcept {
  const auto at = [&](range r) { return numbers.data() + std::size_t{r.first} * 4; };
  tensor out;
  out.id = t.id;
  out.type = t.type;
  out.quantization = t.quantization;
  out.axis = t.axis;
  out.block = t.block;
  out.shape = {at(t.shape), t.shape.size};
  out.original_shape = {at(t.original_shape), t.original_shape.size};
  out.scales = {at(t.scales), t.scales.size};
  out.data = data;
  return out;
}

struct conversion_maker;

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE bool conversion::read(const void* context, std::uint64_t key, std::uint64_t first,
                                     std::byte* to, std::size_t count) {
  const state& all = *static_cast<const state*>(context);
  const item& i = all.items[key];
  const std::size_t size = size_of(i.form.type);
  first /= size;
  count /= size;
  if (i.form.type != data_type::float32) {
    quantize_elements(i.values, i.form, all.scales + i.first_scale, first, to, count);
    return true;
  }
  float some[detail::chunk];
  while (count != 0) {
    const std::size_t n = count < detail::chunk ? count : detail::chunk;
    i.values.read(first, some, n);
    for (std::size_t k = 0; k < n; ++k) store_le(to + k * 4, some[k]);
    first += n;
    to += n * 4;
    count -= n;
  }
  return true;
}

}  // namespace nac
namespace nac::detail {

/// Fills a conversion, tensor by tensor.
struct conversion_maker {
  conversion& out;

  [[nodiscard]] error begin(const parts& from) const {
    if (const error e = check(from); e.code != errc::ok) return e;
    out.model = from;
    out.numbers_ = little_endian(from.numbers);
    out.state_.push_back({});
    out.source_.push_back({out.state_.data(), conversion::read});
    return {};
  }
  void end() const { out.state_[0] = {out.items_.data(), out.scales_.data()}; }

  [[nodiscard]] error values(std::size_t index, tensor_values& to) const {
    const tensor_part& t = out.model.tensors[index];
    if (t.data.source != nullptr) return {errc::nac_weights_made, index};
    const result<tensor_values> v =
        tensor_values::of(record_of(t, out.numbers_, out.model.data_of(t.data)));
    if (!v) return {v.error().code, index};
    to = *v;
    return {};
  }
  /// The elements of a tensor are from now on those of a form.
  void replace(tensor_part& t, const tensor_values& v, const quantized_form& form,
               std::uint64_t first_scale) const {
    t.type = form.type;
    t.quantization = form.quantization;
    t.axis = 0;
    t.block = form.block;
    t.data = {nullptr, out.items_.size(), form.elements * size_of(form.type), out.source_.data()};
    out.items_.push_back({v, form, first_scale});
  }

  /// Whether the tensor is stored as the method would store it.
  [[nodiscard]] static bool is_stored(const tensor_part& t, quantization method,
                                      std::uint16_t block) noexcept {
    switch (method) {
      case quantization::none:  // unreachable: no method of quantize
      case quantization::fp16:
        return t.quantization < quantization::int8_tensor && t.type == data_type::float16;
      case quantization::int8_tensor: return t.quantization == method;
      case quantization::int8_channel:
        return (t.quantization == method && t.axis == 0) ||
               (t.quantization == quantization::int8_tensor && t.shape.size == 1);
      case quantization::block_fp8: return t.quantization == method && t.block == block;
    }
    return false;  // unreachable: all methods are above
  }

  /// Whether dimensions and numbers of parts have room for what a tensor will need.
  [[nodiscard]] bool fits(std::uint64_t values, view<std::uint32_t> shape, quantization method,
                          std::uint16_t block) const noexcept {
    std::uint64_t needed = method == quantization::int8_channel ? shape[0] : 1;
    if (method == quantization::block_fp8) {
      needed = values / block + (values % block != 0 ? 1 : 0);
      if (needed > UINT32_MAX / block) return false;
    }
    return needed < UINT32_MAX - out.model.numbers.size();
  }

  [[nodiscard]] error quantize(std::size_t index, quantization method, std::uint16_t block) const {
    tensor_part& t = out.model.tensors[index];
    tensor_values v;
    if (const error e = values(index, v); e.code != errc::ok) return e;
    const bool scaled = t.quantization >= quantization::int8_tensor;
    const range shape = t.quantization == quantization::block_fp8 ? t.original_shape : t.shape;
    if ((!scaled && !is_floating(t.type)) || shape.size == 0 || is_stored(t, method, block))
      return {};
    if (!fits(v.size(), out.model.numbers_of(shape), method, block))
      return {errc::nac_weights_blocks, index};
    const std::size_t first_scale = out.scales_.size();
    quantized_form form;
    const error e = measure(v, out.model.numbers_of(shape), method, block, form, out.scales_);
    if (e.code != errc::ok) return {e.code, index};
    t.shape = shape;
    t.original_shape = t.scales = {};
    if (form.quantization == quantization::block_fp8) {
      const auto elements = static_cast<std::uint32_t>(form.elements);
      t.original_shape = shape;
      t.shape = out.model.add_numbers({&elements, 1});
    }
    t.scales.first = static_cast<std::uint32_t>(out.model.numbers.size());
    t.scales.size = static_cast<std::uint32_t>(out.scales_.size() - first_scale);
    for (std::size_t i = first_scale; i < out.scales_.size(); ++i)
      out.model.numbers.push_back(std::bit_cast<std::uint32_t>(out.scales_[i]));
    replace(t, v, form, first_scale);
    return {};
  }

  [[nodiscard]] error dequantize(std::size_t index, bool narrow_float64) const {
    tensor_part& t = out.model.tensors[index];
    tensor_values v;
    if (const error e = values(index, v); e.code != errc::ok) return e;
    const bool scaled = t.quantization >= quantization::int8_tensor;
    if (t.quantization == quantization::fp16) t.quantization = quantization::none;
    if (!scaled && t.type != data_type::float16 && t.type != data_type::bfloat16 &&
        !(t.type == data_type::float64 && narrow_float64))
      return {};
    if (t.quantization == quantization::block_fp8) t.shape = t.original_shape;
    t.original_shape = t.scales = {};
    const std::uint64_t n = v.size();
    replace(t, v, {data_type::float32, quantization::none, 0, n, n, n}, 0);
    return {};
  }
};

// ---- out of the container

/// The bytes of two payloads are the same; sources are asked in pieces.
[[nodiscard]] inline bool same_bytes(const parts& p, const payload& a, const payload& b) {
  if (a.size != b.size) return false;
  std::byte of_a[1024], of_b[1024];
  const auto piece = [&p](const payload& d, std::uint64_t first, std::byte* to, std::size_t count) {
    if (d.source != nullptr) return d.source->read(d.source->context, d.first, first, to, count);
    std::memcpy(to, p.data_of(d).data() + first, count);
    return true;
  };
  if (a.source == b.source && a.borrowed == b.borrowed && a.first == b.first) return true;
  for (std::uint64_t first = 0; first < a.size; first += sizeof of_a) {
    const std::uint64_t left = a.size - first;
    const std::size_t n = left < sizeof of_a ? static_cast<std::size_t>(left) : sizeof of_a;
    if (!piece(a, first, of_a, n) || !piece(b, first, of_b, n) || std::memcmp(of_a, of_b, n) != 0)
      return false;
  }
  return true;
}

[[nodiscard]] inline bool same_numbers(const parts& p, range a, range b) noexcept {
  return a.size == b.size &&
         (a.size == 0 || std::memcmp(p.numbers.data() + a.first, p.numbers.data() + b.first,
                                     std::size_t{a.size} * 4) == 0);
}

[[nodiscard]] inline bool same_tensor(const parts& p, const tensor_part& a, const tensor_part& b) {
  return a.type == b.type && a.quantization == b.quantization && a.axis == b.axis &&
         a.block == b.block && same_numbers(p, a.shape, b.shape) &&
         same_numbers(p, a.original_shape, b.original_shape) &&
         same_numbers(p, a.scales, b.scales) && same_bytes(p, a.data, b.data);
}

/// How a tensor is quantized, by either convention's names.
inline void put_quantization(json::writer& out, const parts& p, const tensor_part& t, bool tools) {
  out.begin_object();
  if (tools) out.key("quant_code").integer(static_cast<unsigned>(t.quantization));
  char upper[16];
  const std::string_view method = name(t.quantization);
  for (std::size_t i = 0; i < method.size(); ++i)
    upper[i] = static_cast<char>(method[i] >= 'a' ? method[i] - 'a' + 'A' : method[i]);
  out.key("quant_type").string({upper, method.size()});
  const auto scale = [&](std::uint32_t bits) {
    out.number(static_cast<double>(std::bit_cast<float>(bits)));
  };
  const auto numbers = p.numbers_of(t.scales);
  const bool block = t.quantization == quantization::block_fp8;
  if (t.quantization == quantization::int8_tensor) {
    out.key("scale");
    scale(numbers[0]);
  } else if (block || t.quantization == quantization::int8_channel) {
    if (block) {
      out.key("block_size").integer(t.block);
      out.key(tools ? "orig_shape" : "original_shape").begin_array();
      for (const std::uint32_t n : p.numbers_of(t.original_shape)) out.integer(n);
      out.end();
    } else {
      out.key("axis").integer(t.axis);
    }
    out.key(block && tools ? "block_scales" : "scales").begin_array();
    for (const std::uint32_t bits : numbers) scale(bits);
    out.end();
  }
  out.end();
}

/// The metadata of the tensors that are quantized, which have `names` in parts::characters.
struct quantized_tensor {
  range name;
  std::uint32_t tensor;
};

inline void put_metadata(const parts& p, const pool<quantized_tensor>& all, external_parts& to) {
  text json;
  json::writer out(json);
  out.begin_object();
  for (const quantized_tensor& q : all)
    put_quantization(out.key(p.string(q.name)), p, p.tensors[q.tensor], true);
  out.end();
  to.add_metadata(nac_quantization_key, json);
  for (const quantized_tensor& q : all) {
    if (p.string(q.name) == nac_quantization_key) continue;  // whose place is taken
    json.clear();
    json::writer one(json);
    put_quantization(one, p, p.tensors[q.tensor], false);
    to.add_metadata(p.string(q.name), json);
  }
}

[[nodiscard]] inline error move_out(const parts& from, external_weights& out) {
  if (const error e = check(from); e.code != errc::ok) return e;
  if (!from.internal_weights) return {errc::nac_weights_outside, 0};
  const id_table names(from.parameters), tensors(from.tensors);
  for (std::size_t i = 0; i < from.tensors.size(); ++i) {
    const tensor_part& t = from.tensors[i];
    if (names[t.id] == no_index) return {errc::nac_weights_unnamed, i};
    for (const std::uint32_t bits : from.numbers_of(t.scales))
      if ((bits & 0x7f800000u) == 0x7f800000u) return {errc::nac_weights_scale, i};
  }
  pool<std::uint32_t> rows;  // of parameters, by name
  for (std::uint32_t id = 0; id < names.end(); ++id) {
    if (names[id] == no_index) continue;
    if (tensors[id] == no_index) return {errc::nac_weights_absent, names[id]};
    rows.push_back(names[id]);
  }
  const auto name_of = [&](std::uint32_t row) { return from.string(from.parameters[row].text); };
  sort(rows.data(), rows.size(),
       [&](std::uint32_t a, std::uint32_t b) { return name_of(a) < name_of(b); });
  out.model = from;
  out.model.tensors.clear();
  out.model.internal_weights = false;
  pool<quantized_tensor> quantized;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t index = tensors[from.parameters[rows[i]].id];
    const tensor_part& t = from.tensors[index];
    if (i != 0 && name_of(rows[i]) == name_of(rows[i - 1])) {
      if (!same_tensor(from, from.tensors[tensors[from.parameters[rows[i - 1]].id]], t))
        return {errc::nac_weights_tied, index};
      continue;
    }
    payload data = t.data;
    if (data.source == nullptr) data = parts::borrow(out.model.data_of(t.data));
    out.weights.add(name_of(rows[i]), t.type, from.numbers_of(t.shape), data);
    if (t.quantization != quantization::none)
      quantized.push_back({from.parameters[rows[i]].text, index});
  }
  if (!quantized.empty()) put_metadata(from, quantized, out.weights);
  return {};
}

// ---- into the container

[[nodiscard]] inline error move_in(const parts& from, const safetensors& weights, parts& out) {
  if (const error e = check(from); e.code != errc::ok) return e;
  if (from.internal_weights) return {errc::nac_weights_inside, 0};
  out = from;
  out.internal_weights = true;
  const id_table names(from.parameters);
  const part_maker make{out};
  // Of tied parameters, shape and scales are kept once.
  pool<std::uint32_t> first_use;
  for (std::size_t i = 0; i < weights.size(); ++i) first_use.push_back(no_index);
  for (std::uint32_t id = 0; id < names.end(); ++id) {
    const std::uint32_t row = names[id];
    if (row == no_index) continue;
    const std::size_t i = weights.find(from.string(from.parameters[row].text));
    if (i == weights.size()) return {errc::nac_weights_missing, row};
    tensor_part part;
    if (first_use[i] == no_index) {
      const external_tensor found = weights[i];
      if (!found.representable) return {errc::nac_weights_form, row};
      const tensor& t = found.as;
      if (const error e = tensor_values::of(t).error(); e.code != errc::ok) return {e.code, row};
      const range shape = make.numbers(t.shape);
      const range original = make.numbers(t.original_shape);
      const range scales = make.numbers(t.scales);
      part = {0,        t.type, t.quantization,       t.axis, t.block, shape,
              original, scales, parts::borrow(t.data)};
      first_use[i] = static_cast<std::uint32_t>(out.tensors.size());
    } else {
      part = out.tensors[first_use[i]];
    }
    part.id = static_cast<std::uint16_t>(id);
    out.tensors.push_back(part);
  }
  return {};
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<external_weights> externalise(const parts& from) {
  result<external_weights> out{external_weights()};
  if (const error e = detail::move_out(from, *out); e.code != errc::ok) return e;
  return out;
}

TESSERA_INLINE result<parts> internalise(const parts& from, const safetensors& weights) {
  result<parts> out{parts()};
  if (const error e = detail::move_in(from, weights, *out); e.code != errc::ok) return e;
  return out;
}

TESSERA_INLINE result<conversion> quantize(const parts& from, quantization method,
                                           std::uint16_t block) {
  if (method == quantization::none) return error{errc::nac_quantize_method, 0};
  if (block == 0) return error{errc::nac_quantize_block, 0};
  result<conversion> out{conversion()};
  const detail::conversion_maker make{*out};
  error e = make.begin(from);
  for (std::size_t i = 0; i < from.tensors.size() && e.code == errc::ok; ++i)
    e = make.quantize(i, method, block);
  if (e.code != errc::ok) return e;
  make.end();
  out->model.quantization = method;
  return out;
}

TESSERA_INLINE result<conversion> dequantize(const parts& from, bool narrow_float64) {
  result<conversion> out{conversion()};
  const detail::conversion_maker make{*out};
  error e = make.begin(from);
  for (std::size_t i = 0; i < from.tensors.size() && e.code == errc::ok; ++i)
    e = make.dequantize(i, narrow_float64);
  if (e.code != errc::ok) return e;
  make.end();
  out->model.quantization = quantization::none;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_WEIGHTS_HPP
