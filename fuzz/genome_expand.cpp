// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// genome::expand and compress: what verifies expands to a graph without patterns and copies, or to an
// error that names a node; compressed and expanded again it is the same graph, however often, and so
// it is with all the patterns of one node that the library lacks.
//
// The input is patterns and a stream over one registry: each pattern a byte with how many bytes of
// nodes follow, up to a byte of 0; the stream is the rest. Pattern k has id 10 + k.

#include <string>
#include <tessera/core/bytes.hpp>
#include <tessera/genome.hpp>
#include <tessera/genome/verify.hpp>
#include <utility>

#include "require.hpp"

using namespace tessera;

namespace {

constexpr limits small = {.max_items = 20000};

/// Operations and all else that nodes can name. Few, because each input's library is verified.
[[nodiscard]] genome::registry names() {
  genome::registry r;
  for (std::uint32_t i = 10; i < 30; ++i)
    r.add_operation(i, "op" + std::to_string(i) + ":node_args(255):kwargs()");
  for (std::uint32_t i = 10; i < 14; ++i) {
    const std::string id = std::to_string(i);
    r.add_constant(i, "int", id);
    r.add_group(i, "arg1=10;arg2=" + id);
    r.add_parameter(i, "p" + id);
  }
  r.add_variation(10, "in0");
  r.add_variation(11, "in0,in1");
  return r;
}

[[nodiscard]] genome::registry patterns_of(bytes& rest) {
  static const genome::registry all_names = names();
  genome::registry r = all_names;
  for (std::uint32_t id = 10; !rest.empty(); ++id) {
    const std::size_t size = static_cast<std::size_t>(rest[0]);
    rest = rest.subspan(1);
    if (size == 0) break;
    const bytes nodes = rest.first(size < rest.size() ? size : rest.size());
    rest = rest.subspan(nodes.size());
    const result<genome::stream> pattern =
        genome::read(nodes, {.encoding = genome::encoding::bytes});
    if (pattern) r.add_pattern(id, *pattern);
  }
  return r;
}

void check_flat(const genome::stream_view& flat, bool copies) {
  fuzz::require(flat.size() <= small.max_items && flat.inputs.size() <= small.max_items,
                "an expansion keeps its limits");
  for (const genome::node& n : flat.nodes)
    fuzz::require(
        n.what() != genome::command::pattern && (n.what() != genome::command::copy || !copies),
        "a flat graph has neither patterns nor copies");
}

/// With the patterns of one node that are missing, no match is lost for the lack of them.
void check_missing(const genome::program& q, const genome::library& l,
                   const genome::expand_options& how) {
  const result<genome::missing_patterns> m = genome::compressor(l, how).missing(q);
  fuzz::require(m && m->saved.size() == m->nodes.size(), "what is missing is known");
  if (m->nodes.size() == 0) return;
  genome::registry r = l.registry();
  std::uint32_t id = 5000;
  const genome::stream_view nodes = m->nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    fuzz::require(m->saved[i] > 0, "a missing pattern would save something");
    genome::stream one;
    one.add(nodes.nodes[i], nodes.inputs_of(i));
    r.add_pattern(id++, one);
  }
  const result<genome::library> grown = genome::verify(std::move(r), {.limit = small});
  fuzz::require(static_cast<bool>(grown), "a missing pattern verifies");
  const result<genome::program> p = genome::verify(genome::stream(q.stream()), *grown);
  fuzz::require(static_cast<bool>(p), "a graph verifies with more patterns");
  const genome::compressor patterns(*grown, how);
  result<genome::stream> packed = patterns.run(*p);
  fuzz::require(static_cast<bool>(packed), "a flat graph can be compressed with more patterns");
  std::uint64_t written_out = 0;  // up to so many, all patterns count
  for (std::uint32_t i = 0; i < grown->registry().patterns.size(); ++i)
    written_out += grown->flat_size(i);
  if (written_out <= 65536) {
    const result<genome::missing_patterns> none = patterns.missing(*p);
    fuzz::require(none && none->nodes.size() == 0, "once they are there, none is missing");
    std::size_t used = 0;
    for (const genome::node& n : packed->nodes)
      used += n.what() == genome::command::pattern && n.pattern_id() >= 5000;
    fuzz::require(used == nodes.size(), "each of them is used");
  }
  const result<genome::program> s = genome::verify(std::move(*packed), *grown);
  fuzz::require(static_cast<bool>(s), "a graph compressed with more patterns verifies");
  const result<genome::stream> again = genome::expand(*s, how);
  fuzz::require(again && *again == q.stream(), "and expands to what it was");
}

/// Compressing and expanding give what was there.
void check_round_trip(const genome::program& p, const genome::library& l, fuzz::turns& turn) {
  const genome::pattern_result first_node[] = {{10, 0}};
  const bool has_pattern = l.find_pattern(10) != genome::library::none;
  const genome::expand_options all[] = {
      {.limit = small},
      {.copies = false, .limit = small},
      {.results = {first_node, has_pattern ? std::size_t{1} : 0}, .limit = small}};
  for (const genome::expand_options& how : all) {
    if (!turn.one_in(3)) continue;
    result<genome::stream> flat = genome::expand(p, how);
    if (!flat) {
      const errc e = flat.error().code;
      fuzz::require(e == errc::genome_expansion_size || e == errc::genome_pattern_order ||
                        e == errc::genome_reference_external,
                    "an expansion fails in a way that is listed");
      fuzz::require_error(flat.error(), offset_of(p.stream(), p.stream().size()));
      continue;
    }
    check_flat(*flat, how.copies);
    genome::stream kept = *flat;
    const result<genome::program> q = genome::verify(std::move(*flat), l);
    if (!q) {  // in what can't be seen before: a node takes a pattern for several of its inputs
      const errc e = q.error().code;
      fuzz::require(e == errc::genome_variation_inputs || e == errc::genome_input_count,
                    "a flat graph verifies");
      continue;
    }
    if (turn.one_in(16)) check_missing(*q, l, how);
    if (!turn.one_in(4)) continue;
    const result<genome::stream> same = genome::expand(*q, how);
    fuzz::require(same && *same == kept, "a flat graph is its own expansion");
    result<genome::stream> packed = genome::compress(*q, how);
    fuzz::require(static_cast<bool>(packed), "a flat graph can be compressed");
    fuzz::require(packed->size() <= kept.size(), "compressing adds no nodes");
    const genome::stream first = *packed;
    const result<genome::program> s = genome::verify(std::move(*packed), l);
    fuzz::require(static_cast<bool>(s), "a compressed graph verifies");
    const result<genome::stream> again = genome::expand(*s, how);
    fuzz::require(again && *again == kept, "a compressed graph expands to what it was");
    const result<genome::stream> twice = genome::compress(*s, how);
    fuzz::require(twice && *twice == first, "compressing is deterministic");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact source(fuzz::as_text(data, size));
  bytes rest = source.bytes();
  const result<genome::library> l = genome::verify(patterns_of(rest), {.limit = small});
  if (!l) return 0;
  result<genome::stream> s = genome::read(rest, {.encoding = genome::encoding::bytes});
  if (!s) return 0;
  const result<genome::program> p = genome::verify(std::move(*s), *l);
  fuzz::turns turn(source.text());
  if (p) check_round_trip(*p, *l, turn);
  return 0;
}
