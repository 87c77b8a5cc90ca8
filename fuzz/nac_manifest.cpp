// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A tokenizer's manifest, and an orchestrator's bytecode, of any bytes: verification ends at a place
// inside; what verifies is written instruction by instruction as the same bytes; both are printed, and
// the container with that manifest is assembled from its text again.

#include <cstring>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/nac/all.hpp>
#include <vector>

#include "require.hpp"

using namespace tessera;

namespace {

[[nodiscard]] bool same(bytes a, bytes b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

template <class Item, class Reader>
[[nodiscard]] std::vector<Item> all_of(Reader in) {
  std::vector<Item> out;
  for (Item item; in.next(item);) out.push_back(item);
  return out;
}

void write(nac::manifest_writer& to, const nac::tokenizer_instruction& i) {
  switch (i.op()) {
    case nac::tokenizer_op::lowercase: return to.lowercase();
    case nac::tokenizer_op::unicode_norm: return to.unicode_norm(i.first_string());
    case nac::tokenizer_op::replace: return to.replace(i.first_string(), i.second_string());
    case nac::tokenizer_op::filter_category: {
      const auto names = all_of<std::string_view>(nac::category_reader(i));
      return to.filter_category({names.data(), names.size()});
    }
    case nac::tokenizer_op::prepend: return to.prepend(i.first_string());
    case nac::tokenizer_op::partition_rules: {
      const auto rules = all_of<nac::partition_rule>(nac::rule_reader(i));
      return to.partition_rules({rules.data(), rules.size()});
    }
    case nac::tokenizer_op::byte_encode: return to.byte_encode();
    case nac::tokenizer_op::bpe_encode:
      return i.payload.empty() ? to.bpe_encode() : to.bpe_encode(i.first_string());
    case nac::tokenizer_op::wordpiece_encode: return to.wordpiece_encode(i.first_string());
    case nac::tokenizer_op::unigram_encode: return to.unigram_encode();
    case nac::tokenizer_op::compose: {
      const auto items = all_of<nac::compose_item>(nac::item_reader(i));
      return to.compose({items.data(), items.size()});
    }
  }
  to.raw(i.opcode, i.payload);
}

void check_manifest(bytes source) {
  report found;
  const error e = nac::verify_manifest(source, 0, &found);
  fuzz::require(nac::verify_manifest(source, 0) == e, "without a report it is the same");
  fuzz::require(e.code == errc::ok || e.offset <= source.size(), "an error is inside");
  for (const diagnostic& d : found.diagnostics)
    fuzz::require(d.where.offset <= source.size(), "a finding is inside");
  nac::manifest_reader in(source);
  nac::manifest_writer typed(in.version()), raw(in.version());
  for (nac::tokenizer_instruction i; in.next(i);) {
    write(typed, i);
    raw.raw(i.opcode, i.payload);
  }
  fuzz::require(in.offset() <= source.size(), "instructions are inside");
  if (in.error().code != errc::ok) return;
  if (source.size() >= 5) fuzz::require(same(raw.view(), source), "instructions fill a manifest");
  if (e.code == errc::ok)
    fuzz::require(same(typed.view(), source), "what verifies is written as it was read");
}

/// Instructions follow each other up to the end, or to the first bytes that are none.
void check_plan(bytes source, bool writes) {
  nac::plan_reader in(source);
  std::uint64_t end = 0;
  for (nac::plan_instruction i; in.next(i);) {
    fuzz::require(i.offset == end && in.offset() > end, "instructions follow each other");
    end = in.offset();
  }
  fuzz::require(end <= source.size(), "instructions are inside");
  if (in.error().code == errc::ok) fuzz::require(end == source.size(), "and fill the code");
  if (!writes) return;
  nac::parts p;
  nac::plan_writer w(p);
  const std::uint16_t id = w.string(as_text(source));
  w.emit(nac::plan_op::src_constant, {0, id});
  fuzz::require(w.finish().code == errc::ok, "an instruction can be written");
  const nac::constant_part& c = p.plan_constants[0];
  fuzz::require(c.id == id && p.string(c.values) == as_text(source), "a constant is kept");
}

/// A manifest and bytecode are printed and assembled as they are.
void check_text(bytes source) {
  nac::parts p;
  p.has_manifest = true;
  p.manifest = p.plan = nac::parts::borrow(source);
  const result<pool<std::byte>> first = nac::write(p);
  if (!first) return;
  const bytes container(first->data(), first->size());
  const result<nac::model> file = nac::read(container);
  fuzz::require(static_cast<bool>(file), "any manifest can be in a container");
  const error e = nac::verify_execution_plan(*file);
  fuzz::require(e.code == errc::ok || e.offset <= container.size(), "an error of a plan is inside");
  text manifest, plan;
  nac::print_manifest(manifest, source);
  nac::print_execution_plan(plan, source, {});
  const text listing = nac::print(*file);
  fuzz::require(listing.view().find(manifest.view()) != std::string_view::npos,
                "a listing has the manifest's");
  result<nac::parts> again = nac::assemble(listing.view());
  fuzz::require(static_cast<bool>(again), "what is printed can be assembled");
  const result<pool<std::byte>> second = nac::write(*again);
  fuzz::require(second && same({second->data(), second->size()}, container), "to the same bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact memory(fuzz::as_text(data, size));
  fuzz::turns turn(memory.text());
  if (turn.one_in(2)) check_manifest(memory.bytes());
  check_plan(memory.bytes(), turn.one_in(16));
  if (turn.one_in(64)) check_text(memory.bytes());
  return 0;
}
