// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The generative synthesis of section 1.2 of NAC's specification: networks that are drawn from the
// grammar of others, and run.
//
//   synthesizer draw(library);                             // of genome::verify, whose registry has rules
//   if (auto network = draw(seed)) { auto container = nac::write(network->parts); … }
//
//   nodes       one after another, each with a weight that is its transition's count: what follows the
//               last result, in the composition that is drawn by its count, with inputs as structures
//               name them. Results that nothing needs are left out in the end
//   shapes      inferred by running each node on random numbers, with the machine that runs the whole.
//               Weights get shapes that fit: rules don't have any
//   repair      where a node doesn't run: its constants are made to fit (sizes, groups, axes), or a
//               branch is grown again with weights of its own, so that an attention gets its keys and
//               values. Otherwise another node is drawn
//   weights     normal, by the square root of their fan-in; those of one axis uniform in [0.5, 1.5)
//   likelihood  of the nodes that were drawn: the logarithm of the shares of transition and composition,
//               mean of a node
//
// Lifetime:   borrows the library.
// Errors:     none: where nothing that fits is found within `attempts` and `max_steps`, there is no
//             network.
// Limits:     synthesis_options.
// Allocation: the results of one network, within max_memory.

#ifndef TESSERA_GENOME_SYNTHESIS_HPP
#define TESSERA_GENOME_SYNTHESIS_HPP

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "grammar.hpp"
#include "tessera/nac/parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct synthesis_options {
  std::uint32_t min_operations = 8, max_operations = 40;
  std::uint32_t max_width = 64;            ///< of weights' outputs
  std::vector<std::int64_t> input = {};    ///< its shape; empty: one that the first node takes
  std::uint64_t max_parameters = 1 << 20;  ///< elements of weights
  std::uint64_t max_macs = 1 << 28;    ///< products and sums of convolutions and matrix products
  std::uint64_t max_memory = 1 << 28;  ///< bytes, the peak of a run
  std::uint32_t attempts = 100;
  /// Elements touched while one network is looked for, in all attempts.
  std::uint64_t max_steps = std::uint64_t{1} << 33;
};

struct synthesized {
  nac::parts parts;  ///< owns everything
  std::vector<std::int64_t> input;
  nac::data_type input_type = nac::data_type::float32;
  std::uint32_t operations = 0, repaired = 0;
  std::uint64_t parameters = 0, macs = 0, peak_memory = 0;
  double log_likelihood = 0;  ///< mean of an operation
};

class synthesizer {
 public:
  explicit synthesizer(const genome::library& of, const synthesis_options& how = {});

  [[nodiscard]] bool has_rules() const noexcept { return !grammar_.empty(); }
  /// The network of a seed, which `accepts`.
  [[nodiscard]] std::optional<synthesized> operator()(
      std::uint64_t seed, const std::function<bool(const synthesized&)>& accepts = {}) const;

 private:
  const genome::library& library_;
  synthesis_options options_;
  grammar grammar_;
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_SYNTHESIS_HPP
