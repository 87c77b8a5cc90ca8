// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "nem_includes.hpp"

#include <algorithm>
#include <system_error>

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

namespace fs = std::filesystem;

[[nodiscard]] bool is_inside(const std::vector<fs::path>& folders, const std::string& id) {
  return std::any_of(folders.begin(), folders.end(), [&id](const fs::path& folder) {
    const fs::path outer = include_id(folder.empty() ? fs::path(".") : folder), inner = id;
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first ==
           outer.end();
  });
}

}  // namespace

std::string include_id(const fs::path& path) {
  std::error_code unknown;
  fs::path id = fs::weakly_canonical(fs::absolute(path, unknown), unknown);
  return (unknown ? path : id).string();
}

bool find_include(const std::vector<fs::path>& folders, std::string_view path, bool anywhere,
                  std::string& why,
                  const std::function<bool(const std::string& id, const fs::path& path)>& accept) {
  why.clear();
  for (const fs::path& folder : folders) {
    const fs::path candidate = folder / fs::path(path);
    const std::string id = include_id(candidate);
    if (!anywhere && !is_inside(folders, id)) {
      why =
          "it is outside the file's folder and those of -I; --allow-includes-anywhere "
          "permits it";
      continue;
    }
    if (accept(id, candidate)) return true;
  }
  return false;
}

named_device device_of(const std::string& option) {
  const auto is_name = [](std::string_view s) {
    return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    });
  };
  if (option.empty() || is_name(option)) return {"", option};
  const std::size_t colon = option.rfind(':');
  if (colon != option.npos && colon != 0 && is_name(std::string_view(option).substr(colon + 1)))
    return {option.substr(0, colon), option.substr(colon + 1)};
  return {option, ""};
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
