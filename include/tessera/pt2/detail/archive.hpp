// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The zip of an archive: from its end record by way of the directory to the members.
//
//   end record        22 + comment   50 4b 05 06, counts, size and offset of the directory
//   zip64 locator     20             50 4b 06 07, before it, and the record that it leads to
//   directory entry   46 + …         50 4b 01 02, with CRC, sizes, name and offset of the local header
//   local header      30 + …         50 4b 03 04, the same once more; then the content
//   descriptor        12 to 24       [50 4b 07 08] CRC and sizes, after the content where bit 3 is set

#ifndef TESSERA_PT2_DETAIL_ARCHIVE_HPP
#define TESSERA_PT2_DETAIL_ARCHIVE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/limits.hpp"
#include "../../core/sort.hpp"
#include "../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

inline constexpr std::uint32_t end_signature = 0x06054b50, end64_signature = 0x06064b50,
                               locator_signature = 0x07064b50, entry_signature = 0x02014b50,
                               local_signature = 0x04034b50, descriptor_signature = 0x08074b50;
inline constexpr std::uint64_t end_size = 22, end64_size = 56, locator_size = 20, entry_size = 46,
                               local_size = 30;
inline constexpr std::uint32_t saturated = 0xffffffff;
inline constexpr unsigned flag_descriptor = 1u << 3;
/// Encryption, patches, hidden headers.
inline constexpr unsigned refused_flags = 1u << 0 | 1u << 5 | 1u << 6 | 1u << 13;
inline constexpr std::uint16_t method_stored = 0, method_deflated = 8;

/// Whether a name may be used as a path below a folder.
[[nodiscard]] inline bool is_safe_name(std::string_view name) noexcept {
  if (name.empty() || name[0] == '/' || !is_utf8(name)) return false;
  for (std::size_t first = 0; first <= name.size();) {
    std::size_t end = first;
    for (; end < name.size() && name[end] != '/'; ++end)
      if (name[end] == '\\' || name[end] == '\0') return false;
    const std::string_view part = name.substr(first, end - first);
    if (part == "." || part == ".." || (part.empty() && end != name.size())) return false;
    first = end + 1;
  }
  return true;
}

class archive_reader {
 public:
  archive_reader(bytes in, const limits& limit, model& out) noexcept
      : in_(in), limit_(limit), out_(out) {}

  [[nodiscard]] error read() {
    error e = find_directory();
    if (e.code == errc::ok) e = read_entries();
    if (e.code == errc::ok) e = read_local_headers();
    if (e.code == errc::ok) e = sort_names();
    return e;
  }

 private:
  template <class T>
  [[nodiscard]] T at(std::uint64_t offset) const noexcept {
    return load_le<T>(in_.data() + offset);
  }

  [[nodiscard]] error find_directory() {
    const std::uint64_t size = in_.size();
    if (size < end_size) return {errc::pt2_end, size};
    const std::uint64_t lowest = size > end_size + 0xffff ? size - end_size - 0xffff : 0;
    std::uint64_t end = size - end_size;
    while (at<std::uint32_t>(end) != end_signature ||
           at<std::uint16_t>(end + 20) != size - end - end_size) {
      if (end == lowest) return {errc::pt2_end, size};
      --end;
    }
    if (at<std::uint16_t>(end + 4) != 0 || at<std::uint16_t>(end + 6) != 0 ||
        at<std::uint16_t>(end + 8) != at<std::uint16_t>(end + 10))
      return {errc::pt2_split, end + 4};
    count_ = at<std::uint16_t>(end + 10);
    directory_size_ = at<std::uint32_t>(end + 12);
    directory_ = at<std::uint32_t>(end + 16);
    if (end >= locator_size && at<std::uint32_t>(end - locator_size) == locator_signature) {
      const std::uint64_t locator = end - locator_size;
      if (const error e = read_end64(locator); e.code != errc::ok) return e;
      end = at<std::uint64_t>(locator + 8);
    }
    std::uint64_t directory_end = 0;
    if (!checked_add(directory_, directory_size_, directory_end) || directory_end != end)
      return {errc::pt2_directory, end};
    if (count_ > directory_size_ / entry_size) return {errc::pt2_entry_count, end};
    if (count_ > limit_.max_items || count_ >= none) return {errc::too_many_items, end};
    out_.directory_offset = directory_;
    return {};
  }

  /// The zip64 end record, which repeats the numbers of the end record with 64 bits.
  [[nodiscard]] error read_end64(std::uint64_t locator) {
    const auto record = at<std::uint64_t>(locator + 8);
    if (at<std::uint32_t>(locator + 4) != 0 || at<std::uint32_t>(locator + 16) > 1)
      return {errc::pt2_split, locator + 4};
    if (record > locator || locator - record < end64_size ||
        at<std::uint32_t>(record) != end64_signature ||
        at<std::uint64_t>(record + 4) != locator - record - 12)
      return {errc::pt2_zip64, locator + 8};
    if (at<std::uint32_t>(record + 16) != 0 || at<std::uint32_t>(record + 20) != 0 ||
        at<std::uint64_t>(record + 24) != at<std::uint64_t>(record + 32))
      return {errc::pt2_split, record + 16};
    const auto count = at<std::uint64_t>(record + 32), size = at<std::uint64_t>(record + 40),
               offset = at<std::uint64_t>(record + 48);
    if (count_ != count && count_ != 0xffff) return {errc::pt2_zip64, record + 32};
    if (directory_size_ != size && directory_size_ != saturated)
      return {errc::pt2_zip64, record + 40};
    if (directory_ != offset && directory_ != saturated) return {errc::pt2_zip64, record + 48};
    count_ = count;
    directory_size_ = size;
    directory_ = offset;
    return {};
  }

  [[nodiscard]] error read_entries() {
    const std::uint64_t end = directory_ + directory_size_;
    std::uint64_t p = directory_;
    out_.members.reserve(to_size(count_));
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (end - p < entry_size || at<std::uint32_t>(p) != entry_signature)
        return {errc::pt2_entry, p};
      const std::uint64_t name = at<std::uint16_t>(p + 28), extra = at<std::uint16_t>(p + 30),
                          comment = at<std::uint16_t>(p + 32);
      if (end - p - entry_size < name + extra + comment) return {errc::pt2_entry, p};
      if (const error e = read_entry(p, name, extra); e.code != errc::ok) return e;
      p += entry_size + name + extra + comment;
    }
    return p == end ? error() : error(errc::pt2_entry_count, p);
  }

  [[nodiscard]] error read_entry(std::uint64_t p, std::uint64_t name_size,
                                 std::uint64_t extra_size) {
    const unsigned flags = at<std::uint16_t>(p + 8), method = at<std::uint16_t>(p + 10);
    if ((flags & refused_flags) != 0) return {errc::pt2_encrypted, p + 8};
    if (method != method_stored && method != method_deflated) return {errc::pt2_method, p + 10};
    if (at<std::uint16_t>(p + 34) != 0) return {errc::pt2_split, p + 34};
    const std::string_view name = as_text(in_.subspan(to_size(p + entry_size), to_size(name_size)));
    if (!is_safe_name(name)) return {errc::pt2_name, p + entry_size};
    if (out_.characters.size() + name.size() >= saturated) return {errc::too_many_items, p};
    member m;
    m.name = {static_cast<std::uint32_t>(out_.characters.size()),
              static_cast<std::uint32_t>(name.size())};
    out_.characters << name;
    m.crc = at<std::uint32_t>(p + 16);
    m.stored_size = at<std::uint32_t>(p + 20);
    m.size = at<std::uint32_t>(p + 24);
    m.offset = at<std::uint32_t>(p + 42);
    m.is_deflated = method == method_deflated;
    std::uint64_t* const wide[] = {&m.size, &m.stored_size, &m.offset};
    const error e = read_extra(p + entry_size + name_size, extra_size, wide);
    if (e.code != errc::ok) return e;
    if (!m.is_deflated && m.size != m.stored_size) return {errc::pt2_sizes, p + 20};
    // One byte of deflate data makes at most 1032.
    if (m.is_deflated && m.size / 1032 > m.stored_size) return {errc::pt2_sizes, p + 24};
    out_.members.push_back(m);
    return {};
  }

  /// The fields of an entry that don't fit into 32 bits, from its zip64 field (id 1).
  [[nodiscard]] error read_extra(std::uint64_t p, std::uint64_t size,
                                 std::uint64_t* const (&wide)[3]) const {
    const std::uint64_t end = p + size, start = p;
    std::uint64_t field = 0, field_end = 0;
    while (end - p >= 4) {
      const std::uint64_t length = at<std::uint16_t>(p + 2);
      if (end - p - 4 < length) return {errc::pt2_extra, p};
      if (at<std::uint16_t>(p) == 1) {
        if (field != 0) return {errc::pt2_extra, p};
        field = p + 4;
        field_end = field + length;
      }
      p += 4 + length;
    }
    if (p != end) return {errc::pt2_extra, p};
    for (std::uint64_t* const value : wide) {
      if (*value != saturated) continue;
      if (field == 0 || field_end - field < 8) return {errc::pt2_zip64, start};
      *value = at<std::uint64_t>(field);
      field += 8;
    }
    return {};
  }

  [[nodiscard]] error read_local_headers() {
    pool<std::uint32_t> order;
    order.reserve(out_.members.size());
    for (std::uint32_t i = 0; i < out_.members.size(); ++i) order.push_back(i);
    const member* const m = out_.members.data();
    sort(order.data(), order.size(),
         [m](std::uint32_t a, std::uint32_t b) { return m[a].offset < m[b].offset; });
    std::uint64_t previous_end = 0;
    for (const std::uint32_t i : order) {
      member& of = out_.members[i];
      if (of.offset < previous_end) return {errc::pt2_overlap, of.offset};
      if (previous_end == 0) out_.prefix_size = of.offset;
      if (const error e = read_local_header(of, previous_end); e.code != errc::ok) return e;
    }
    return {};
  }

  [[nodiscard]] error read_local_header(member& m, std::uint64_t& end) const {
    const std::uint64_t p = m.offset;
    if (p > directory_ || directory_ - p < local_size || at<std::uint32_t>(p) != local_signature)
      return {errc::pt2_local_header, p < in_.size() ? p : in_.size()};
    const std::uint64_t name = at<std::uint16_t>(p + 26), extra = at<std::uint16_t>(p + 28);
    m.data_offset = p + local_size + name + extra;
    if (m.data_offset > directory_) return {errc::pt2_local_header, p + 26};
    const unsigned flags = at<std::uint16_t>(p + 6);
    if ((flags & refused_flags) != 0) return {errc::pt2_encrypted, p + 6};
    if (at<std::uint16_t>(p + 8) != (m.is_deflated ? method_deflated : method_stored))
      return {errc::pt2_local_differs, p + 8};
    if (as_text(in_.subspan(to_size(p + local_size), to_size(name))) != text_of(out_, m.name))
      return {errc::pt2_local_differs, p + local_size};
    std::uint64_t stored_size = at<std::uint32_t>(p + 18), size = at<std::uint32_t>(p + 22);
    const auto crc = at<std::uint32_t>(p + 14);
    const bool has_descriptor = (flags & flag_descriptor) != 0;
    if (!has_descriptor || crc != 0 || stored_size != 0 || size != 0) {
      if (crc != m.crc) return {errc::pt2_local_differs, p + 14};
      std::uint64_t offset = 0;
      std::uint64_t* const wide[] = {&size, &stored_size, &offset};
      const error e = read_extra(p + local_size + name, extra, wide);
      if (e.code != errc::ok) return e;
      if (size != m.size || stored_size != m.stored_size) return {errc::pt2_local_differs, p + 18};
    }
    if (m.stored_size > directory_ - m.data_offset) return {errc::pt2_bounds, m.data_offset};
    end = m.data_offset + m.stored_size;
    return has_descriptor ? read_descriptor(m, end) : error();
  }

  /// Moves `end` past the descriptor. Other writers leave it out where the local header has all.
  [[nodiscard]] error read_descriptor(const member& m, std::uint64_t& end) const {
    const auto matches = [&](std::uint64_t p, bool is_wide) {
      if (directory_ - end < p - end + (is_wide ? 20 : 12)) return false;
      const std::uint64_t stored = is_wide ? at<std::uint64_t>(p + 4) : at<std::uint32_t>(p + 4);
      const std::uint64_t size = is_wide ? at<std::uint64_t>(p + 12) : at<std::uint32_t>(p + 8);
      return at<std::uint32_t>(p) == m.crc && stored == m.stored_size && size == m.size;
    };
    const bool is_signed = directory_ - end >= 4 && at<std::uint32_t>(end) == descriptor_signature;
    const std::uint64_t p = end + (is_signed ? 4 : 0);
    if (matches(p, true))
      end = p + 20;
    else if (matches(p, false))
      end = p + 12;
    else if (is_signed)
      return {errc::pt2_descriptor, end};
    return {};
  }

  [[nodiscard]] error sort_names() {
    pool<std::uint32_t>& order = out_.members_by_name;
    order.reserve(out_.members.size());
    for (std::uint32_t i = 0; i < out_.members.size(); ++i) order.push_back(i);
    const auto name = [this](std::uint32_t i) { return text_of(out_, out_.members[i].name); };
    sort(order.data(), order.size(),
         [&](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
    for (std::size_t i = 1; i < order.size(); ++i)
      if (name(order[i]) == name(order[i - 1]))
        return {errc::pt2_duplicate_member, out_.members[order[i]].offset};
    return {};
  }

  bytes in_;
  limits limit_;
  model& out_;
  std::uint64_t count_ = 0, directory_ = 0, directory_size_ = 0;
};

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_ARCHIVE_HPP
