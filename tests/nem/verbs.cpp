// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "nem/verbs.hpp"

#include <utility>

namespace nem_test {

namespace nem = tessera::nem;

tessera::result<nem::model> read(std::string_view source, const nem::read_options& options,
                                 tessera::report* found) {
  return nem::read(source, options, found);
}

tessera::result<nem::program> verify(nem::model d, const nem::verify_options& options,
                                     tessera::report* found) {
  return nem::verify(std::move(d), options, found);
}

}  // namespace nem_test
