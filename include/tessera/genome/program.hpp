// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What verification proves: a library is a registry whose ids, names and patterns hold together, and
// a program is a stream all of whose references mean something in a library.
//
//   auto library = genome::verify(std::move(*registry));           // genome/verify.hpp
//   auto program = genome::verify(std::move(*stream), *library);
//   library->operation(52);                    // "aten.linear.default:node_args(2):kwargs()"
//   library->flat_size(library->find_pattern(18));                 // nodes of its expansion
//
// A map whose reverse is missing is completed: a library's registry has both, or neither.
//
// Lifetime:   a library owns its registry; a program owns its stream and borrows its library.
// Errors:     none here.
// Limits:     none.
// Allocation: 4 bytes for each id from 0 to the highest of a map.

#ifndef TESSERA_GENOME_PROGRAM_HPP
#define TESSERA_GENOME_PROGRAM_HPP

#include <cstdint>
#include <string_view>
#include <utility>

#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/report.hpp"
#include "../core/result.hpp"
#include "../version.hpp"
#include "registry.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// How much is accepted, and how much is reported.
struct verify_options {
  limits limit = {};  ///< max_items: nodes of a stream, or of a pattern's expansion
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps; all are counted
};

namespace detail {
class library_maker;
}

/// A verified registry.
class library {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< no pattern

  /// The registry that was verified: borrowed from the library, or moved out of it.
  ///@{
  [[nodiscard]] const genome::registry& registry() const& noexcept { return registry_; }
  [[nodiscard]] genome::registry registry() && noexcept { return std::move(registry_); }
  ///@}

  /// The name of an operation or command by its A; empty where the registry has none.
  [[nodiscard]] std::string_view operation(std::uint32_t a) const& noexcept {
    return name(operations_, registry_.operation_ids, a);
  }
  /// The target in an operation's name, without looking through all of it.
  [[nodiscard]] std::string_view target(std::uint32_t a) const& noexcept {
    return operation(a).substr(0, a < target_sizes_.size() ? target_sizes_[a] : 0);
  }
  /// The text of a variation by its B; empty where the registry has none.
  [[nodiscard]] std::string_view variation(std::uint32_t b) const& noexcept {
    return name(variations_, registry_.variations, b);
  }
  /// The text of a constant group by its id; empty where the registry has none.
  [[nodiscard]] std::string_view group(std::uint32_t id) const& noexcept {
    return name(groups_, registry_.group_ids, id);
  }
  /// The name of a parameter by its id; empty where the registry has none.
  [[nodiscard]] std::string_view parameter(std::uint32_t id) const& noexcept {
    return name(parameters_, registry_.parameter_ids, id);
  }
  /// Null where the registry has none.
  [[nodiscard]] const genome::constant* constant(std::uint32_t id) const& noexcept;
  // What a temporary returns would dangle at the end of the statement.
  std::string_view operation(std::uint32_t) const&& = delete;
  std::string_view target(std::uint32_t) const&& = delete;
  std::string_view variation(std::uint32_t) const&& = delete;
  std::string_view group(std::uint32_t) const&& = delete;
  std::string_view parameter(std::uint32_t) const&& = delete;
  const genome::constant* constant(std::uint32_t) const&& = delete;
  /// The index of a pattern in registry().patterns, by its id; or none.
  [[nodiscard]] std::uint32_t find_pattern(std::uint32_t id) const noexcept {
    return at(patterns_, id);
  }
  /// How many nodes a pattern is, patterns inside of it expanded; a COPY counts as one.
  [[nodiscard]] std::uint32_t flat_size(std::uint32_t pattern_index) const noexcept {
    return flat_sizes_[pattern_index];
  }
  /// How many nodes before its own first one a pattern's references lead at most, in the numbering of
  /// its expansion: as many as must precede it where it is called.
  [[nodiscard]] std::uint64_t reach(std::uint32_t pattern_index) const noexcept {
    return reaches_[pattern_index];
  }
  /// Whether a pattern takes inputs of the graph, by a COPY of DATA_INPUTs outside of its blocks, or
  /// one inside of it does.
  [[nodiscard]] bool takes_inputs(std::uint32_t pattern_index) const noexcept {
    return takes_inputs_[pattern_index] != 0;
  }
  /// How many tensors an operation takes by its name; none where the name doesn't say.
  [[nodiscard]] std::uint32_t tensors(std::uint32_t a) const noexcept {
    return a < tensors_.size() ? tensors_[a] : none;
  }
  /// How many inputs a node has at least for a variation to name them.
  [[nodiscard]] std::uint32_t inputs_named(std::uint32_t b) const noexcept {
    return b < inputs_named_.size() ? inputs_named_[b] : 0;
  }

 private:
  friend class detail::library_maker;
  using places = pool<std::uint32_t>;  // by id: the index in the map, plus 1

  library() noexcept = default;
  [[nodiscard]] static std::uint32_t at(const places& p, std::uint32_t id) noexcept {
    return id < p.size() ? p[id] - 1 : none;  // 0 - 1 is none
  }
  [[nodiscard]] std::string_view name(const places& p, const pool<entry>& map,
                                      std::uint32_t id) const noexcept;

  genome::registry registry_;
  places operations_, variations_, groups_, parameters_, constants_, patterns_;
  pool<std::uint32_t> flat_sizes_;                             // by index of the pattern
  pool<std::uint64_t> reaches_;                                // the same
  pool<unsigned char> takes_inputs_;                           // the same
  pool<std::uint32_t> tensors_, target_sizes_, inputs_named_;  // by id
};

/// A verified stream.
class program {
 public:
  /// The stream that was verified: borrowed from the program, or moved out of it.
  ///@{
  [[nodiscard]] const genome::stream& stream() const& noexcept { return stream_; }
  [[nodiscard]] genome::stream stream() && noexcept { return std::move(stream_); }
  ///@}
  /// The library that it was verified with. Borrowed by the program.
  [[nodiscard]] const genome::library& library() const noexcept { return *library_; }

 private:
  friend result<program> verify(genome::stream, const genome::library&, const verify_options&,
                                report*);
  program(genome::stream s, const genome::library& l) noexcept
      : stream_(std::move(s)), library_(&l) {}

  genome::stream stream_;
  const genome::library* library_;
};

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/program.hpp"
#endif

#endif  // TESSERA_GENOME_PROGRAM_HPP
