// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of pt2/write.hpp: the archive as PyTorch's own writer lays it out.

#ifndef TESSERA_PT2_DETAIL_WRITE_HPP
#define TESSERA_PT2_DETAIL_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../verify.hpp"
#include "../write.hpp"
#include "archive.hpp"
#include "checksum.hpp"
#include "write_program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

class archive_writer {
 public:
  archive_writer(const model& m, const sink& to) : m_(m), to_(to) {}

  [[nodiscard]] error write(const write_options& options) {
    if (const error e = check(m_); e.code != errc::ok) return e;
    if (options.checksums)
      for (const member& of : m_.members)
        if ((!of.is_deflated || of.owned != member::no_data) && !has_valid_checksum(m_, of))
          return {errc::pt2_checksum, of.data_offset};
    make_json();
    for (std::uint32_t i = 0; i < m_.members.size() && !stopped_; ++i) write_member(i);
    const std::uint64_t directory = offset_;
    put({directory_.data(), directory_.size()});
    write_end(directory);
    return stopped_ ? error(errc::pt2_write_stopped, 0) : error();
  }

 private:
  void make_json() {
    text json, path;
    const std::string_view name = text_of(m_, m_.name);
    const auto take = [&](std::uint32_t& index, text& to) {
      index = find_member(m_, path);
      to = in_ascii(json);
      json.clear();
      path.clear();
    };
    program_writer(json, m_).program();
    path << "models/" << name << ".json";
    take(made_[0], made_text_[0]);
    program_writer(json, m_).config(m_.weights);
    path << "data/weights/" << name << "_weights_config.json";
    take(made_[1], made_text_[1]);
    program_writer(json, m_).config(m_.constants);
    path << "data/constants/" << name << "_constants_config.json";
    take(made_[2], made_text_[2]);
  }

  void put(bytes piece) {
    if (!stopped_ && !piece.empty()) stopped_ = !to_.put(to_.context, piece);
    offset_ += piece.size();
  }
  void put(pool<std::byte>& piece) {
    put(bytes(piece.data(), piece.size()));
    piece.clear();
  }
  static void append(pool<std::byte>& to, std::string_view s) {
    to.append(as_bytes(s).data(), s.size());
  }

  void write_member(std::uint32_t i) {
    const member& of = m_.members[i];
    bytes data = content(m_, of);
    std::uint32_t crc = of.crc;
    std::uint64_t size = of.size;
    const bool is_deflated = of.is_deflated && of.owned == member::no_data;
    if (is_deflated) data = m_.source.subspan(to_size(of.data_offset), to_size(of.stored_size));
    for (std::size_t k = 0; k < 3; ++k)
      if (made_[k] == i) {
        data = as_bytes(made_text_[k]);
        crc = crc32(data);
        size = data.size();
      }
    write_parts(text_of(m_, of.name), data, size, crc, is_deflated);
  }

  /// Header, padding, content and descriptor; and the entry of the directory.
  void write_parts(std::string_view name, bytes data, std::uint64_t size, std::uint32_t crc,
                   bool is_deflated) {
    constexpr std::uint16_t utf8_flag = 0x0800, descriptor_flag = 0x0008;
    const std::uint64_t header = offset_;
    const std::uint64_t stored = data.size();
    const bool is_wide = size >= saturated || stored >= saturated;
    const std::uint16_t flags = data.empty() ? utf8_flag : utf8_flag | descriptor_flag;
    const std::uint16_t method = is_deflated ? method_deflated : method_stored;
    const std::uint64_t extra_at = header + local_size + name.size() + (is_wide ? 20 : 0);
    const std::uint64_t padding = (64 - (extra_at + 4) % 64) % 64;
    append_le(piece_, local_signature);
    append_le(piece_, std::uint16_t{0});
    append_le(piece_, flags);
    append_le(piece_, method);
    for (int k = 0; k < 4; ++k) append_le(piece_, std::uint32_t{0});  // time, CRC and sizes
    append_le(piece_, static_cast<std::uint16_t>(name.size()));
    append_le(piece_, static_cast<std::uint16_t>(4 + padding + (is_wide ? 20 : 0)));
    append(piece_, name);
    if (is_wide) {
      append_le(piece_, std::uint16_t{1});
      append_le(piece_, std::uint16_t{16});
      append_le(piece_, size);
      append_le(piece_, std::uint64_t{0});
    }
    append(piece_, "FB");
    append_le(piece_, static_cast<std::uint16_t>(padding));
    for (std::uint64_t k = 0; k < padding; ++k) append(piece_, "Z");
    put(piece_);
    put(data);
    if (!data.empty()) {
      append_le(piece_, descriptor_signature);
      append_le(piece_, crc);
      append_size(piece_, stored, is_wide);
      append_size(piece_, size, is_wide);
      put(piece_);
    }
    write_entry(name, header, stored, size, crc, flags, method);
    ++count_;
  }
  static void append_size(pool<std::byte>& to, std::uint64_t size, bool is_wide) {
    if (is_wide)
      append_le(to, size);
    else
      append_le(to, static_cast<std::uint32_t>(size));
  }

  void write_entry(std::string_view name, std::uint64_t header, std::uint64_t stored,
                   std::uint64_t size, std::uint32_t crc, std::uint16_t flags,
                   std::uint16_t method) {
    const bool is_wide = size >= saturated || stored >= saturated, is_far = header >= saturated;
    const auto extra = static_cast<std::uint16_t>((is_wide ? 16 : 0) + (is_far ? 8 : 0));
    append_le(directory_, entry_signature);
    append_le(directory_, std::uint32_t{0});  // versions
    append_le(directory_, flags);
    append_le(directory_, method);
    append_le(directory_, std::uint32_t{0});  // time and date
    append_le(directory_, crc);
    append_le(directory_, is_wide ? saturated : static_cast<std::uint32_t>(stored));
    append_le(directory_, is_wide ? saturated : static_cast<std::uint32_t>(size));
    append_le(directory_, static_cast<std::uint16_t>(name.size()));
    append_le(directory_, static_cast<std::uint16_t>(extra == 0 ? 0 : extra + 4));
    for (int k = 0; k < 2; ++k) append_le(directory_, std::uint16_t{0});  // comment, disk
    append_le(directory_, std::uint16_t{0});                              // attributes
    append_le(directory_, std::uint32_t{0});
    append_le(directory_, is_far ? saturated : static_cast<std::uint32_t>(header));
    append(directory_, name);
    if (extra == 0) return;
    append_le(directory_, std::uint16_t{1});
    append_le(directory_, extra);
    if (is_wide) append_le(directory_, size);
    if (is_wide) append_le(directory_, stored);
    if (is_far) append_le(directory_, header);
  }

  /// The zip64 end record, its locator, and the end record.
  void write_end(std::uint64_t directory) {
    const std::uint64_t record = offset_, size = record - directory;
    append_le(piece_, end64_signature);
    append_le(piece_, end64_size - 12);
    append_le(piece_, std::uint16_t{0x031e});
    append_le(piece_, std::uint16_t{45});
    append_le(piece_, std::uint64_t{0});  // this disk, and that of the directory
    append_le(piece_, count_);
    append_le(piece_, count_);
    append_le(piece_, size);
    append_le(piece_, directory);
    append_le(piece_, locator_signature);
    append_le(piece_, std::uint32_t{0});
    append_le(piece_, record);
    append_le(piece_, std::uint32_t{1});
    const auto count = static_cast<std::uint16_t>(count_ < 0xffff ? count_ : 0xffff);
    append_le(piece_, end_signature);
    append_le(piece_, std::uint32_t{0});
    append_le(piece_, count);
    append_le(piece_, count);
    append_le(piece_, static_cast<std::uint32_t>(size < saturated ? size : saturated));
    append_le(piece_, static_cast<std::uint32_t>(directory < saturated ? directory : saturated));
    append_le(piece_, std::uint16_t{0});
    put(piece_);
  }

  const model& m_;
  sink to_;
  std::uint64_t offset_ = 0, count_ = 0;
  bool stopped_ = false;
  pool<std::byte> piece_, directory_;
  std::uint32_t made_[3] = {none, none, none};  // members with new JSON
  text made_text_[3];
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE error write(const model& m, const sink& to, const write_options& options) {
  return detail::archive_writer(m, to).write(options);
}

TESSERA_INLINE result<pool<std::byte>> write(const model& m, const write_options& options) {
  pool<std::byte> out;
  const sink to{&out, [](void* pool_of, bytes piece) {
                  static_cast<pool<std::byte>*>(pool_of)->append(piece.data(), piece.size());
                  return true;
                }};
  if (const error e = write(m, to, options); e.code != errc::ok) return e;
  return out;
}

TESSERA_INLINE text write_program(const model& m) {
  text json;
  if (check(m).code == errc::ok) detail::program_writer(json, m).program();
  return detail::in_ascii(json);
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_WRITE_HPP
