// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/diff.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../sequence_match.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

[[nodiscard]] std::size_t indent_of(std::string_view line) noexcept {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// Statements with the lines that continue them, which are indented by four more; `lines` has the first
/// line of each.
[[nodiscard]] std::vector<std::string> statements_of(const nem::model& m,
                                                     std::vector<std::uint32_t>& lines) {
  constexpr std::size_t continued = 4;
  std::vector<std::string> out;
  std::size_t indent = 0;
  std::uint32_t number = 0;
  const text listing = nem::print(m);
  for (std::string_view left = listing.view(); !left.empty(); ++number) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    if (indent_of(line) == line.size()) continue;
    if (!out.empty() && indent_of(line) >= indent + continued) {
      out.back().append("\n").append(line);
      continue;
    }
    indent = indent_of(line);
    out.emplace_back(line);
    lines.push_back(number);
  }
  return out;
}

/// What a statement declares: "buffer x", "let x", "t0 =". Others are their first line.
[[nodiscard]] std::string_view name_of(std::string_view statement) noexcept {
  statement = statement.substr(0, statement.find('\n'));
  const std::size_t start = indent_of(statement);
  const std::size_t first = statement.find(' ', start);
  const std::size_t second = first == statement.npos ? first : statement.find(' ', first + 1);
  return statement.substr(0, second);
}

/// Adds the statements between two matches.
void add_gap(program_difference& out, std::vector<std::string>& a, std::size_t a_first,
             std::size_t a_last, std::vector<std::string>& b, std::size_t b_first,
             std::size_t b_last, const std::vector<std::uint32_t>& lines) {
  std::unordered_map<std::string, std::size_t> added;  // by name, the first
  for (std::size_t j = b_last; j-- > b_first;) added[std::string(name_of(b[j]))] = j;
  std::size_t next = b_first;
  const auto add_until = [&](std::size_t end) {
    for (; next < end; ++next)
      out.statements.push_back({"", std::move(b[next]), lines[next]}), ++out.added;
  };
  for (std::size_t i = a_first; i < a_last; ++i) {
    const auto at = added.find(std::string(name_of(a[i])));
    if (at == added.end() || at->second < next) {
      out.statements.push_back({std::move(a[i]), "", statement_difference::none});
      ++out.removed;
      continue;
    }
    const std::size_t partner = at->second;
    added.erase(at);
    for (std::size_t j = next; j < partner; ++j) {
      const auto known = added.find(std::string(name_of(b[j])));
      if (known != added.end() && known->second == j) added.erase(known);
    }
    add_until(partner);
    out.statements.push_back({std::move(a[i]), std::move(b[partner]), lines[partner]});
    ++out.changed;
    next = partner + 1;
  }
  added.clear();
  add_until(b_last);
}

}  // namespace

program_difference diff(const nem::model& before, const nem::model& after) {
  std::vector<std::uint32_t> lines, unused;
  std::vector<std::string> a = statements_of(before, unused), b = statements_of(after, lines);
  const std::vector<std::string_view> a_views(a.begin(), a.end()), b_views(b.begin(), b.end());
  using matcher = sequence_matcher<std::string_view>;
  const std::vector<std::size_t> partner = matcher(a_views, b_views).run();
  program_difference out;
  std::size_t i = 0, j = 0;
  for (std::size_t k = 0; k <= a.size(); ++k) {
    if (k < a.size() && partner[k] == matcher::none) continue;
    const std::size_t to = k < a.size() ? partner[k] : b.size();
    add_gap(out, a, i, k, b, j, to, lines);
    if (k < a.size()) ++out.unchanged;
    i = k + 1;
    j = to + 1;
  }
  return out;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
