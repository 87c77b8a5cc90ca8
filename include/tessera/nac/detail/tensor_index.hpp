// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/weights.hpp.

#ifndef TESSERA_NAC_DETAIL_TENSOR_INDEX_HPP
#define TESSERA_NAC_DETAIL_TENSOR_INDEX_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/limits.hpp"
#include "../../core/pool.hpp"
#include "../../core/result.hpp"
#include "../../core/sort.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../weights.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct index_maker;

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE std::string_view tensor_index::name(const indexed_tensor& t) const noexcept {
  const std::uint32_t i = last_of(parameters_, parameters_by_id_, t.id);
  return i == none ? std::string_view() : name(parameters_[i]);
}

TESSERA_INLINE const indexed_tensor* tensor_index::find(std::uint16_t id) const& noexcept {
  const std::uint32_t i = last_of(tensors_, tensors_by_id_, id);
  return i == none ? nullptr : &tensors_[i];
}

TESSERA_INLINE const indexed_tensor* tensor_index::find(std::string_view name) const& noexcept {
  const auto name_of = [this](std::uint32_t i) { return this->name(parameters_[i]); };
  std::size_t i = first_not_below(by_name_.data(), by_name_.size(),
                                  [&](std::uint32_t p) { return name_of(p) < name; });
  for (; i < by_name_.size() && name_of(by_name_[i]) == name; ++i)
    if (const indexed_tensor* const t = find(parameters_[by_name_[i]].id)) return t;
  return nullptr;
}

}  // namespace nac
namespace nac::detail {

/// Reads into an index.
struct index_maker {
  const source& from;
  const limits& limit;
  tensor_index& out;
  std::uint64_t at = 0, end = 0;  // the next record, and the section's bound
  pool<std::byte> buffer{};       // the bytes from `start` on
  std::uint64_t start = 0;

  [[nodiscard]] error read(std::uint64_t offset, std::byte* to, std::size_t count) const {
    if (count == 0 || from.read_at(from.context, offset, to, count)) return {};
    return {errc::nac_source_read, offset};
  }
  /// Has the next `least` bytes in the buffer, or all that the section holds; reads `more` at once
  /// if it must read.
  [[nodiscard]] error fill(std::uint64_t least, std::uint64_t more) {
    const std::uint64_t left = end - at;
    if (least > left) least = left;
    if (at - start > buffer.size()) {  // hopped over what follows
      buffer.clear();
      start = at;
    }
    const std::uint64_t had = buffer.size() - (at - start);
    if (had >= least) return {};
    if (more < least) more = least;
    if (more > left) more = left;
    if (had != 0) {  // what is there already comes first
      std::byte* const first = buffer.data();
      std::memmove(first, first + (at - start), static_cast<std::size_t>(had));
    }
    buffer.clear();
    buffer.advance(static_cast<std::size_t>(had));
    start = at;
    const auto count = to_size(more - had);
    const error e = read(at + had, buffer.prepare(count), count);
    if (e.code == errc::ok) buffer.advance(count);
    return e;
  }
  /// At the next record: offsets are from there, what it loads must be in the buffer.
  [[nodiscard]] cursor here() const noexcept {
    return {buffer.data() + to_size(at - start), 0, end - at};
  }
  [[nodiscard]] error past_end(const cursor& in, error e) noexcept {
    if (e.code != errc::ok) return {e.code, e.offset + at};
    at += in.offset();
    return e;
  }

  [[nodiscard]] error count(std::uint64_t least, std::uint32_t& n) {
    if (const error e = fill(4, 64); e.code != errc::ok) return e;
    cursor in = here();
    if (!in.has(4)) return {errc::nac_truncated, at};
    n = load_le<std::uint32_t>(in.data());
    if (n > limit.max_items) return {errc::too_many_items, at};
    if (n * least > in.left() - 4) return {errc::nac_count, at};
    at += 4;
    return {};
  }

  template <class Each>
  [[nodiscard]] error names(Each&& each) {
    std::uint32_t n = 0;
    if (const error e = count(long_named::least, n); e.code != errc::ok) return e;
    for (; n != 0; --n) {
      const std::uint64_t max = std::uint64_t{16} * n;
      const std::uint64_t piece = max < 4096 ? 4096 : max < 65536 ? max : 65536;
      if (const error e = fill(4, piece); e.code != errc::ok) return e;
      if (here().has(4)) {
        const auto length = load_le<std::uint16_t>(here().data() + 2);
        if (const error e = fill(4 + std::uint64_t{length}, piece); e.code != errc::ok) return e;
      }
      cursor in = here();
      named record;
      const error e = long_named::parse(in, record);
      if (out.names_.size() > 0xfffe'ffff) return {errc::too_many_items, at};
      if (e.code == errc::ok) each(record);
      if (const error wrong = past_end(in, e); wrong.code != errc::ok) return wrong;
    }
    return {};
  }

  /// How many bytes of the record at hand, 16 or more of which are there, are looked at.
  [[nodiscard]] static std::uint64_t looked_at(const std::byte* record,
                                               std::uint64_t had) noexcept {
    constexpr std::uint64_t longest = 14 + 2 + 4 * 255 + 1 + 2 + 1 + 4 * 255 + 4;
    const std::uint64_t whole = std::uint64_t{14} + load_le<std::uint32_t>(record + 2);
    const std::uint64_t max = whole < longest ? whole : longest;
    const std::uint64_t method = 16 + 4 * std::uint64_t{load_le<std::uint8_t>(record + 15)};
    if (had < method + 4) return max;
    std::uint64_t count = method + 1;
    const auto code = load_le<std::uint8_t>(record + method);
    if (code == static_cast<std::uint8_t>(quantization::int8_channel)) count += 5;
    if (code == static_cast<std::uint8_t>(quantization::block_fp8))
      count += 7 + 4 * std::uint64_t{load_le<std::uint8_t>(record + method + 3)};
    return count < max ? count : max;
  }

  [[nodiscard]] error one_tensor() {
    constexpr std::uint64_t usual = 64;
    if (const error e = fill(16, usual); e.code != errc::ok) return e;
    if (here().has(16)) {
      const std::byte* const record = buffer.data() + (at - start);
      const std::uint64_t wanted = looked_at(record, buffer.size() - (at - start));
      if (const error e = fill(wanted, wanted); e.code != errc::ok) return e;
    }
    cursor in = here();
    tensor t;
    const error e = tensor_form::parse(in, t);
    if (e.code == errc::ok) {
      if (out.dimensions_.size() > 0xffff'ff00) return {errc::too_many_items, at};
      indexed_tensor i;
      i.offset = at;
      i.data_offset = at + t.data_offset;
      i.data_size = load_le<std::uint64_t>(here().data() + 6);
      i.scales = t.scales.size();
      if (i.scales != 0) i.scales_offset = i.data_offset - 4 * std::uint64_t{i.scales};
      i.dimensions = static_cast<std::uint32_t>(out.dimensions_.size());
      i.id = t.id;
      i.block = t.block;
      i.type = t.type;
      i.quantization = t.quantization;
      i.axis = t.axis;
      i.rank = static_cast<std::uint8_t>(t.shape.size());
      i.original_rank = static_cast<std::uint8_t>(t.original_shape.size());
      for (std::uint32_t k = 0; k < i.rank; ++k) out.dimensions_.push_back(t.shape[k]);
      for (std::uint32_t k = 0; k < i.original_rank; ++k)
        out.dimensions_.push_back(t.original_shape[k]);
      out.tensors_.push_back(i);
    }
    return past_end(in, e);
  }

  [[nodiscard]] error header() {
    struct tags {
      const index_maker& maker;
      mutable error failed;
    } const context{*this, {}};
    if (from.size > limit.max_bytes) return {errc::input_too_large, limit.max_bytes};
    std::byte first[100];
    const std::size_t size = from.size < 100 ? static_cast<std::size_t>(from.size) : 100;
    if (const error e = read(0, first, size); e.code != errc::ok) return e;
    model f;
    maker in{f,
             limit,
             bytes(first, size),
             from.size,
             &context,
             [](const void* c, std::uint64_t offset, std::byte* to) {
               const auto* const t = static_cast<const tags*>(c);
               if (t->failed.code == errc::ok) t->failed = t->maker.read(offset, to, 4);
               return t->failed.code == errc::ok;
             }};
    const error e = in.header();
    if (context.failed.code != errc::ok) return context.failed;
    out.header_ = f.header();
    out.internal_weights_ = f.has_internal_weights();
    if (f.has(section::data)) {
      at = in.part(section::data).first;
      end = in.part(section::data).end;
    }
    return e;
  }

  [[nodiscard]] error data() {
    start = at;
    error e = names([this](const named& n) {
      const auto first = static_cast<std::uint32_t>(out.names_.size());
      out.parameters_.push_back({n.id, static_cast<std::uint16_t>(n.text.size()), first});
      out.names_ << n.text;
    });
    if (e.code == errc::ok) e = names([](const named&) {});
    if (e.code != errc::ok || !out.internal_weights_) return e;
    std::uint32_t n = 0;
    e = count(tensor_form::least, n);
    for (; n != 0 && e.code == errc::ok; --n) e = one_tensor();
    return e;
  }

  [[nodiscard]] error all() {
    if (const error e = header(); e.code != errc::ok) return e;
    if (at != 0)
      if (const error e = data(); e.code != errc::ok) return e;
    tensor_index::order_by_id(out.tensors_, out.tensors_by_id_);
    tensor_index::order_by_id(out.parameters_, out.parameters_by_id_);
    for (std::uint32_t i = 0; i < out.parameters_.size(); ++i) out.by_name_.push_back(i);
    sort(out.by_name_.data(), out.by_name_.size(), [this](std::uint32_t a, std::uint32_t b) {
      return out.name(out.parameters_[a]) < out.name(out.parameters_[b]);
    });
    return {};
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<tensor_index> index_tensors(const source& from, const read_options& options) {
  result<tensor_index> out{tensor_index()};
  detail::index_maker maker{from, options.limit, *out};
  if (const error e = maker.all(); e.code != errc::ok) return e;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_TENSOR_INDEX_HPP
