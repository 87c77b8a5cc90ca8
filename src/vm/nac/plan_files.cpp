// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "plan_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "io/npy.hpp"
#include "load.hpp"
#include "types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace fs = std::filesystem;

namespace {

[[nodiscard]] std::string in_quotes(std::string_view path) { return '"' + std::string(path) + '"'; }

[[nodiscard]] fs::path resolved(const fs::path& p, std::string_view given) {
  std::error_code e;
  fs::path out = fs::canonical(p, e);
  if (e) fail(errc::nac_plan_file, in_quotes(given) + ": " + e.message());
  return out;
}

}  // namespace

std::string plan_files::find(std::string_view path) const {
  if (access_ == file_access::none)
    fail(errc::nac_plan_path, in_quotes(path) + ": no files are allowed");
  if (path.empty() || path.find('\0') != path.npos) fail(errc::nac_plan_path, in_quotes(path));
  const fs::path folder = resolved(folder_, folder_);
  const fs::path given = folder / fs::path(path);  // an absolute one stays as it is
  if (!given.has_filename() || given.filename() == "." || given.filename() == "..")
    fail(errc::nac_plan_path, in_quotes(path) + " names no file");
  const fs::path parent = resolved(given.parent_path(), path);
  fs::path file = parent / given.filename();
  std::error_code e;
  if (fs::is_symlink(fs::symlink_status(file, e))) file = resolved(file, path);
  if (access_ == file_access::folder &&
      std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first != folder.end())
    fail(errc::nac_plan_path, in_quotes(path));
  return file.string();
}

bool plan_files::is_same(const std::string& found, const std::string& other) noexcept {
  std::error_code e;
  return fs::equivalent(found, other, e) && !e;
}

io::content plan_files::read(const std::string& found, std::uint64_t max_bytes) const {
  std::error_code e;
  if (!fs::is_regular_file(found, e))
    fail(errc::nac_plan_file, in_quotes(found) + ": no such file");
  limits limit;
  limit.max_bytes = std::min(limit.max_bytes, max_bytes);
  io::expected<io::content> out = io::read_file(found, limit);
  if (!out) fail(errc::nac_plan_file, out.err().message());
  return *std::move(out);
}

tensor plan_files::read_npy(memory& room, const std::string& found) const {
  const io::content file = read(found, room.limit() - room.live());
  const io::expected<io::array> a = io::read_npy_array(file.view());
  if (!a) fail(errc::nac_plan_file, in_quotes(found) + ": " + a.err().message());
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
    return load(room, t.to, dims, {a->data.data(), a->data.size()});
  }
  fail(errc::nac_run_type,
       in_quotes(found) + " holds unsigned integers of " + std::to_string(a->type.size) + " bytes");
}

void plan_files::write(const std::string& found, std::string_view content, bool append) const {
  std::error_code e;
  const fs::file_status there = fs::status(found, e);
  if (fs::exists(there) && !fs::is_regular_file(there))
    fail(errc::nac_plan_file, in_quotes(found) + " isn't a regular file");
  if (!append) {
    const io::expected<io::done> wrote = io::write_file(found, as_bytes(content));
    if (!wrote) fail(errc::nac_plan_file, wrote.err().message());
    return;
  }
  std::FILE* const file = std::fopen(found.c_str(), "ab");
  const bool wrote =
      file != nullptr && std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const int why = errno;
  if (file == nullptr || std::fclose(file) != 0 || !wrote)
    fail(errc::nac_plan_file, in_quotes(found) + ": " + std::generic_category().message(why));
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
