// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// genome::read_registry, and all that takes an unproven registry: for any text a value or an error
// with an offset inside; no proper prefix of a registry is one; what is written reads as the same and
// is written as the same; a library says no less than its registry.

#include <string>
#include <tessera/core/bytes.hpp>
#include <tessera/core/describe.hpp>
#include <tessera/genome.hpp>

#include "mutate_json.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

/// Lower limits refuse more, change nothing about what they accept, and hide no other error.
void check_limits(std::string_view source, const result<genome::registry>& r) {
  const result<genome::registry> low =
      genome::read_registry(source, {.limit = {.max_items = 4, .max_depth = 6}});
  if (low) {
    fuzz::require(r && *low == *r, "what lower limits accept reads the same");
    return;
  }
  fuzz::require_error(low.error(), source.size());
  const errc code = low.error().code;
  if (code == errc::too_many_items || code == errc::json_depth) return;
  fuzz::require(low.error() == r.error(), "lower limits add only errors of their own");
}

void check_prefix(std::string_view source) {
  const std::size_t kept = fuzz::below(source, source.size());
  if (source.find_first_not_of(" \t\r\n", kept) == std::string_view::npos) return;
  const fuzz::exact prefix(source.substr(0, kept));
  const result<genome::registry> r = genome::read_registry(prefix.text());
  fuzz::require(!r, "a proper prefix is an error");
  fuzz::require_error(r.error(), kept);
}

/// Writes a registry and reads it again; the text that was written.
text check_written(const genome::registry& r) {
  result<text> json = genome::write_registry(r);
  fuzz::require(static_cast<bool>(json), "what was read can be written");
  const result<genome::registry> again = genome::read_registry(*json);
  fuzz::require(again && *again == r, "what was written reads the same");
  const result<text> twice = genome::write_registry(*again);
  fuzz::require(twice && twice->view() == json->view(), "there is one form");
  return std::move(*json);
}

/// All that a library says of ids, and the nodes of its patterns as a stream of their own.
void check_library(const genome::library& l) {
  const text json = check_written(l.registry());
  result<genome::registry> again = genome::read_registry(json);
  fuzz::require(static_cast<bool>(genome::verify(std::move(*again))),
                "what was proven once is proven when it was written");
  fuzz::require(!genome::print(l).empty(), "every library can be printed");
  const genome::registry& r = l.registry();
  fuzz::require(
      r.groups.size() == r.group_ids.size() && r.parameters.size() == r.parameter_ids.size(),
      "maps and their reverse are both there");
  for (std::uint32_t id = 0; id < 300; ++id) {
    fuzz::require(l.tensors(id) == genome::library::none || !l.operation(id).empty(),
                  "what has tensors has a name");
  }
  for (std::uint32_t i = 0; i < r.patterns.size(); ++i) {
    fuzz::require(l.find_pattern(r.patterns[i].id) == i, "a pattern is found by its id");
    fuzz::require(l.flat_size(i) != 0, "a pattern has nodes");
    genome::stream s;
    const genome::stream_view nodes = r.nodes_of(r.patterns[i]);
    for (std::size_t k = 0; k < nodes.size(); ++k) s.add(nodes.nodes[k], nodes.inputs_of(k));
    const std::uint64_t size = genome::offset_of(s, s.size());
    const result<genome::program> p = genome::verify(std::move(s), l);
    if (!p) {
      fuzz::require_error(p.error(), static_cast<std::size_t>(size));
      continue;
    }
    (void)genome::print(*p);
    if (const auto flat = genome::expand(*p, {.limit = {.max_items = 1 << 12}}); !flat)
      fuzz::require_error(flat.error(), static_cast<std::size_t>(size));
  }
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact copy(fuzz::as_text(data, size));
  const std::string_view source = copy.text();
  fuzz::turns turn(source);
  result<genome::registry> r = genome::read_registry(source);
  if (turn.one_in(16)) check_limits(source, r);
  if (!r) {
    fuzz::require_error(r.error(), size);
    if (turn.one_in(16))
      fuzz::require(!describe(r.error(), source).empty(), "every error can be described");
    return 0;
  }
  if (turn.one_in(16)) check_prefix(source);
  if (turn.one_in(32)) (void)check_written(*r);
  if (!turn.one_in(4)) return 0;
  report found;
  const result<genome::library> l =
      genome::verify(std::move(*r), {.limit = {.max_items = 1 << 20}}, &found);
  fuzz::require_report(found, l.error(), {"fuzz", source});
  if (!l) {
    fuzz::require_error(l.error(), size);
    fuzz::require(!describe(l.error(), source).empty(), "every error can be described");
    return 0;
  }
  if (turn.one_in(8)) check_library(*l);
  return 0;
}
