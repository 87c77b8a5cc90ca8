// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// An archive, its import and the container that is written.

#ifndef TESSERA_TESTS_IMPORT_IMPORTED_HPP
#define TESSERA_TESTS_IMPORT_IMPORTED_HPP

#include <optional>
#include <string>

#include "io/compress.hpp"
#include "support/catch.hpp"
#include "tessera/nac/all.hpp"
#include "tessera/transform/import.hpp"

namespace import_tests {

using namespace tessera;

inline std::string data(const std::string& name) { return TESSERA_TESTS_DATA_DIR "/pt2/" + name; }

/// Everything that the container borrows from lives here.
class imported {
 public:
  explicit imported(const std::string& path, const transform::import_options& options = {}) {
    auto loaded = io::load(path);
    INFO(path);
    REQUIRE(loaded);
    file_ = std::move(*loaded);
    auto archive = pt2::read(file_.view());
    REQUIRE(archive);
    auto program = pt2::verify(std::move(*archive));
    REQUIRE(program);
    program_.emplace(std::move(*program));
    auto made = transform::import(*program_, options, &found);
    if (!made) return;
    auto container = nac::write(made->parts);
    INFO((container ? "" : std::string(container.error().name())));
    REQUIRE(container);
    container_ = std::move(*container);
    auto read = nac::read(bytes(container_.data(), container_.size()));
    REQUIRE(read);
    auto verified = nac::verify(*read);
    INFO((verified ? "" : std::string(verified.error().name())));
    REQUIRE(verified);
    nac_.emplace(std::move(*verified));
  }
  [[nodiscard]] explicit operator bool() const noexcept { return nac_.has_value(); }
  [[nodiscard]] const nac::program& program() const { return *nac_; }
  [[nodiscard]] bytes container() const { return {container_.data(), container_.size()}; }
  [[nodiscard]] const pt2::program& exported() const { return *program_; }

  report found;

 private:
  io::content file_;
  std::optional<pt2::program> program_;
  pool<std::byte> container_;
  std::optional<nac::program> nac_;
};

}  // namespace import_tests

#endif  // TESSERA_TESTS_IMPORT_IMPORTED_HPP
