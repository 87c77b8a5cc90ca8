// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "ark/ark.hpp"

#include "ark/verbs.hpp"

#include <utility>

namespace ark_test {

namespace ark = tessera::ark;

tessera::result<ark::model> read(std::string_view source, const tessera::limits& limit) {
  return ark::read(source, limit);
}

tessera::result<ark::program> verify(ark::model g, const ark::verify_options& options,
                                     ark::report* found, std::string_view source) {
  return ark::verify(std::move(g), options, found, source);
}

tessera::result<ark::world> verify_ranks(tessera::view<const ark::program*> ranks,
                                         const ark::verify_options& options, ark::report* found,
                                         tessera::view<std::string_view> sources) {
  return ark::verify_ranks(ranks, options, found, sources);
}

}  // namespace ark_test
