// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The tensors of a NAC container, without its weights: for files that are large, or far away.
//
//   const auto pread_at = [](void* file, std::uint64_t offset, std::byte* to, std::size_t count) {
//     return pread(*static_cast<int*>(file), to, count, off_t(offset)) == ssize_t(count);
//   };
//   auto index = nac::index_tensors({&descriptor, pread_at, size});
//   const nac::indexed_tensor* t = index->find("model.norm.weight");
//   pread(descriptor, to, t->data_size, t->data_offset);
//
// It reads the header, the tags of the sections, DATA's names in pieces, and 64 bytes of each
// tensor's record; more where its metadata are longer. What lies behind the names or the metadata
// in such a piece is not looked at. A piece of names is 4 KB, or 16 bytes for each name that is left.
//
// Lifetime:   owns; what it hands out lasts as long as it does.
// Errors:     nac_source_read with the offset of what could not be read; else those of `read` for
//             the header and DATA, with the same offsets. Other sections are not looked at.
// Limits:     max_items names and tensors; max_bytes is not limited by default.
// Allocation: at most 24 × the names and records that were read.

#ifndef TESSERA_NAC_TENSOR_INDEX_HPP
#define TESSERA_NAC_TENSOR_INDEX_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/error.hpp"
#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/sort.hpp"
#include "../core/text.hpp"
#include "file.hpp"
#include "format.hpp"
#include "read.hpp"
#include "records.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// Bytes that are read on demand. `read_at` fills `to` or returns false; it is asked for bytes
/// below `size` alone.
struct source {
  void* context;
  bool (*read_at)(void* context, std::uint64_t offset, std::byte* to, std::size_t count);
  std::uint64_t size;
};

/// What the metadata of a tensor say, and where its elements stand.
struct indexed_tensor {
  std::uint64_t offset = 0;  ///< of the record
  std::uint64_t data_offset = 0, data_size = 0;
  std::uint64_t scales_offset = 0;  ///< of `scales` float32 values
  std::uint32_t scales = 0;
  std::uint32_t dimensions = 0;  ///< of the first one of the shape in the index's dimensions
  std::uint16_t id = 0;          ///< of its parameter
  std::uint16_t block = 0;       ///< block_fp8: elements of one scale
  data_type type = data_type::float32;
  nac::quantization quantization = nac::quantization::none;
  std::uint8_t axis = 0;  ///< int8_channel: the axis that scales run along
  std::uint8_t rank = 0, original_rank = 0;
};

namespace detail {
struct index_maker;
}

/// The parameters of a container, and those of them that have tensors in it.
class tensor_index {
 public:
  struct parameter {
    std::uint16_t id = 0, size = 0;  ///< of its name
    std::uint32_t first = 0;         ///< of its name's characters
  };

  [[nodiscard]] nac::header header() const noexcept { return header_; }
  [[nodiscard]] bool has_internal_weights() const noexcept { return internal_weights_; }
  /// As they stand in the file.
  [[nodiscard]] view<indexed_tensor> tensors() const& noexcept { return tensors_; }
  view<indexed_tensor> tensors() const&& = delete;
  [[nodiscard]] view<parameter> parameters() const& noexcept { return parameters_; }
  view<parameter> parameters() const&& = delete;

  [[nodiscard]] std::string_view name(const parameter& p) const noexcept {
    return names_.view().substr(p.first, p.size);
  }
  /// Empty where its id names no parameter.
  [[nodiscard]] std::string_view name(const indexed_tensor& t) const noexcept {
    const std::uint32_t i = last_of(parameters_, parameters_by_id_, t.id);
    return i == none ? std::string_view() : name(parameters_[i]);
  }
  /// As it is stored: block_fp8 stores the padded count.
  [[nodiscard]] view<std::uint32_t> shape(const indexed_tensor& t) const noexcept {
    return {dimensions_.data() + t.dimensions, t.rank};
  }
  /// block_fp8: the shape that it is read as.
  [[nodiscard]] view<std::uint32_t> original_shape(const indexed_tensor& t) const noexcept {
    return {dimensions_.data() + t.dimensions + t.rank, t.original_rank};
  }
  /// The tensor of a parameter, the last one where there are more; null: it has none.
  [[nodiscard]] const indexed_tensor* find(std::uint16_t id) const& noexcept {
    const std::uint32_t i = last_of(tensors_, tensors_by_id_, id);
    return i == none ? nullptr : &tensors_[i];
  }
  const indexed_tensor* find(std::uint16_t id) const&& = delete;
  /// That of the first parameter with this name that has one.
  [[nodiscard]] const indexed_tensor* find(std::string_view name) const& noexcept {
    const auto name_of = [this](std::uint32_t i) { return this->name(parameters_[i]); };
    std::size_t i = first_not_below(by_name_.data(), by_name_.size(),
                                    [&](std::uint32_t p) { return name_of(p) < name; });
    for (; i < by_name_.size() && name_of(by_name_[i]) == name; ++i)
      if (const indexed_tensor* const t = find(parameters_[by_name_[i]].id)) return t;
    return nullptr;
  }
  const indexed_tensor* find(std::string_view name) const&& = delete;

 private:
  friend struct detail::index_maker;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// The last record with an id; `order` has their indices by id.
  template <class T>
  [[nodiscard]] static std::uint32_t last_of(const pool<T>& records,
                                             const pool<std::uint32_t>& order,
                                             std::uint16_t id) noexcept {
    const std::size_t behind = first_not_below(
        order.data(), order.size(), [&](std::uint32_t i) { return records[i].id <= id; });
    if (behind == 0 || records[order[behind - 1]].id != id) return none;
    return order[behind - 1];
  }
  template <class T>
  static void order_by_id(const pool<T>& records, pool<std::uint32_t>& order) {
    order.reserve(records.size());
    for (std::uint32_t i = 0; i < records.size(); ++i) order.push_back(i);
    sort(order.data(), order.size(),
         [&records](std::uint32_t a, std::uint32_t b) { return records[a].id < records[b].id; });
  }

  nac::header header_ = nac::header::v1_6;
  bool internal_weights_ = false;
  pool<indexed_tensor> tensors_;
  pool<parameter> parameters_;
  text names_;
  pool<std::uint32_t> dimensions_;
  pool<std::uint32_t> tensors_by_id_, parameters_by_id_;
  pool<std::uint32_t> by_name_;  // parameters, equal names in their order
};

namespace detail {

/// Reads into an index.
struct index_maker {
  const source& from;
  const limits& limit;
  tensor_index& out;
  std::uint64_t at = 0, end = 0;  // the next record, and the section's bound
  pool<std::byte> buffer{};       // what stands from `start` on
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
  [[nodiscard]] error behind(const cursor& in, error e) noexcept {
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
      const std::uint64_t most = std::uint64_t{16} * n;
      const std::uint64_t piece = most < 4096 ? 4096 : most < 65536 ? most : 65536;
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
      if (const error wrong = behind(in, e); wrong.code != errc::ok) return wrong;
    }
    return {};
  }

  /// How many bytes of the record at hand, 16 or more of which are there, are looked at.
  [[nodiscard]] static std::uint64_t looked_at(const std::byte* record,
                                               std::uint64_t had) noexcept {
    constexpr std::uint64_t longest = 14 + 2 + 4 * 255 + 1 + 2 + 1 + 4 * 255 + 4;
    const std::uint64_t whole = std::uint64_t{14} + load_le<std::uint32_t>(record + 2);
    const std::uint64_t most = whole < longest ? whole : longest;
    const std::uint64_t method = 16 + 4 * std::uint64_t{load_le<std::uint8_t>(record + 15)};
    if (had < method + 4) return most;
    std::uint64_t count = method + 1;
    const auto code = load_le<std::uint8_t>(record + method);
    if (code == static_cast<std::uint8_t>(quantization::int8_channel)) count += 5;
    if (code == static_cast<std::uint8_t>(quantization::block_fp8))
      count += 7 + 4 * std::uint64_t{load_le<std::uint8_t>(record + method + 3)};
    return count < most ? count : most;
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
    return behind(in, e);
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
    file f;
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

}  // namespace detail

/// The tensors of a container.
[[nodiscard]] inline result<tensor_index> index_tensors(const source& from,
                                                        const limits& limit = default_limits) {
  result<tensor_index> out{tensor_index()};
  detail::index_maker maker{from, limit, *out};
  if (const error e = maker.all(); e.code != errc::ok) return e;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_TENSOR_INDEX_HPP
