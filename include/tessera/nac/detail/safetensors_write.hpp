// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/safetensors.hpp.

#ifndef TESSERA_NAC_DETAIL_SAFETENSORS_WRITE_HPP
#define TESSERA_NAC_DETAIL_SAFETENSORS_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/json_write.hpp"
#include "../../core/pool.hpp"
#include "../../core/result.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"
#include "../parts.hpp"
#include "../safetensors.hpp"
#include "sink.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE void external_parts::add(std::string_view name, data_type type,
                                        view<std::uint32_t> shape, const payload& data) {
  const range dimensions{static_cast<std::uint32_t>(numbers.size()),
                         static_cast<std::uint32_t>(shape.size())};
  numbers.append(shape.data(), shape.size());
  tensors.push_back({keep(name), type, dimensions, data});
}

TESSERA_INLINE void external_parts::add_metadata(std::string_view key, std::string_view value) {
  const range name = keep(key);
  metadata.push_back({name, keep(value)});
}

TESSERA_INLINE range external_parts::keep(std::string_view s) {
  const range r{static_cast<std::uint32_t>(characters.size()),
                static_cast<std::uint32_t>(s.size())};
  characters << s;
  return r;
}

}  // namespace nac
namespace nac::detail {

/// Checks, orders and writes one file.
class safetensors_writer {
 public:
  explicit safetensors_writer(const external_parts& p) : p_(p) {}

  [[nodiscard]] error prepare() {
    error e = metadata().in(error_index::metadata);
    if (e.code == errc::ok) e = tensors().in(error_index::tensor);
    if (e.code == errc::ok) e = header();
    return e;
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return 8 + header_.size() + data_; }

  [[nodiscard]] error write(const sink& to) const {
    part_stream out(to);
    out.put(std::uint64_t{header_.size()});
    out.put_text(header_);
    for (std::size_t i = 0; i < order_.size() && !out.stopped(); ++i) {
      const payload& d = p_.tensors[order_[i].index].data;
      out.put_payload(
          d.source != nullptr ? bytes() : bytes(d.borrowed, static_cast<std::size_t>(d.size)), d);
    }
    out.flush();
    return {out.stopped() ? errc::nac_write_stopped : errc::ok, 0};
  }

 private:
  struct row {
    std::uint32_t index;
    std::uint8_t type;  // of safetensors_types
  };

  /// `index` holds records by name; the later of two that are equal.
  template <class Name>
  [[nodiscard]] static error each_once(pool<std::uint32_t>& index, Name name) {
    sort(index.data(), index.size(),
         [&](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
    error e;
    for (std::size_t i = 1; i < index.size(); ++i)
      if (name(index[i]) == name(index[i - 1]) && (e.code == errc::ok || index[i] < e.offset))
        e = {errc::nac_external_repeated, index[i]};
    return e;
  }

  [[nodiscard]] error metadata() {
    pool<std::uint32_t> index;
    for (std::size_t i = 0; i < p_.metadata.size(); ++i) {
      const external_metadata_part& m = p_.metadata[i];
      if (!m.key.is_inside(p_.characters) || !m.value.is_inside(p_.characters))
        return {errc::nac_write_range, i};
      if (!is_utf8(p_.string(m.key)) || !is_utf8(p_.string(m.value)))
        return {errc::nac_external_text, i};
      index.push_back(static_cast<std::uint32_t>(i));
    }
    return each_once(index, [this](std::uint32_t i) { return p_.string(p_.metadata[i].key); });
  }

  [[nodiscard]] error tensors() {
    pool<std::uint32_t> index;
    for (std::size_t i = 0; i < p_.tensors.size(); ++i) {
      const external_part& t = p_.tensors[i];
      if (!t.name.is_inside(p_.characters) || !t.shape.is_inside(p_.numbers) ||
          (t.data.size != 0 && t.data.borrowed == nullptr && t.data.source == nullptr))
        return {errc::nac_write_range, i};
      if (static_cast<std::size_t>(t.type) >= data_type_count)
        return {errc::nac_write_data_type, i};
      if (!is_utf8(p_.string(t.name))) return {errc::nac_external_text, i};
      if (p_.string(t.name) == safetensors_metadata) return {errc::nac_external_reserved, i};
      std::uint64_t size = size_of(t.type);
      bool fits = true;
      for (const std::uint32_t n : p_.numbers_of(t.shape))
        fits = fits && checked_mul(size, std::uint64_t{n}, size);
      if (!fits || size != t.data.size) return {errc::nac_external_size, i};
      if (!checked_add(data_, size, data_) || data_ > UINT64_MAX - max_safetensors_header - 8)
        return {errc::nac_external_large, i};
      index.push_back(static_cast<std::uint32_t>(i));
    }
    if (const error e =
            each_once(index, [this](std::uint32_t i) { return p_.string(p_.tensors[i].name); });
        e.code != errc::ok)
      return e;
    for (const std::uint32_t i : index) {
      const auto type = static_cast<std::size_t>(p_.tensors[i].type);
      order_.push_back(
          {i, static_cast<std::uint8_t>(safetensors_row(data_types[type].safetensors))});
    }
    sort(order_.data(), order_.size(), [](const row& a, const row& b) { return a.type > b.type; });
    return {};
  }

  [[nodiscard]] error header() {
    json::writer out(header_);
    out.begin_object();
    if (!p_.metadata.empty()) {
      out.key(safetensors_metadata).begin_object();
      for (const external_metadata_part& m : p_.metadata)
        out.key(p_.string(m.key)).string(p_.string(m.value));
      out.end();
    }
    std::uint64_t at = 0;
    for (const row& r : order_) {
      const external_part& t = p_.tensors[r.index];
      out.key(p_.string(t.name)).begin_object();
      out.key("dtype").string(safetensors_types[r.type].name).key("shape").begin_array();
      for (const std::uint32_t n : p_.numbers_of(t.shape)) out.integer(n);
      out.end().key("data_offsets").begin_array().integer(at);
      at += t.data.size;
      out.integer(at).end().end();
      if (header_.size() > max_safetensors_header)
        return {errc::nac_external_large, r.index, error_index::tensor};
    }
    out.end();
    while (header_.size() % 8 != 0) header_ << ' ';
    if (header_.size() > max_safetensors_header)
      return {errc::nac_external_large, 0, error_index::whole};
    return {};
  }

  const external_parts& p_;
  pool<row> order_;
  std::uint64_t data_ = 0;
  text header_;
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE error write_safetensors(const external_parts& p, const sink& to) {
  detail::safetensors_writer out(p);
  const error e = out.prepare();
  return e.code == errc::ok ? out.write(to) : e;
}

TESSERA_INLINE result<pool<std::byte>> write_safetensors(const external_parts& p) {
  detail::safetensors_writer writer(p);
  error e = writer.prepare();
  if (e.code != errc::ok) return e;
  if (writer.size() > SIZE_MAX) return error{errc::nac_external_large, 0};
  pool<std::byte> out;
  out.reserve(to_size(writer.size()));
  e = writer.write(detail::sink_into(out));
  if (e.code != errc::ok) return e;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_SAFETENSORS_WRITE_HPP
