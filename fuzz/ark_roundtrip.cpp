// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ARK through read, write, canonicalise, convert and read again: texts are written as they were
// read, the canonical form is a fixpoint that Ids don't matter for, and a dialect that takes a graph
// keeps its operations.

#include <string>
#include <tessera/ark.hpp>
#include <tessera/core/bytes.hpp>

#include "mutate_json.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

// Members that nest as deep as limits allow are one level deeper under "Ops".
constexpr limits deep{.max_depth = 80};

/// The text of a graph in its own dialect; empty where there is none, which only D1a may say.
text written(const ark::model& g, bool pretty) {
  result<text> out = ark::write(g, {.to = g.form, .pretty = pretty});
  if (!out)
    fuzz::require(g.form == ark::dialect::d1a && out.error().code == errc::ark_dialect,
                  "what was read can be written in its own dialect");
  return out ? std::move(*out) : text();
}

ark::model again(const text& source) {
  const fuzz::exact copy(source);
  result<ark::model> g = ark::read(copy.text(), {.limit = deep});
  fuzz::require(static_cast<bool>(g), "what was written can be read");
  return std::move(*g);
}

/// What a listing says of operations, without arguments, nodes and edges.
std::string operations(const ark::model& g) {
  std::string all;
  for (const ark::node& n : g.nodes)
    for (const ark::op& o : ark::operations(g, n)) {
      (all += ark::type_name(g, o)) += ' ';
      all += ark::name(g, o);
      for (const std::uint32_t t : ark::uses(g, o)) {
        ((all += ' ') += std::to_string(g.tensors[t].id)) += '@';
        all += std::to_string(ark::buffer_of(g, t).id);
        for (const std::int64_t d : ark::layout_of(g, t).shape) (all += ',') += std::to_string(d);
      }
      all += '\n';
    }
  return all;
}

void check_texts(const ark::model& g) {
  for (const bool pretty : {false, true}) {
    const text one = written(g, pretty);
    if (one.empty()) return;
    const ark::model read = again(one);
    fuzz::require(operations(read) == operations(g), "writing keeps every operation");
    fuzz::require(read.form == g.form || pretty || !g.nodes.empty(), "the dialect shows");
    if (read.form == g.form)
      fuzz::require(written(read, pretty) == one, "a text is written as it was read");
  }
}

void check_canonical(const ark::model& g) {
  const ark::model once = ark::canonicalise(g);
  const text one = written(once, false);
  if (one.empty()) return;
  fuzz::require(written(ark::canonicalise(once), false) == one, "the canonical form is a fixpoint");
  const ark::model read = again(one);
  if (read.form == g.form)
    fuzz::require(written(ark::canonicalise(read), false) == one, "and reads as itself");
  // Other Ids, the same form.
  ark::model other = g;
  bool room = true;
  for (ark::tensor& t : other.tensors) room = room && t.id < (std::int64_t{1} << 60);
  for (ark::buffer& b : other.buffers) room = room && b.id < (std::int64_t{1} << 60);
  for (const ark::argument& a : other.arguments)
    room = room && a.type != ark::argument_type::offset;
  if (!room) return;
  for (ark::tensor& t : other.tensors) t.id = 3 * t.id + 7;
  for (ark::buffer& b : other.buffers) b.id = 5 * b.id + 1;
  fuzz::require(written(ark::canonicalise(other), false) == one, "Ids don't matter");
}

void check_dialects(const ark::model& g) {
  for (const ark::dialect_row& row : ark::dialect_table) {
    const result<ark::model> c = ark::convert(g, row.which);
    if (!c) {
      const errc e = c.error().code;
      fuzz::require(e == errc::ark_dialect || e == errc::ark_g01_node_id ||
                        e == errc::ark_g03_edge_target || e == errc::ark_g05_self_edge ||
                        e == errc::ark_o03_arity || e == errc::ark_o12_matmul,
                    "a conversion is refused for its own reasons");
      continue;
    }
    fuzz::require(ark::in_dialect(*c), "what was converted fits its dialect");
    fuzz::require(c->form == row.which, "a conversion ends in its dialect");
    fuzz::require(ark::check(*c) == error{}, "a conversion gives a graph");
    fuzz::require(operations(*c) == operations(g), "a conversion keeps every operation");
    const result<text> out = ark::write(*c, {.to = row.which, .pretty = false});
    fuzz::require(static_cast<bool>(out), "what was converted can be written");
    fuzz::require(operations(again(*out)) == operations(g), "and read again");
    const result<text> direct = ark::write(g, {.to = row.which, .pretty = false});
    fuzz::require(direct && *direct == *out, "write() converts as convert() does");
  }
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  const result<ark::model> g = ark::read(source);
  if (!g) return 0;
  fuzz::turns turn(source);
  if (turn.one_in(16)) check_texts(*g);
  if (turn.one_in(16)) check_canonical(*g);
  if (turn.one_in(32)) check_dialects(*g);
  return 0;
}
