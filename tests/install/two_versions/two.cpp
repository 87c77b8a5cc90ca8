// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera_alir.hpp"

#include <string_view>

const char* other_version();
bool other_reads(std::string_view source);

const char* other_version() { return TESSERA_VERSION_STRING; }
bool other_reads(std::string_view source) {
  auto model = tessera::alir::read_json(source);
  return static_cast<bool>(model);
}
