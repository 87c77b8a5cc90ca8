// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What changes a document: formatting, and the fixes of findings.

#include <algorithm>
#include <utility>

#include "lsp_server.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

failure server::formatting(const message& m, json::writer& to) {
  failure why;
  document* const d = find_document(m, why);
  if (d == nullptr) return why;
  if (!d->is_whole()) {  // its errors are shown
    to.null();
    return {};
  }
  const std::string_view before = d->text().view();
  const text formatted = nem::reformat(d->model(), before);
  const std::string_view after = formatted;
  to.begin_array();
  if (before != after) {
    // Whole lines, so that cursors elsewhere stay where they are.
    std::size_t first = 0, last = 0;
    const std::size_t shorter = std::min(before.size(), after.size());
    while (first < shorter && before[first] == after[first]) ++first;
    while (first != 0 && before[first - 1] != '\n') --first;
    while (last < shorter - first &&
           before[before.size() - 1 - last] == after[after.size() - 1 - last])
      ++last;
    while (last != 0 && before[before.size() - last - 1] != '\n') --last;
    to.begin_object().key("range");
    write_range(to, d->text(), first, before.size() - last);
    to.key("newText").string(utf8(after.substr(first, after.size() - last - first))).end();
  }
  to.end();
  return {};
}

failure server::actions(const message& m, json::writer& to) {
  failure why;
  document* const d = find_document(m, why);
  if (d == nullptr) return why;
  const auto [first, last] = range_of(m, *d);
  const std::vector<std::string> only = m.texts(field::only);
  const bool is_wanted = only.empty() || std::any_of(only.begin(), only.end(), [](const auto& k) {
                           return k.empty() || k == "quickfix";
                         });
  to.begin_array();
  const tessera::report& found = d->report();
  for (const diagnostic& x : found.diagnostics) {
    if (!has_actions_ || !is_wanted || !x.has_fix || x.fix.file != 0 || x.where.file != 0) continue;
    const std::uint64_t end =
        std::max(x.where.offset + x.where.length, x.fix.offset + x.fix.length);
    if (std::min(x.where.offset, x.fix.offset) > last || end < first) continue;
    const std::string_view replacement = found.text_of(x.replacement);
    const std::string_view old = d->text().view().substr(
        std::min<std::size_t>(static_cast<std::size_t>(x.fix.offset), d->text().view().size()),
        x.fix.length);
    std::string title = old.empty() ? "Insert '" + utf8(replacement) + "'"
                        : replacement.empty()
                            ? "Remove '" + utf8(old) + "'"
                            : "Replace '" + utf8(old) + "' with '" + utf8(replacement) + "'";
    to.begin_object().key("title").string(title).key("kind").string("quickfix");
    to.key("isPreferred").boolean(true).key("diagnostics").begin_array();
    write_finding(to, *d, found, x);
    to.end().key("edit").begin_object().key("changes").begin_object().key(d->uri()).begin_array();
    to.begin_object().key("range");
    write_range(to, d->text(), x.fix.offset, x.fix.offset + x.fix.length);
    to.key("newText").string(utf8(replacement)).end().end().end().end().end();
  }
  to.end();
  return {};
}

}  // namespace cli::lsp
}  // namespace tessera::inline TESSERA_ABI
