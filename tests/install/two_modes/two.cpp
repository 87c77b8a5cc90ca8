// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The half in compiled mode.

#include <cstddef>
#include <string_view>
#include <tessera/alir.hpp>

std::size_t other_reads(std::string_view source);
std::size_t count_operations(const tessera::alir::model& model);

std::size_t other_reads(std::string_view source) {
  const auto model = tessera::alir::read_json(source);
  return model ? count_operations(*model) : 0;
}
std::size_t count_operations(const tessera::alir::model& model) { return model.ops.size(); }
