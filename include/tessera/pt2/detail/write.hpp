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
    if (const error e = check_schema(); e.code != errc::ok) return e;
    list_parts();
    if (options.checksums)
      for (const part& p : parts_)
        if (p.member != none && !is_closed(m_.members[p.member]) &&
            !has_valid_checksum(m_, m_.members[p.member]))
          return {errc::pt2_checksum, m_.members[p.member].data_offset};
    for (std::size_t i = 0; i < parts_.size() && !stopped_; ++i) write_part(parts_[i]);
    const std::uint64_t directory = offset_;
    put({directory_.data(), directory_.size()});
    write_end(directory);
    return stopped_ ? error(errc::pt2_write_stopped, 0) : error();
  }

 private:
  /// A member that is written: one that was read, or made here.
  struct part {
    std::size_t name = 0, name_size = 0;  ///< in names_
    std::uint32_t member = none;
    bytes made;
  };

  /// What schema 8 and container C can't hold.
  [[nodiscard]] error check_schema() const {
    if (m_.container == container_kind::pickled && m_.programs > 1)
      return {errc::pt2_write_programs, m_.directory_offset};
    if (m_.schema_major == schema_major) return {};
    for (const scalar& s : m_.scalars)
      if (s.is_symbolic &&
          !read_expression(text_of(m_, s.expression), notation_of(m_.schema_major)))
        return {errc::pt2_expression, s.offset};
    return {};
  }

  void list_parts() {
    program_writer(json_, m_).program();
    program_json_ = in_ascii(json_);
    if (m_.container == container_kind::raw)
      list_members();
    else
      list_converted();
  }
  void add(std::string_view a, std::string_view b, std::uint32_t member, bytes made = {}) {
    parts_.push_back({names_.size(), a.size() + b.size(), member, made});
    names_ << a << b;
  }
  [[nodiscard]] std::string_view name_of(const part& p) const noexcept {
    return names_.view().substr(p.name, p.name_size);
  }
  /// The JSON of weights or constants; see program_writer::config.
  [[nodiscard]] bytes make_config(text& to, range of, std::string_view prefix,
                                  view<std::uint32_t> numbers) {
    json_.clear();
    program_writer(json_, m_).config(of, prefix, numbers);
    to = in_ascii(json_);
    return as_bytes(to);
  }

  /// The members that were read, three of them made anew.
  void list_members() {
    const std::string_view name = text_of(m_, m_.name);
    const auto find = [&](std::string_view a, std::string_view b) {
      text path;
      path << a << name << b;
      return find_member(m_, path);
    };
    const std::uint32_t program = find("models/", ".json");
    const std::uint32_t weights = find("data/weights/", "_weights_config.json");
    const std::uint32_t constants = find("data/constants/", "_constants_config.json");
    for (std::uint32_t i = 0; i < m_.members.size(); ++i) {
      const std::string_view member = text_of(m_, m_.members[i].name);
      if (i == program)
        add(member, "", none, as_bytes(program_json_));
      else if (i == weights)
        add(member, "", none, make_config(weights_json_, m_.weights, "", {}));
      else if (i == constants)
        add(member, "", none, make_config(constants_json_, m_.constants, "", {}));
      else
        add(member, "", i);
    }
  }

  /// The members of a container of PyTorch 2.9, from those of an earlier one.
  void list_converted() {
    const bool is_flat = m_.container == container_kind::flat;
    const std::string_view name = text_of(m_, m_.name);
    root_ << (is_flat ? std::string_view("archive/") : text_of(m_, m_.root));
    text path;
    const auto named = [&](std::string_view a, std::string_view b) {
      path.clear();
      path << a << name << b;
      return path.view();
    };
    list_storages("data/weights/", "weight_", m_.weights);
    add(root_, named("data/weights/", "_weights_config.json"), none,
        make_config(weights_json_, m_.weights, "weight_", numbers_));
    list_storages("data/constants/", "tensor_", m_.constants);
    add(root_, named("data/constants/", "_constants_config.json"), none,
        make_config(constants_json_, m_.constants, "tensor_", numbers_));
    add(root_, named("models/", ".json"), none, as_bytes(program_json_));
    if (is_flat) {
      if (const std::uint32_t i = find_member(m_, "serialized_example_inputs.pt"); i != none)
        add(root_, named("data/sample_inputs/", ".pt"), i);
      list_flat_rest();
      return;
    }
    const std::uint32_t replaced[] = {find_member(m_, named("models/", ".json")),
                                      find_member(m_, named("data/weights/", ".pt")),
                                      find_member(m_, named("data/constants/", ".pt"))};
    for (std::uint32_t i = 0; i < m_.members_by_name.size(); ++i)
      if (i != replaced[0] && i != replaced[1] && i != replaced[2])
        add(text_of(m_, m_.members[i].name), "", i);
  }
  /// Each storage once, under its number.
  void list_storages(std::string_view folder, std::string_view prefix, range of) {
    numbers_.clear();
    for (std::size_t i = 0; i < m_.members.size(); ++i) numbers_.push_back(none);
    std::uint32_t count = 0;
    for (const stored_tensor& t : stored(m_, of)) {
      if (numbers_[t.member] != none) continue;
      numbers_[t.member] = count;
      text path;
      path << folder << prefix << count++;
      add(root_, path, t.member);
    }
  }
  /// What a flat archive doesn't have, and the files that users add to one.
  void list_flat_rest() {
    constexpr std::string_view before = "extra_files/", after = "extra/";
    for (std::uint32_t i = 0; i < m_.members_by_name.size(); ++i) {
      const std::string_view member = text_of(m_, m_.members[i].name);
      if (member.substr(0, before.size()) != before || member.size() == before.size()) continue;
      text path;
      path << after << member.substr(before.size());
      add(root_, path, i);
    }
    add(root_, "archive_format", none, as_bytes(std::string_view("pt2")));
    add(root_, "archive_version", none, as_bytes(std::string_view("0")));
    add(root_, ".data/version", none, as_bytes(std::string_view("6\n")));
    add(root_, "byteorder", none, as_bytes(std::string_view("little")));
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

  /// Whether a member is deflated and was never opened.
  [[nodiscard]] static bool is_closed(const member& of) noexcept {
    return of.is_deflated && of.owned == member::no_data;
  }
  void write_part(const part& p) {
    if (p.member == none)
      return write_member(name_of(p), p.made, p.made.size(), crc32(p.made), false);
    const member& of = m_.members[p.member];
    bytes data = content(m_, of);
    if (is_closed(of)) data = m_.source.subspan(to_size(of.data_offset), to_size(of.stored_size));
    write_member(name_of(p), data, of.size, of.crc, is_closed(of));
  }

  /// Header, padding, content and descriptor; and the entry of the directory.
  void write_member(std::string_view name, bytes data, std::uint64_t size, std::uint32_t crc,
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
  text names_, root_, json_;
  text program_json_, weights_json_, constants_json_;
  pool<part> parts_;
  pool<std::uint32_t> numbers_;  // of members with storages
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
