// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <tessera/core/bytes.hpp>

#include "io/npy.hpp"
#include "vm/nac/load.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace fs = std::filesystem;

namespace {

[[nodiscard]] std::string in_quotes(std::string_view path) { return '"' + std::string(path) + '"'; }

[[nodiscard]] bool is_inside(const fs::path& folder, const fs::path& file) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

/// A file that is given below the folder as it was named, links of that included.
[[nodiscard]] fs::path through(const fs::path& named, const fs::path& folder,
                               const fs::path& file) {
  const fs::path plain = named.lexically_normal();
  return is_inside(plain, file) ? folder / file.lexically_relative(plain) : file;
}

}  // namespace

void plan_files::check_names_file(std::string_view path) const {
  if (access_ == file_access::none)
    fail(errc::nac_plan_path, in_quotes(path), ": the execution plan may not use files");
  if (path.empty() || path.find('\0') != path.npos)
    fail(errc::nac_plan_path, in_quotes(path), " is not a path");
  const fs::path name = fs::path(path).filename();
  if (name.empty() || name == "." || name == "..")
    fail(errc::nac_plan_path, in_quotes(path), " is not a file name");
}

plan_files::place plan_files::find_in(const std::string& in, std::string_view path) const {
  std::error_code e;
  const fs::path folder = fs::canonical(in, e);
  if (e) return {errc::nac_plan_file, in_quotes(in) + ": " + e.message()};
  const fs::path given = folder / fs::path(path);  // an absolute one stays as it is
  fs::path file = fs::canonical(given.parent_path(), e) / given.filename();
  std::error_code absent;  // the file itself may be
  if (!e && fs::is_symlink(fs::symlink_status(file, absent))) file = fs::canonical(file, e);
  if (e) return {errc::nac_plan_file, in_quotes(path) + ": " + e.message()};
  if (access_ == file_access::folder && !is_inside(folder, file))
    return {errc::nac_plan_path, in_quotes(path)};
  return {errc::ok, file.string()};
}

std::string plan_files::find(std::string_view path) const {
  check_names_file(path);
  place found = find_in(named_.empty() ? own_ : named_, path);
  const auto is_there = [](const place& p) {
    std::error_code e;
    return p.code == errc::ok && fs::exists(p.text, e);
  };
  // A file beside the container is found there, wherever other files are.
  if (!named_.empty() && !is_there(found))
    if (place beside = find_in(own_, path); is_there(beside)) found = std::move(beside);
  if (found.code != errc::ok) fail(found.code, std::move(found.text));
  return std::move(found.text);
}

std::string plan_files::find_to_write(std::string_view path) const {
  check_names_file(path);
  if (named_.empty())
    fail(errc::nac_plan_write, in_quotes(path), ": no folder was given to write to");
  std::error_code e;
  const fs::path folder = fs::canonical(named_, e);
  if (e) fail(errc::nac_plan_file, in_quotes(named_), ": ", e.message());
  // Without links a path leads where it says.
  fs::path file = (folder / fs::path(path)).lexically_normal();
  if (!is_inside(folder, file)) file = through(fs::absolute(named_), folder, file);
  if (!is_inside(folder, file)) fail(errc::nac_plan_path, in_quotes(path));
  fs::path at = folder;
  for (const fs::path& part : file.lexically_relative(folder)) {
    if (part.native().front() == '.')
      fail(errc::nac_plan_write, in_quotes(path), " is hidden; expected a visible, regular file");
    at /= part;
    const fs::file_status there = fs::symlink_status(at, e);
    if (fs::is_symlink(there))
      fail(errc::nac_plan_write, in_quotes(path),
           " contains a symbolic link; expected a path without links");
    if (at != file || !fs::exists(there)) continue;
    if (!fs::is_regular_file(there))
      fail(errc::nac_plan_file, in_quotes(path), " isn't a regular file");
    constexpr fs::perms any =
        fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
    if ((there.permissions() & any) != fs::perms::none)
      fail(errc::nac_plan_write, in_quotes(path), " is executable; expected a file that isn't");
    if (fs::hard_link_count(at, e) != 1 || e)
      fail(errc::nac_plan_write, in_quotes(path),
           " has other names (hard links); expected a file with one name");
  }
  return file.string();
}

bool plan_files::is_same(const std::string& found, const std::string& other) noexcept {
  std::error_code e;
  return fs::equivalent(found, other, e) && !e;
}

io::content plan_files::read(const std::string& found, std::uint64_t max_bytes) const {
  std::error_code e;
  if (!fs::is_regular_file(found, e)) fail(errc::nac_plan_file, in_quotes(found), ": no such file");
  limits limit;
  limit.max_bytes = std::min(limit.max_bytes, max_bytes);
  io::expected<io::content> out = io::read_file(found, limit);
  if (!out) fail(errc::nac_plan_file, out.error().message());
  return *std::move(out);
}

tensor plan_files::read_npy(memory& arena, const std::string& found) const {
  const io::content file = read(found, arena.limit() - arena.live());
  const io::expected<io::array> a = io::read_npy_array(file.view());
  if (!a) fail(errc::nac_plan_file, in_quotes(found), ": ", a.error().message());
  static constexpr struct {
    io::element_kind from;
    data_type to;
  } types[] = {{{'f', 4}, data_type::float32}, {{'f', 8}, data_type::float64},
               {{'f', 2}, data_type::float16}, {{'i', 4}, data_type::int32},
               {{'i', 8}, data_type::int64},   {{'i', 2}, data_type::int16},
               {{'i', 1}, data_type::int8},    {{'u', 1}, data_type::uint8},
               {{'b', 1}, data_type::boolean}};
  for (const auto& t : types) {
    if (t.from != a->type) continue;
    shape dims;
    for (const std::uint64_t d : a->shape) dims.push_back(static_cast<std::int64_t>(d));
    return load(arena, t.to, dims, {a->data.data(), a->data.size()});
  }
  fail(errc::nac_run_type, in_quotes(found), " holds unsigned integers of ", a->type.size,
       " bytes");
}

void plan_files::write(std::string_view path, std::string_view content, bool append) const {
  const std::string found = find_to_write(path);
  if (!append) {
    const io::expected<io::done> wrote = io::write_file(found, as_bytes(content));
    if (!wrote) fail(errc::nac_plan_file, wrote.error().message());
    return;
  }
  std::error_code none;
  const std::uintmax_t before = fs::file_size(found, none);
  std::FILE* const file = std::fopen(found.c_str(), "ab");
  const bool wrote =
      file != nullptr && std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const int why = errno;
  if (file != nullptr && std::fclose(file) == 0 && wrote) return;
  if (file != nullptr && none)
    fs::remove(found, none);
  else if (file != nullptr)  // a part was appended
    fs::resize_file(found, before, none);
  fail(errc::nac_plan_file, in_quotes(found), ": ", std::generic_category().message(why));
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
