// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/safetensors.hpp.

#ifndef TESSERA_NAC_DETAIL_SAFETENSORS_HPP
#define TESSERA_NAC_DETAIL_SAFETENSORS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/json_read.hpp"
#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../format.hpp"
#include "../safetensors.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct safetensors_maker;

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE external_tensor safetensors::operator[](std::size_t i) const noexcept {
  const record& r = records_[i];
  external_tensor t;
  t.offset = r.offset;
  t.name = string(r.name);
  t.type = safetensors_types[r.row].name;
  t.representable = r.representable;
  t.as.offset = r.offset;
  t.as.data_offset = data_ + r.first;
  t.as.data = source_.subspan(to_size(t.as.data_offset), to_size(r.end - r.first));
  if (!r.representable) return t;
  t.as.type = r.type;
  t.as.quantization = r.quantization;
  t.as.axis = r.axis;
  t.as.block = r.block;
  t.as.shape = numbers<std::uint32_t>(r.shape);
  t.as.original_shape = numbers<std::uint32_t>(r.original_shape);
  t.as.scales = numbers<float>(r.scales);
  return t;
}

TESSERA_INLINE std::size_t safetensors::find(std::string_view name) const noexcept {
  const std::size_t i = first_not_below(by_name_.data(), by_name_.size(), [&](std::uint32_t row) {
    return string(records_[row].name) < name;
  });
  return i < by_name_.size() && string(records_[by_name_[i]].name) == name ? by_name_[i] : size();
}

}  // namespace nac
namespace nac::detail {

/// Reads into a safetensors.
struct safetensors_maker {
  using part = safetensors::part;
  using record = safetensors::record;
  safetensors& out;
  const limits& limit;

  [[nodiscard]] part keep(std::string_view s) const {
    const part p{static_cast<std::uint32_t>(out.characters_.size()),
                 static_cast<std::uint32_t>(s.size())};
    out.characters_ << s;
    return p;
  }
  void number(part& p, std::uint32_t value) const {
    append_le(out.numbers_, value);
    ++p.size;
  }
  [[nodiscard]] part numbers() const noexcept {
    return {static_cast<std::uint32_t>(out.numbers_.size() / 4), 0};
  }

  // ---- the header

  void metadata(json::reader& in) const {
    std::string_view key;
    for (in.object(); in.key(key);) {
      const part name = keep(key);
      const std::uint64_t offset = in.offset() + 8;
      out.metadata_.push_back({offset, name, keep(in.string())});
    }
  }

  /// The number of elements, multiplied from the first dimension on.
  [[nodiscard]] bool shape(json::reader& in, record& r, std::uint64_t& elements) const {
    bool fits = true;
    elements = 1;
    r.shape = numbers();
    for (in.array(); in.element();) {
      const std::uint64_t size = in.uint64();
      fits = fits && checked_mul(elements, size, elements);
      if (size > UINT32_MAX || r.shape.size == 255) r.representable = false;
      if (r.representable) number(r.shape, static_cast<std::uint32_t>(size));
    }
    return fits;
  }

  void one_tensor(json::reader& in, std::string_view name) const {
    record r;
    r.name = keep(name);
    r.offset = in.offset() + 8;
    bool has_type = false, has_shape = false, has_offsets = false, fits = true;
    std::uint64_t elements = 0, type_offset = 0;
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "dtype") {
        type_offset = in.offset();
        const std::size_t row = safetensors_row(in.string());
        if (row == safetensors_type_count) in.fail(errc::nac_safetensors_type, type_offset);
        r.row = static_cast<std::uint8_t>(row);
        has_type = true;
      } else if (key == "shape") {
        fits = shape(in, r, elements);
        has_shape = true;
      } else if (key == "data_offsets") {
        r.offsets_offset = in.offset() + 8;
        in.array();
        in.require_element(errc::nac_safetensors_offsets);
        r.first = in.uint64();
        in.require_element(errc::nac_safetensors_offsets);
        r.end = in.uint64();
        in.end_array(errc::nac_safetensors_offsets);
        has_offsets = true;
      } else {
        in.skip();
      }
    }
    if (in.failed()) return;
    if (!has_type || !has_shape || !has_offsets)
      return in.fail(errc::nac_safetensors_member, r.offset - 8);
    if (r.first > r.end || r.end > out.source_.size() - out.data_)
      return in.fail(errc::nac_safetensors_offsets, r.offsets_offset - 8);
    std::uint64_t bits = 0;
    fits = fits && checked_mul(elements, std::uint64_t{safetensors_types[r.row].bits}, bits);
    if (!fits || bits % 8 != 0 || bits / 8 != r.end - r.first)
      return in.fail(errc::nac_safetensors_size, r.offsets_offset - 8);
    std::size_t type = 0;
    while (type < data_type_count && data_types[type].safetensors != safetensors_types[r.row].name)
      ++type;
    if (type == data_type_count) r.representable = false;
    r.type = static_cast<data_type>(type);
    if (out.records_.size() >= limit.max_items) return in.fail(errc::too_many_items, r.offset - 8);
    out.records_.push_back(r);
  }

  [[nodiscard]] error header(std::string_view source) const {
    limits inner = limit;
    inner.max_bytes = max_safetensors_header;
    json::reader in(source, inner);
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == safetensors_metadata)
        metadata(in);
      else
        one_tensor(in, key);
    }
    return in.finish();
  }

  /// Every byte belongs to one tensor.
  [[nodiscard]] error extents() const {
    sort(out.records_.data(), out.records_.size(), [](const record& a, const record& b) {
      return a.first != b.first ? a.first < b.first : a.end < b.end;
    });
    std::uint64_t end = 0;
    for (const record& r : out.records_) {
      if (r.first != end)
        return {r.first < end ? errc::nac_safetensors_overlap : errc::nac_safetensors_hole,
                r.offsets_offset};
      end = r.end;
    }
    if (end != out.source_.size() - out.data_)
      return {errc::nac_safetensors_trailing, out.data_ + end};
    return {};
  }

  void index() const {
    for (std::size_t i = 0; i < out.records_.size(); ++i)
      out.by_name_.push_back(static_cast<std::uint32_t>(i));
    sort(out.by_name_.data(), out.by_name_.size(), [this](std::uint32_t a, std::uint32_t b) {
      return out.string(out.records_[a].name) < out.string(out.records_[b].name);
    });
  }

  // ---- how tensors are quantized

  /// Numbers of a list, or a single number; none for a null.
  template <class Each>
  static void list(json::reader& in, Each each) {
    if (in.peek() == json::kind::null) return in.null();
    if (in.peek() != json::kind::array) return each();
    for (in.array(); in.element();) each();
  }

  /// A method by name, whatever its case.
  [[nodiscard]] static std::size_t method_of(std::string_view name) noexcept {
    const auto lower = [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    for (std::size_t i = 0; i < quantization_count; ++i) {
      bool same = name.size() == quantization_names[i].size();
      for (std::size_t k = 0; same && k < name.size(); ++k)
        same = lower(name[k]) == quantization_names[i][k];
      if (same) return i;
    }
    return quantization_count;
  }

  void one_quantization(json::reader& in, record& r) const {
    const std::uint64_t offset = in.offset();
    std::size_t code = quantization_count, named = quantization_count;
    bool has_shape = false;
    part one, all, blocks, original;  // `scale`, `scales`, `block_scales`
    std::uint8_t axis = 0;
    std::uint16_t block = 0;
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (in.peek() == json::kind::null) {
        in.null();
      } else if (key == "quant_code") {
        code = in.integer<std::uint8_t>(0, quantization_count - 1);
      } else if (key == "quant_type") {
        const std::uint64_t at = in.offset();
        named = method_of(in.string());
        if (named == quantization_count) in.fail(errc::nac_safetensors_method, at);
      } else if (key == "scale" || key == "scales" || key == "block_scales") {
        part& scales = key == "scale" ? one : key == "scales" ? all : blocks;
        scales = numbers();
        list(in, [&] { number(scales, std::bit_cast<std::uint32_t>(in.float32())); });
      } else if (key == "axis") {
        axis = in.integer<std::uint8_t>(0, 255);
      } else if (key == "block_size") {
        block = in.integer<std::uint16_t>(0, 65535);
      } else if (key == "orig_shape" || key == "original_shape") {
        original = numbers();
        list(in, [&] { number(original, in.integer<std::uint32_t>(0, UINT32_MAX)); });
        has_shape = true;
      } else {
        in.skip();
      }
    }
    if (in.failed()) return;
    const std::size_t method = code < quantization_count ? code : named;
    if (method == quantization_count) return in.fail(errc::nac_safetensors_method, offset);
    const auto q = static_cast<quantization>(method);
    const bool scaled = q >= quantization::int8_tensor;
    part scales = q == quantization::int8_tensor ? one
                  : q == quantization::block_fp8 ? blocks
                                                 : all;
    for (const part& other : {all, blocks, one})
      if (scales.size == 0) scales = other;
    const bool complete = q == quantization::block_fp8     ? block != 0 && has_shape
                          : q == quantization::int8_tensor ? scales.size == 1
                                                           : true;
    if (!complete || original.size > 255) return in.fail(errc::nac_safetensors_scales, offset);
    r.scales = scaled ? scales : part();
    r.quantization = q;
    r.axis = q == quantization::int8_channel ? axis : std::uint8_t{0};
    if (q == quantization::block_fp8) {
      r.block = block;
      r.original_shape = original;
    }
  }

  /// An object of NAME: object, or of NAME: the object's text.
  [[nodiscard]] error quantizations(std::string_view source, const limits& inner) const {
    json::reader in(source, inner);
    std::string_view name;
    for (in.object(); in.key(name);) {
      const std::size_t i = out.find(name);
      if (i == out.size()) {
        in.skip();
      } else if (in.peek() == json::kind::string) {
        const std::uint64_t offset = in.offset();
        json::reader nested(in.string(), inner);
        one_quantization(nested, out.records_[i]);
        if (const error e = nested.finish(); e.code != errc::ok) in.fail(e.code, offset);
      } else {
        one_quantization(in, out.records_[i]);
      }
    }
    return in.finish();
  }

  [[nodiscard]] error quantizations() const {
    limits inner = limit;
    inner.max_bytes = max_safetensors_header;
    const auto objects = [&](std::string_view key) -> error {
      for (const auto& m : out.metadata_) {
        if (out.string(m.key) != key || out.string(m.value).substr(0, 1) != "{") continue;
        if (const error e = quantizations(out.string(m.value), inner); e.code != errc::ok)
          return {e.code, m.offset};
      }
      return {};
    };
    if (const error e = objects("metadata"); e.code != errc::ok) return e;
    for (const auto& m : out.metadata_) {
      const std::size_t i = out.find(out.string(m.key));
      if (i == out.size() || out.string(m.value).substr(0, 1) != "{" ||
          out.string(m.key) == nac_quantization_key)
        continue;
      json::reader in(out.string(m.value), inner);
      one_quantization(in, out.records_[i]);
      if (const error e = in.finish(); e.code != errc::ok) return {e.code, m.offset};
    }
    return objects(nac_quantization_key);
  }

  [[nodiscard]] error all() const {
    const bytes in = out.source_;
    if (in.size() > limit.max_bytes) return {errc::input_too_large, limit.max_bytes};
    if (in.size() < 8) return {errc::nac_safetensors_header, in.size()};
    const auto size = load_le<std::uint64_t>(in.data());
    if (size > max_safetensors_header) return {errc::nac_safetensors_large_header, 0};
    if (size > in.size() - 8) return {errc::nac_safetensors_header, 0};
    if (size == 0 || in[8] != std::byte{'{'}) return {errc::nac_safetensors_brace, 8};
    out.data_ = 8 + size;
    error e = header(as_text(in.subspan(8, static_cast<std::size_t>(size))));
    if (e.code != errc::ok) return {e.code, e.offset + 8};
    e = extents();
    if (e.code != errc::ok) return e;
    index();
    return quantizations();
  }

  static error make(bytes in, const limits& limit, safetensors& out) {
    out.source_ = in;
    return safetensors_maker{out, limit}.all();
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<safetensors> read_safetensors(bytes in, const read_options& options) {
  result<safetensors> out{safetensors()};
  if (const error e = detail::safetensors_maker::make(in, options.limit, *out); e.code != errc::ok)
    return e;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_SAFETENSORS_HPP
