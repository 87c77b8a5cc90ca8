// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/findings.hpp.

#ifndef TESSERA_ARK_DETAIL_FINDINGS_HPP
#define TESSERA_ARK_DETAIL_FINDINGS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/describe.hpp"
#include "../../core/error.hpp"
#include "../../core/json.hpp"
#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../diagnostic.hpp"
#include "../findings.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

enum class list : std::uint8_t { reads, writes, results, nothing };

inline constexpr std::string_view list_names[] = {"ReadTensors", "WriteTensors", "ResultTensors"};

/// A member, or an element of it.
struct below {
  std::string_view member;
  std::uint32_t index = none;
};

/// A value of a file: the root, a node, an operation, a use of a tensor, or a member below.
struct place {
  std::uint32_t file = 0;     // of several
  std::uint32_t node = none;  // in graph::nodes
  std::uint32_t op = none;    // among the node's
  detail::list list = detail::list::nothing;
  std::uint32_t use = 0;  // in the list
  below steps[6];
  std::uint32_t depth = 0;

  /// A member below, or an element of it.
  [[nodiscard]] place in(std::string_view member, std::uint32_t index = none) const noexcept {
    place p = *this;
    p.steps[p.depth++] = {member, index};
    return p;
  }
};

[[nodiscard]] inline place at_root() noexcept { return {}; }

[[nodiscard]] inline place at_node(std::uint32_t node) noexcept {
  place p;
  p.node = node;
  return p;
}

[[nodiscard]] inline place at_op(std::uint32_t node, std::uint32_t op) noexcept {
  place p = at_node(node);
  p.op = op;
  return p;
}

[[nodiscard]] inline place at_use(std::uint32_t node, std::uint32_t op, list l,
                                  std::uint32_t use) noexcept {
  place p = at_op(node, op);
  p.list = l;
  p.use = use;
  return p;
}

/// The same for a use counted over all three lists of an operation.
[[nodiscard]] inline place at_use(std::uint32_t node, std::uint32_t op, const ark::op& o,
                                  std::uint32_t use) noexcept {
  if (use < o.reads) return at_use(node, op, list::reads, use);
  if (use - o.reads < o.writes) return at_use(node, op, list::writes, use - o.reads);
  return at_use(node, op, list::results, use - o.reads - o.writes);
}

class findings {
 public:
  /// For some files and what is there of their texts.
  findings(view<const model*> graphs, view<std::string_view> sources, const verify_options& options,
           report* found)
      : graphs_(graphs), sources_(sources), options_(options), report_(found) {}
  findings(const findings&) = delete;
  findings& operator=(const findings&) = delete;

  /// One more finding. `words` writes the sentence; it runs only for what is kept.
  template <class Words>
  void add(errc code, severity s, const place& at, Words&& words) {
    if (report_ != nullptr) {
      ++(s == severity::error     ? report_->errors
         : s == severity::warning ? report_->warnings
                                  : report_->notes);
    }
    if (s == severity::error) ++errors_;
    const bool first = s == severity::error && error_.code == errc::ok;
    if (first) {
      error_ = {code, 0};
      first_place_ = {at.file, at.node, 0};
      append_path(first_path_, at);
    }
    if (report_ == nullptr || report_->diagnostics.size() >= options_.max_diagnostics ||
        report_->characters.size() > most_characters)
      return;
    diagnostic d;
    d.code = code;
    d.severity = s;
    d.file = at.file;
    text& out = report_->characters;
    d.path.first = static_cast<std::uint32_t>(out.size());
    append_path(out, at);
    d.path.size = static_cast<std::uint32_t>(out.size()) - d.path.first;
    d.text.first = static_cast<std::uint32_t>(out.size());
    words(out);
    d.text.size = static_cast<std::uint32_t>(out.size()) - d.text.first;
    pending_.push_back({at.file, at.node, static_cast<std::uint32_t>(report_->diagnostics.size())});
    report_->diagnostics.push_back(d);
  }
  /// The same in the general words of the code.
  void add(errc code, severity s, const place& at) {
    add(code, s, at, [&](text& out) { out << tessera::error{code}.message(); });
  }

  /// How many errors there were.
  [[nodiscard]] std::uint64_t errors() const noexcept { return errors_; }
  [[nodiscard]] bool failed() const noexcept { return error_.code != errc::ok; }
  /// The first error, after finish().
  [[nodiscard]] tessera::error error() const noexcept { return error_; }

  /// Looks the offsets up.
  void finish() {
    sort(pending_.data(), pending_.size(), [](const pending& a, const pending& b) {
      return a.file != b.file ? a.file < b.file : a.node < b.node;
    });
    pool<std::string_view> paths;
    pool<std::uint64_t> offsets;
    text relative;
    for (std::size_t first = 0, last = 0; first < pending_.size(); first = last) {
      const pending& group = pending_[first];
      const std::size_t prefix = prefix_of(group.node);
      const auto path_of = [&](std::size_t i) {
        return report_->text_of(report_->diagnostics[pending_[i].index].path).substr(prefix);
      };
      relative.clear();
      for (last = first; last < pending_.size() && pending_[last].file == group.file &&
                         pending_[last].node == group.node;
           ++last)
        relative << '$' << path_of(last);
      paths.clear();
      for (std::size_t i = first, at = 0; i < last; ++i) {
        paths.push_back(relative.view().substr(at, path_of(i).size() + 1));
        at += paths.back().size();
      }
      offsets.resize(paths.size());
      locate(group, paths, offsets.data());
      for (std::size_t i = first; i < last; ++i)
        report_->diagnostics[pending_[i].index].offset = offsets[i - first];
    }
    pending_.clear();
    if (failed()) {
      text path("$");
      path << first_path_.view().substr(prefix_of(first_place_.node));
      const std::string_view only = path;
      locate(first_place_, {&only, 1}, &error_.offset);
      error_.index = place_of(first_place_).index;
    }
  }

 private:
  struct pending {
    std::uint32_t file, node, index;
  };
  static constexpr std::size_t most_characters = std::size_t{1} << 30;

  void append_path(text& out, const place& at) const {
    out << '$';
    if (at.node != none) {
      out << ".Nodes[" << at.node << ']';
      if (at.op != none) {
        if (info(graphs_[at.file]->form).holds_ops)
          out << ".Ops[" << at.op << ']';
        else
          out << ".Op";
      }
      if (at.list != list::nothing)
        out << '.' << list_names[static_cast<std::size_t>(at.list)] << '[' << at.use << ']';
    }
    for (std::uint32_t i = 0; i < at.depth; ++i) {
      json::append_key(out, at.steps[i].member);
      if (at.steps[i].index != none) out << '[' << at.steps[i].index << ']';
    }
  }
  /// How much of a path leads to its node, or to the root.
  [[nodiscard]] static std::size_t prefix_of(std::uint32_t node) noexcept {
    if (node == none) return 1;
    std::size_t digits = 1;
    for (std::uint32_t v = node; v >= 10; v /= 10) ++digits;
    return std::string_view("$.Nodes[]").size() + digits;
  }
  [[nodiscard]] std::string_view source_of(const pending& group) const noexcept {
    return group.file < sources_.size() ? sources_[group.file] : std::string_view();
  }
  /// Where a node, or the root, begins in its file; of a graph that was built in code, which it is.
  [[nodiscard]] tessera::error place_of(const pending& group) const noexcept {
    if (group.node != none) {
      const pool<node>& nodes = graphs_[group.file]->nodes;
      return error_in(nodes, nodes[group.node], errc::ok, error_index::node);
    }
    return {errc::ok, 0, source_of(group).empty() ? error_index::whole : error_index::none};
  }
  void locate(const pending& group, view<std::string_view> paths, std::uint64_t* offsets) const {
    const tessera::error from = place_of(group);
    const std::uint64_t base = from.offset;
    const std::string_view source = source_of(group);
    for (std::size_t i = 0; i < paths.size(); ++i) offsets[i] = json::no_offset;
    if (from.index == error_index::none && base < source.size())
      json::find(source.substr(static_cast<std::size_t>(base)), paths, offsets,
                 {.max_bytes = UINT64_MAX, .max_items = UINT64_MAX, .max_depth = UINT32_MAX});
    for (std::size_t i = 0; i < paths.size(); ++i)
      offsets[i] = offsets[i] == json::no_offset ? base : base + offsets[i];
  }

  view<const model*> graphs_;
  view<std::string_view> sources_;
  const verify_options& options_;
  report* report_;
  pool<pending> pending_;
  tessera::error error_;
  std::uint64_t errors_ = 0;
  pending first_place_ = {0, none, 0};
  text first_path_;
};

/// How much is shown of a text of the file that may be long.
[[nodiscard]] inline std::size_t excerpt_size(std::string_view s) noexcept {
  constexpr std::size_t most = 60;
  std::size_t size = s.size() <= most ? s.size() : most;
  while (size > 0 && size < s.size() && (static_cast<unsigned char>(s[size]) & 0xc0u) == 0x80u)
    --size;
  return size;
}

/// The start of a text, as people are shown it.
inline void excerpt(text& out, std::string_view s) {
  const std::size_t size = excerpt_size(s);
  append_shown(out, s.substr(0, size));
  if (size < s.size()) out << "...";
}

/// The same in quotes.
inline void quote(text& out, std::string_view s) {
  const std::size_t size = excerpt_size(s);
  text start(s.substr(0, size)), quoted;
  if (size < s.size()) start << "...";
  json::append_quoted(quoted, start);
  append_shown(out, quoted);
}

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_FINDINGS_HPP
