// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Where the files lie that a NEM file includes: beside it, or in folders that were named.
//
//   find_include(folders, "devices/npu.nem", false, why, [&](const std::string& id, const fs::path& path) {
//     return open(id, path);            // false: the next folder
//   });
//
// Lifetime:   values.
// Errors:     `why`, in words.
// Limits:     none.
// Allocation: the paths.

#ifndef TESSERA_CLI_NEM_INCLUDES_HPP
#define TESSERA_CLI_NEM_INCLUDES_HPP

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// A file's path without links, the same however it is named: nem::resolver::file::id.
[[nodiscard]] std::string include_id(const std::filesystem::path& path);

/// Calls `accept` with the id and the path that an include leads to from each folder, until it returns
/// true. Files outside of all folders are left out, and `why` says so, unless they may be `anywhere`.
bool find_include(
    const std::vector<std::filesystem::path>& folders, std::string_view path, bool anywhere,
    std::string& why,
    const std::function<bool(const std::string& id, const std::filesystem::path& path)>& accept);

/// A device as --device names it: by its name, or by a file and perhaps a name, FILE:NAME.
struct named_device {
  std::string file, name;
};
[[nodiscard]] named_device device_of(const std::string& option);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_NEM_INCLUDES_HPP
