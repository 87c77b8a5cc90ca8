// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "ark/ark.hpp"

#include "ark/verbs.hpp"

#include <utility>

namespace ark_test {

namespace ark = tessera::ark;

tessera::result<ark::model> read(std::string_view source, const ark::read_options& options) {
  return ark::read(source, options);
}

tessera::result<ark::program> verify(ark::model m, const ark::verify_options& options,
                                     tessera::report* found) {
  return ark::verify(std::move(m), options, found);
}

tessera::result<ark::world> verify_ranks(tessera::view<const ark::program*> ranks,
                                         const ark::ranks_options& options,
                                         tessera::report* found) {
  return ark::verify_ranks(ranks, options, found);
}

}  // namespace ark_test
