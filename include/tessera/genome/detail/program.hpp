// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/program.hpp.

#ifndef TESSERA_GENOME_DETAIL_PROGRAM_HPP
#define TESSERA_GENOME_DETAIL_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/pool.hpp"
#include "../format.hpp"
#include "../program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

class library_maker;

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE const genome::constant* library::constant(std::uint32_t id) const& noexcept {
  const std::uint32_t i = at(constants_, id);
  return i == none ? nullptr : &registry_.constants[i];
}

TESSERA_INLINE std::string_view library::name(const places& p, const pool<entry>& map,
                                              std::uint32_t id) const noexcept {
  const std::uint32_t i = at(p, id);
  return i == none ? std::string_view{} : registry_.name_of(map[i]);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_PROGRAM_HPP
