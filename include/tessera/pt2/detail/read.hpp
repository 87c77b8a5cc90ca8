// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of pt2/read.hpp: which members an archive must have, and reading those of one program.

#ifndef TESSERA_PT2_DETAIL_READ_HPP
#define TESSERA_PT2_DETAIL_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/json_path.hpp"
#include "../read.hpp"
#include "archive.hpp"
#include "errors.hpp"
#include "pickle.hpp"
#include "read_program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

class model_reader {
 public:
  model_reader(bytes in, const read_options& options) : options_(options) {
    m_.source = in;
    if (options_.limit.max_bytes >= none) options_.limit.max_bytes = none - 1;
    if (options_.limit.max_depth > 1024) options_.limit.max_depth = 1024;
  }

  result<model> read() {
    error e = archive_reader(m_.source, options_.limit, m_).read();
    if (e.code == errc::ok) e = find_root();
    const bool is_flat = m_.container == container_kind::flat;
    if (e.code == errc::ok) e = is_flat ? check_version() : check_format();
    if (e.code == errc::ok) e = is_flat ? take_program() : choose_program();
    std::uint32_t weights = none, constants = none;
    if (e.code == errc::ok) e = find_tensors("weights", weights);
    if (e.code == errc::ok) e = find_tensors("constants", constants);
    if (e.code == errc::ok) e = read_program();
    if (e.code == errc::ok) e = read_tensors("weights", weights, m_.weights);
    if (e.code == errc::ok) e = read_tensors("constants", constants, m_.constants);
    if (e.code == errc::ok && options_.checksums) e = check_all();
    if (e.code != errc::ok) return e;
    return std::move(m_);
  }

 private:
  static constexpr std::string_view format_name = "archive_format";
  static constexpr std::string_view flat_program = "serialized_exported_program.json";

  [[nodiscard]] std::string_view name_of(std::uint32_t i) const noexcept {
    return text_of(m_, m_.members[i].name);
  }
  [[nodiscard]] error at_directory(errc code) const noexcept { return {code, m_.directory_offset}; }
  [[nodiscard]] std::uint32_t find(std::string_view a, std::string_view b = {},
                                   std::string_view c = {}, std::string_view d = {}) {
    path_.clear();
    path_ << a << b << c << d;
    return find_member(m_, path_);
  }

  /// A member of a model that is in no folder, or in one at the top, which becomes the root.
  [[nodiscard]] static std::uint32_t find_in_root(model& m, std::string_view file) {
    for (std::uint32_t i = 0; i < m.members.size(); ++i) {
      const std::string_view name = text_of(m, m.members[i].name);
      const std::size_t slash = name.find('/');
      const std::size_t first = slash == name.npos ? 0 : slash + 1;
      if (name.substr(first) != file) continue;
      m.root = {m.members[i].name.first, static_cast<std::uint32_t>(first)};
      return i;
    }
    return none;
  }
  /// The folder of the member archive_format, which holds all others.
  [[nodiscard]] error find_root() {
    if (find_in_root(m_, format_name) == none) {
      m_.container = container_kind::flat;
      return find(flat_program) == none ? at_directory(errc::pt2_no_format) : error();
    }
    const std::string_view root = text_of(m_, m_.root);
    for (std::uint32_t i = 0; i < m_.members.size(); ++i)
      if (name_of(i).substr(0, root.size()) != root) return {errc::pt2_root, m_.members[i].offset};
    return {};
  }

  /// The member "version" of a flat archive: "7.3", the version of the schema.
  [[nodiscard]] error check_version() {
    if (find("serialized_state_dict.json") != none) return at_directory(errc::pt2_torch_2_4);
    const std::uint32_t i = find("version");
    if (i == none) return at_directory(errc::pt2_flat_version);
    if (const error e = load(i); e.code != errc::ok) return e;
    const std::string_view all = as_text(content(m_, m_.members[i]));
    const std::size_t point = all.find('.');
    const std::uint64_t at = m_.members[i].data_offset;
    if (!number_of(all.substr(0, point), m_.schema_major) ||
        (point != all.npos && !number_of(all.substr(point + 1), m_.schema_minor)))
      return {errc::pt2_flat_version, at};
    if (m_.schema_major < first_schema_major) return {errc::pt2_torch_2_4, at};
    if (m_.schema_major > schema_major) return {errc::pt2_schema_major, at};
    m_.has_byte_order = true;  // it is that of the storages
    return {};
  }
  /// Up to 9 digits.
  [[nodiscard]] static bool number_of(std::string_view digits, std::int64_t& out) noexcept {
    out = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return false;
      out = out * 10 + (c - '0');
    }
    return !digits.empty() && digits.size() < 10;
  }
  [[nodiscard]] error check_format() {
    struct fixed_member {
      std::string_view name, content;
      errc code;
      bool is_required;
    };
    constexpr fixed_member members[] = {
        {format_name, "pt2", errc::pt2_format, true},
        {"archive_version", "0", errc::pt2_version, true},
        {"byteorder", "little", errc::pt2_byte_order, false},
    };
    for (const fixed_member& f : members) {
      const std::uint32_t i = find(f.name);
      if (i == none && f.is_required) return at_directory(f.code);
      if (i == none) continue;
      if (m_.members[i].size != f.content.size()) return {f.code, m_.members[i].data_offset};
      if (const error e = load(i); e.code != errc::ok) return e;
      if (as_text(content(m_, m_.members[i])) != f.content)
        return {f.code, m_.members[i].data_offset};
      m_.has_byte_order = !f.is_required;
    }
    return {};
  }

  /// That of a flat archive, which has no name.
  [[nodiscard]] error take_program() {
    constexpr std::string_view usual = "model";
    if (!options_.program.empty() && options_.program != usual)
      return at_directory(errc::pt2_no_program);
    m_.name = {static_cast<std::uint32_t>(m_.characters.size()),
               static_cast<std::uint32_t>(usual.size())};
    m_.characters << usual;
    m_.programs = 1;
    return {};
  }
  [[nodiscard]] error choose_program() {
    constexpr std::string_view folder = "models/", ending = ".json", usual = "model";
    const std::string_view wanted = options_.program.empty() ? usual : options_.program;
    const std::size_t before = m_.root.size + folder.size();
    bool is_compiled = false;
    string only;
    for (const member& of : m_.members) {
      const std::string_view all = text_of(m_, of.name), path = all.substr(m_.root.size);
      is_compiled = is_compiled || path.substr(0, 17) == "data/aotinductor/";
      if (path.size() <= folder.size() + ending.size() || path.substr(0, folder.size()) != folder ||
          path.substr(path.size() - ending.size()) != ending)
        continue;
      const string name{of.name.first + static_cast<std::uint32_t>(before),
                        static_cast<std::uint32_t>(path.size() - folder.size() - ending.size())};
      only = name;
      if (text_of(m_, name) == wanted) m_.name = name;
      ++m_.programs;
    }
    if (m_.programs == 0)
      return at_directory(is_compiled ? errc::pt2_compiled : errc::pt2_no_program);
    if (m_.name.size != 0) return {};
    if (!options_.program.empty()) return at_directory(errc::pt2_no_program);
    if (m_.programs != 1) return at_directory(errc::pt2_choose_program);
    m_.name = only;
    return {};
  }

  [[nodiscard]] error read_program() {
    std::uint32_t i = m_.container == container_kind::flat
                          ? find(flat_program)
                          : find("models/", text_of(m_, m_.name), ".json");
    std::string_view json;
    error e = load_json(i, json);
    if (e.code != errc::ok) return e;
    const member of = m_.members[i];
    const std::int64_t expected = m_.schema_major;
    e = program_reader(json, options_.limit, of.data_offset, of.is_deflated, m_).read();
    // Where another version of the schema is the reason, this is the better message.
    if (e.code == errc::pt2_variant || e.code == errc::pt2_missing ||
        e.code == errc::pt2_element_type) {
      const std::uint64_t at = json::find(json, "$.schema_version.major", options_.limit);
      if (at == json::no_offset) return e;
      const std::string_view major = json.substr(to_size(at), 2);
      if (major[0] != '0' + expected || (major.back() != ',' && major.back() != '}'))
        e = {errc::pt2_schema_major, of.data_offset + (of.is_deflated ? 0 : at)};
    }
    return e;
  }

  /// kind: "weights" or "constants". What lists them: JSON or, in earlier containers, an archive with
  /// a pickle.
  [[nodiscard]] error find_tensors(std::string_view kind, std::uint32_t& list) {
    if (m_.container == container_kind::flat) {
      list = find(kind == "weights" ? "serialized_state_dict.pt" : "serialized_constants.pt");
      return list != none ? error() : at_directory(errc::pt2_no_config);
    }
    text folder, file;
    folder << "data/" << kind << '/';
    file << '_' << kind << "_config.json";
    const std::string_view name = text_of(m_, m_.name);
    const bool is_first = kind == "weights";
    if (is_first || m_.container == container_kind::raw) list = find(folder, name, file);
    if (list != none || (!is_first && m_.container == container_kind::raw))
      return list != none ? error() : at_directory(errc::pt2_no_config);
    m_.container = container_kind::pickled;
    list = find(folder, name, ".pt");
    return list != none ? error() : at_directory(errc::pt2_no_config);
  }
  [[nodiscard]] error read_tensors(std::string_view kind, std::uint32_t list, range& out) {
    error e =
        m_.container == container_kind::raw ? read_config(kind, list, out) : read_pickle(list, out);
    for (std::uint32_t k = 0; k < out.count && e.code == errc::ok; ++k) {
      const stored_tensor& t = m_.stored[out.first + k];
      e = t.is_pickled ? error() : inflate(t.member);
    }
    return e;
  }
  [[nodiscard]] error read_config(std::string_view kind, std::uint32_t i, range& out) {
    text folder;
    folder << "data/" << kind << '/';
    std::string_view json;
    error e = load_json(i, json);
    if (e.code != errc::ok) return e;
    e = program_reader(json, options_.limit, m_.members[i].data_offset, m_.members[i].is_deflated,
                       m_)
            .read_config(out);
    for (std::uint32_t k = 0; k < out.count && e.code == errc::ok; ++k) {
      stored_tensor& t = m_.stored[out.first + k];
      t.member = find(folder, text_of(m_, t.path));
      if (t.member == none) e = {errc::pt2_no_payload, t.offset};
    }
    return e;
  }
  /// The tensors of an archive in a member.
  [[nodiscard]] error read_pickle(std::uint32_t i, range& out) {
    if (const error e = inflate(i); e.code != errc::ok) return e;
    inner_archive inner;
    inner.data_offset = m_.members[i].data_offset;
    inner.owned = m_.members[i].owned;
    inner.zip.source = content(m_, m_.members[i]);
    const auto placed = [&inner](error e) { return error(e.code, inner.place(e.offset)); };
    const error e = archive_reader(inner.zip.source, options_.limit, inner.zip).read();
    if (e.code != errc::ok) return placed(e);
    const std::uint32_t pickle = find_in_root(inner.zip, "data.pkl");
    if (pickle == none) return placed({errc::pt2_pickle_missing, inner.zip.directory_offset});
    const std::uint32_t order = find_member(inner.zip, "byteorder");
    if (order != none && as_text(content(inner.zip, inner.zip.members[order])) != "little")
      return placed({errc::pt2_byte_order, inner.zip.members[order].data_offset});
    const member& of = inner.zip.members[pickle];
    if (of.is_deflated) return placed({errc::pt2_inner_deflated, of.data_offset});
    if (of.size > options_.limit.max_bytes) return placed({errc::input_too_large, of.data_offset});
    if (!has_valid_checksum(inner.zip, of)) return placed({errc::pt2_checksum, of.data_offset});
    if (order == none) m_.has_byte_order = false;
    return pickle_reader(inner, of, options_.limit, m_).read(out);
  }

  /// JSON that is needed: in memory, and with the right checksum.
  [[nodiscard]] error load_json(std::uint32_t i, std::string_view& json) {
    if (m_.members[i].size > options_.limit.max_bytes)
      return {errc::input_too_large, m_.members[i].data_offset};
    if (const error e = load(i); e.code != errc::ok) return e;
    json = as_text(content(m_, m_.members[i]));
    if (m_.members[i].is_deflated) {  // the pool moves when another member is inflated
      json_.clear();
      json_ << json;
      json = json_;
    }
    return {};
  }
  [[nodiscard]] error load(std::uint32_t i) {
    if (const error e = inflate(i); e.code != errc::ok) return e;
    const member& of = m_.members[i];
    return has_valid_checksum(m_, of) ? error() : error(errc::pt2_checksum, of.data_offset);
  }
  /// Makes the content of a deflated member available.
  [[nodiscard]] error inflate(std::uint32_t i) {
    member& of = m_.members[i];
    if (!of.is_deflated || of.owned != member::no_data) return {};
    if (options_.inflate.run == nullptr) return {errc::pt2_deflated, of.data_offset};
    if (of.size > options_.limit.max_bytes - m_.contents.size())
      return {errc::input_too_large, of.data_offset};
    const std::size_t size = to_size(of.size);
    std::byte* const to = m_.contents.prepare(size);
    const bytes from = m_.source.subspan(to_size(of.data_offset), to_size(of.stored_size));
    if (!options_.inflate.run(options_.inflate.context, from, to, size))
      return {errc::pt2_deflate_data, of.data_offset};
    of.owned = m_.contents.size();
    m_.contents.advance(size);
    return {};
  }
  /// The checksums of all weights and constants.
  [[nodiscard]] error check_all() {
    for (const stored_tensor& t : m_.stored)
      if (!t.is_pickled && !has_valid_checksum(m_, m_.members[t.member]))
        return {errc::pt2_checksum, m_.members[t.member].data_offset};
    return {};
  }

  read_options options_;
  model m_;
  text path_, json_;
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE result<model> read(bytes in, const read_options& options) {
  return detail::model_reader(in, options).read();
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_READ_HPP
