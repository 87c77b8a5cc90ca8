// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Networks by the rules of any registry: within their bounds, valid, and the same for the same seed.

#include <tessera/core/bytes.hpp>
#include <tessera/genome.hpp>
#include <tessera/nac/all.hpp>

#include "genome/synthesis.hpp"
#include "mutate_json.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

void check_again(const genomics::synthesizer& draw, std::uint64_t seed,
                 const std::optional<genomics::synthesized>& made) {
  const std::optional<genomics::synthesized> again = draw(seed);
  fuzz::require(made.has_value() == again.has_value(), "a seed gives one network");
  if (!made) return;
  const result<pool<std::byte>> one = nac::write(made->parts), other = nac::write(again->parts);
  fuzz::require(one && other && *one == *other, "with the same bytes");
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  result<genome::registry> r = genome::read_registry(source);
  if (!r || (r->transitions.empty() && r->compositions.empty())) return 0;
  const result<genome::library> l = genome::verify(std::move(*r));
  if (!l) return 0;
  genomics::synthesis_options how;
  how.min_operations = 2;
  how.max_operations = 8;
  how.max_width = 16;
  how.max_parameters = 1 << 14;
  how.max_macs = 1 << 20;
  how.max_memory = 1 << 22;
  how.attempts = 4;
  how.max_steps = 1 << 20;
  const genomics::synthesizer draw(*l, how);
  const std::uint64_t seed = fuzz::below(source, 1000);
  const std::optional<genomics::synthesized> made = draw(seed);
  fuzz::turns turn(source);
  if (turn.one_in(8)) check_again(draw, seed, made);
  if (!made) return 0;
  fuzz::require(made->operations >= how.min_operations && made->operations <= how.max_operations &&
                    made->parameters <= how.max_parameters && made->macs <= how.max_macs &&
                    made->peak_memory <= how.max_memory,
                "networks are within their bounds");
  if (!turn.one_in(4)) return 0;
  const result<pool<std::byte>> container = nac::write(made->parts);
  fuzz::require(static_cast<bool>(container), "networks can be written");
  const result<nac::model> model = nac::read(bytes(container->data(), container->size()));
  fuzz::require(model && nac::verify(*model), "networks are valid");
  return 0;
}
