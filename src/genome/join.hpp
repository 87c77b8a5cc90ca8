// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Streams of several registries joined into one: ids are only numbers; names are compared.
//
//   registry_join to(registry);                        // that of the patterns, say
//   error e = to.add(library, stream);                 // the stream now is one of `registry`
//
//   of a node         is equal when                         a new one gets
//   operation, A      the names are                         the next A
//   variation, B      the names are                         the next B
//   constant, C > 0   type and value are                    the next id
//   group, C < 0      keys and constants are                the next id
//   parameter         the names are                         the next id
//
// Lifetime:   the registry has to outlive this, and must not be changed by others meanwhile.
// Errors:     genome_operations_full, genome_ids_full, genome_pattern_unknown for a PATTERN, of which
//             other registries know nothing. The offset is the node's index; what was added until
//             then stays in the registry, the stream isn't to be used.
// Limits:     those of registries.
// Allocation: the names of the registry once more.

#ifndef TESSERA_GENOME_JOIN_HPP
#define TESSERA_GENOME_JOIN_HPP

#include <cstdint>

#include "registry_ids.hpp"
#include "tessera/genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

class registry_join {
 public:
  explicit registry_join(genome::registry& to) : ids_(to) {}
  /// `s` is flat, but that it may have COPYs, and verified in `from`.
  [[nodiscard]] error add(const genome::library& from, genome::stream& s);

 private:
  [[nodiscard]] optional_id constant(const genome::library& from, std::uint32_t id);
  [[nodiscard]] optional_id group(const genome::library& from, std::uint32_t id);
  /// A, B and C of an operation or of what a COPY repeats.
  [[nodiscard]] errc move(const genome::library& from, std::uint8_t& a, std::uint8_t& b,
                          std::int16_t& c);

  registry_ids ids_;
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_JOIN_HPP
