// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "failure.hpp"

#include <cerrno>
#include <system_error>

namespace tessera::inline TESSERA_ABI {
namespace io {

std::string failure::message() const {
  std::string out = path == "-" ? "<stdin>" : path;
  if (!out.empty()) out += ": ";
  out += what;
  if (error_number != 0) out += ": " + std::generic_category().message(error_number);
  return out;
}

failure system_failure(std::string_view path, std::string what) {
  const int error_number = errno;
  return {fault::system, std::move(what), error_number, std::string(path)};
}

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI
