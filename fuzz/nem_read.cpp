// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// nem::read: for any text a tree or errors whose places are inside; a tree's nodes nest, each in the
// text of its parent, and its names, numbers and enumerators exist.

#include <tessera/nem.hpp>
#include <vector>

#include "require.hpp"

using namespace tessera;

namespace {

void require_tree(const nem::document& d, std::size_t size) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < d.nodes.size(); ++i) {
    const nem::node& n = d.nodes[i];
    while (!open.empty() && d.nodes[open.back()].next <= i) open.pop_back();
    fuzz::require(n.next > i && n.next <= d.nodes.size(), "children follow their node");
    fuzz::require(open.empty() || n.next <= d.nodes[open.back()].next,
                  "children end with their parent");
    fuzz::require(n.offset <= size && n.length <= size - n.offset, "a node lies in the source");
    if (nem::has_name(n.kind) && n.value != nem::no_name) {
      fuzz::require(n.value < d.names.size(), "a name is in the table");
      const nem::string s = d.names[n.value];
      fuzz::require(s.first <= d.characters.size() && s.size <= d.characters.size() - s.first,
                    "its characters are in the document");
    }
    if (n.kind == nem::node_kind::real)
      fuzz::require(n.value < d.reals.size(), "a real is in the table");
    if (n.kind == nem::node_kind::wide_integer)
      fuzz::require(n.value < d.integers.size() && d.integers[n.value] > 0xffffffff,
                    "a wide integer is in the table, and wide");
    if (n.next > i + 1) open.push_back(i);
  }
}

void require_report(const nem::report& found, std::size_t size) {
  for (const nem::diagnostic& d : found.diagnostics) {
    fuzz::require(
        d.where.file == 0 && d.where.offset <= size && d.where.length <= size - d.where.offset,
        "a finding lies in the source");
    fuzz::require(!nem::rule(d.code).id().empty() || d.code < errc::nem_lex_001_character,
                  "a finding is of a rule or of a limit");
    fuzz::require(d.text.size != 0, "a finding says something");
    if (d.has_fix)
      fuzz::require(d.fix.offset <= size && d.fix.length <= size - d.fix.offset,
                    "a fix lies in the source");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact source(fuzz::as_text(data, size));
  nem::report found;
  const result<nem::document> d = nem::read(source.text(), {}, &found);
  require_report(found, size);
  if (d) {
    fuzz::require(found.errors == 0, "a document has no errors");
    require_tree(*d, size);
  } else {
    fuzz::require_error(d.err(), size);
    fuzz::require(found.errors != 0 && found.errors <= nem::read_options{}.max_errors,
                  "what isn't a document has errors, but not too many");
  }
  const nem::source_file file{"input", source.text()};
  const nem::listing list(found, {&file, 1});
  for (const nem::diagnostic& x : found.diagnostics)
    fuzz::require(!list.describe(x).empty(), "a finding can be shown");
  return 0;
}
