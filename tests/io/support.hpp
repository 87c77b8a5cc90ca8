// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the tests of files share: a folder that goes away, and plain ways to fill it.

#ifndef TESSERA_TESTS_IO_SUPPORT_HPP
#define TESSERA_TESTS_IO_SUPPORT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <vector>

#include "io/file.hpp"

namespace tessera_tests {

/// A new, empty folder, which is removed with all that is in it.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-tests-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(std::string_view name) const {
    return (path_ / name).string();
  }
  [[nodiscard]] std::string path() const { return path_.string(); }
  /// The names in it, sorted.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::filesystem::path path_;
};

/// By way of the standard library, not of what is tested.
[[nodiscard]] inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
inline void spill(const std::string& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
}

[[nodiscard]] inline std::string data_path(std::string_view name) {
  return TESSERA_TESTS_IO_DATA + std::string(name);
}

[[nodiscard]] inline std::string string_of(tessera::bytes b) {
  return std::string(tessera::as_text(b));
}

/// The message of a failure, or "" for success.
template <class T>
[[nodiscard]] std::string message_of(const tessera::io::expected<T>& e) {
  return e ? std::string() : e.error().message();
}

}  // namespace tessera_tests

#endif  // TESSERA_TESTS_IO_SUPPORT_HPP
