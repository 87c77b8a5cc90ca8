// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What differs between two files, marked in the page of the later one.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/inspect/ark/describe.hpp"
#include "tessera/inspect/ark/diff.hpp"
#include "tessera/inspect/nac/diff.hpp"
#include "tessera/inspect/nem/diff.hpp"
#include "tessera/inspect/page_of.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

/// How many differences are among the facts of a page.
constexpr std::size_t most_facts = 200;
/// And in its text.
constexpr std::size_t most_marks = 5000;

/// What is different about the nodes of a page, by their ids, and what has no place in it.
class difference_marks {
 public:
  void fact(std::string key, std::string value) {
    facts_.push_back({std::move(key), std::move(value)});
  }
  void change(std::string id, std::string what) {
    changes_.emplace(std::move(id), std::move(what));
  }

  /// `items` are "instructions"; the other numbers are theirs.
  template <class Found>
  void apply(page& to, const Found& found, std::string_view items) {
    const std::size_t shown = std::min(facts_.size(), most_facts);
    std::move(facts_.begin(), facts_.begin() + static_cast<std::ptrdiff_t>(shown),
              std::back_inserter(to.facts));
    if (shown < facts_.size())
      to.facts.push_back({"and more", std::to_string(facts_.size() - shown) + " differences"});
    to.facts.push_back({std::string(items), std::to_string(found.changed) + " changed, " +
                                                std::to_string(found.added) + " added, " +
                                                std::to_string(found.removed) + " removed, " +
                                                std::to_string(found.unchanged) + " unchanged"});
    find_lines(to.listing);
    // What is inside of a block comes after it.
    for (std::size_t g = to.graphs.size(); g-- > 0;)
      for (std::size_t n = 0; n < to.graphs[g].nodes.size(); ++n) mark_node(to, g, n);
  }

  static void paint(picture::node& drawn, page::node& more, const std::string& what) {
    drawn.border = "#b03030";
    drawn.is_thick = true;
    more.rows.push_back({"difference", what});
  }

 private:
  void mark_node(page& p, std::size_t g, std::size_t n) const {
    picture::node& drawn = p.graphs[g].drawn.nodes[n];
    page::node& more = p.graphs[g].nodes[n];
    if (more.inner != page::none) {
      const auto& inside = p.graphs[more.inner].drawn.nodes;
      const auto count = std::count_if(inside.begin(), inside.end(), [this](const auto& i) {
        return changes_.find(i.id) != changes_.end();
      });
      if (count != 0) paint(drawn, more, std::to_string(count) + " inside");
      return;
    }
    const auto change = changes_.find(drawn.id);
    if (change == changes_.end()) return;
    paint(drawn, more, change->second);
    if (more.line != page::none && p.marks.size() < most_marks)
      p.marks.push_back(mark_at(more.line, p.listing, change->second));
  }

  void find_lines(std::string_view listing) {
    lines_.assign(1, 0);
    for (std::size_t at = listing.find('\n'); at != listing.npos; at = listing.find('\n', at + 1))
      lines_.push_back(at + 1);
  }
  /// The first word of a line, with a message.
  [[nodiscard]] page::mark mark_at(std::uint32_t line, std::string_view listing,
                                   const std::string& what) const {
    page::mark m{line, 0, 1, severity::note, what};
    if (line >= lines_.size()) return m;  // it was cut
    const std::string_view left = listing.substr(lines_[line]);
    const std::size_t first = std::min(left.find_first_not_of(' '), left.size());
    const std::size_t end = std::min(left.find_first_of(" \n", first), left.size());
    m.column = static_cast<std::uint32_t>(first);
    m.length = static_cast<std::uint32_t>(end - first);
    return m;
  }

  std::vector<page::row> facts_;
  std::map<std::string, std::string, std::less<>> changes_;
  std::vector<std::size_t> lines_;  // where they begin in the listing
};

[[nodiscard]] std::string text_of_pair(const std::string& before, const std::string& after) {
  return (before.empty() ? "nothing" : before) + " \xE2\x86\x92 " +
         (after.empty() ? "nothing" : after);
}
/// "changed: argument 2 1.5 -> 2.5; …"
template <class Part>
[[nodiscard]] std::string text_of_change(bool is_added, const std::vector<Part>& parts) {
  std::string out = is_added ? "added" : "changed";
  std::string_view between = ": ";
  for (const Part& part : parts) {
    out.append(between).append(part.what).append(" ").append(text_of_pair(part.before, part.after));
    between = "; ";
  }
  return out;
}

// ---- ARK

void mark_operations(page& p, const ark::model& before, const ark::model& after) {
  const graph_difference found = diff(before, after);
  difference_marks marks;
  for (const difference& d : found.model) marks.fact(d.what, text_of_pair(d.before, d.after));
  for (const op_difference& d : found.ops) {
    if (d.after == ark::none)
      marks.fact("removed", text_of_op(before, before.ops[d.before]));
    else
      marks.change("r0_op" + std::to_string(d.after),
                   text_of_change(d.before == ark::none, d.parts));
  }
  marks.apply(p, found, "operations");
}

// ---- NEM

/// The lines of a text in canonical layout, by what they are in print(), where comments are missing.
class printed_lines {
 public:
  explicit printed_lines(std::string_view source) {
    std::uint32_t number = 0;
    for (std::string_view left = source; !left.empty(); ++number)
      lines_[without_comment(next_line(left))].push_back(number);
    for (auto& [line, numbers] : lines_) std::reverse(numbers.begin(), numbers.end());
  }
  /// The number of a line of print(), each of which is asked for once, in their order; or none.
  [[nodiscard]] std::uint32_t take(std::string_view line) {
    const auto at = lines_.find(line);
    if (at == lines_.end() || at->second.empty()) return page::none;
    const std::uint32_t number = at->second.back();
    at->second.pop_back();
    return number;
  }
  [[nodiscard]] static std::string_view next_line(std::string_view& left) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    return line;
  }

 private:
  [[nodiscard]] static std::string_view without_comment(std::string_view line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (quote == 0 && line[i] == '#') {
        line = line.substr(0, i);
        break;
      }
      if (line[i] == '"' || line[i] == '\'')
        quote = quote == 0 ? line[i] : quote == line[i] ? 0 : quote;
    }
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    return line;
  }

  std::map<std::string_view, std::vector<std::uint32_t>> lines_;
};

class nem_difference {
 public:
  nem_difference(const nem::model& before, const nem::model& after, std::string_view source)
      : found_(diff(before, after)) {
    printed_lines all(source);
    const text listing = nem::print(after);
    for (std::string_view left = listing.view(); !left.empty();)
      lines_.push_back(all.take(printed_lines::next_line(left)));
  }

  void mark(page& p) const {
    difference_marks marks;
    std::map<std::uint32_t, std::string> changes;  // by line
    for (const statement_difference& s : found_.statements) {
      if (s.after.empty())
        marks.fact("removed", s.before);
      else
        mark_statement(p, s, changes);
    }
    marks.apply(p, found_, "statements");
    for (page::graph& g : p.graphs)
      for (std::size_t n = 0; n < g.nodes.size(); ++n)
        if (const auto at = changes.find(g.nodes[n].line); at != changes.end())
          difference_marks::paint(g.drawn.nodes[n], g.nodes[n], at->second);
  }

 private:
  void mark_statement(page& p, const statement_difference& s,
                      std::map<std::uint32_t, std::string>& changes) const {
    const std::string what = s.before.empty() ? "added" : "changed: was " + trimmed(s.before);
    std::uint32_t printed = s.line;
    for (std::string_view left = s.after; !left.empty(); ++printed) {
      const std::string_view line = printed_lines::next_line(left);
      const std::uint32_t number = printed < lines_.size() ? lines_[printed] : page::none;
      if (number == page::none) continue;
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      changes.emplace(number, what);
      if (printed == s.line && p.marks.size() < most_marks)
        p.marks.push_back({number, static_cast<std::uint32_t>(indent),
                           static_cast<std::uint32_t>(line.size() - indent), severity::note, what});
    }
  }
  [[nodiscard]] static std::string trimmed(std::string_view statement) {
    return std::string(
        statement.substr(std::min(statement.find_first_not_of(' '), statement.size())));
  }

  const program_difference found_;
  std::vector<std::uint32_t> lines_;  // of the source, by line of print()
};

}  // namespace

page page_of_difference(const lookup& before, const lookup& after,
                        const nac_view_options& options) {
  const file_difference found = diff(before, after);
  page p = page_of(after, options);
  difference_marks marks;
  for (const property_difference& d : found.properties)
    marks.fact(d.what, text_of_pair(d.before, d.after));
  for (const item_difference& d : found.items)
    marks.fact(d.name, !d.in_before     ? "added"
                       : !d.in_after    ? "removed"
                       : d.note.empty() ? "changed"
                                        : "changed: " + d.note);
  for (const instruction_difference& d : found.instructions) {
    const bool is_removed = d.after == lookup::none;
    const lookup& of = is_removed ? before : after;
    const std::uint32_t index = is_removed ? d.before : d.after;
    const std::string id = (d.training ? 't' : 'v') + std::to_string(index);
    if (is_removed)
      marks.fact("removed",
                 id + ' ' + of.operation((d.training ? of.training() : of.instructions())[index]));
    else
      marks.change(id, text_of_change(d.before == lookup::none, d.parts));
  }
  marks.apply(p, found, "instructions");
  return p;
}

page page_of_difference(const ark::model& before, const ark::model& after) {
  const ark::model* const ranks[] = {&after};
  page p = page_of(std::span<const ark::model* const>(ranks));
  mark_operations(p, before, after);
  return p;
}

page page_of_difference(const ark::plan& before, const ark::plan& after) {
  const ark::plan* const ranks[] = {&after};
  page p = page_of(std::span<const ark::plan* const>(ranks));
  mark_operations(p, plan_model(before), plan_model(after));
  return p;
}

page page_of_difference(const nem::model& before, const nem::program& after,
                        std::string_view source, const report* found) {
  page p = page_of(&after, source, found);
  nem_difference(before, after.model(), source).mark(p);
  return p;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
