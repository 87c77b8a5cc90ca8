// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How rules report: values of a model, which become paths at once and offsets at the end.
//
//   findings found({&model, 1}, {&source, 1}, max_diagnostics, report);
//   found.add(errc::ark_t02_dimension, severity::error, at_use(n, o, list::reads, 1).in("Shape"))
//       << "Shape " << shape << " has a dimension below 1";
//   found.finish();
//
// Lifetime:   borrows the models, the report and the sources.
// Errors:     error(): the first one, kept or not.
// Limits:     max_diagnostics are kept, all are counted.
// Allocation: the report's; a path and 16 bytes for each finding while offsets are looked up.

#ifndef TESSERA_ARK_DETAIL_FINDINGS_HPP
#define TESSERA_ARK_DETAIL_FINDINGS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/describe.hpp"
#include "../../core/error.hpp"
#include "../../core/findings.hpp"
#include "../../core/json.hpp"
#include "../../core/pool.hpp"
#include "../../core/report.hpp"
#include "../../core/sort.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../shapes.hpp"
#include "../verify.hpp"

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
struct location {
  std::uint32_t file = 0;     // of several
  std::uint32_t node = none;  // in model::nodes
  std::uint32_t op = none;    // among the node's
  detail::list list = detail::list::nothing;
  std::uint32_t use = 0;  // in the list
  below steps[6];
  std::uint32_t depth = 0;

  /// A member below, or an element of it.
  [[nodiscard, gnu::noinline]] location in(std::string_view member,
                                           std::uint32_t index = none) const noexcept {
    location p = *this;
    p.steps[p.depth++] = {member, index};
    return p;
  }
};

[[nodiscard, gnu::noinline]] inline location at_root() noexcept { return {}; }

[[nodiscard, gnu::noinline]] inline location at_node(std::uint32_t node) noexcept {
  location p;
  p.node = node;
  return p;
}

[[nodiscard, gnu::noinline]] inline location at_op(std::uint32_t node, std::uint32_t op) noexcept {
  location p = at_node(node);
  p.op = op;
  return p;
}

[[nodiscard, gnu::noinline]] inline location at_use(std::uint32_t node, std::uint32_t op, list l,
                                                    std::uint32_t use) noexcept {
  location p = at_op(node, op);
  p.list = l;
  p.use = use;
  return p;
}

/// The same for a use counted over all three lists of an operation.
[[nodiscard, gnu::noinline]] inline location at_use(std::uint32_t node, std::uint32_t op,
                                                    const ark::op& o, std::uint32_t use) noexcept {
  if (use < o.reads) return at_use(node, op, list::reads, use);
  if (use - o.reads < o.writes) return at_use(node, op, list::writes, use - o.reads);
  return at_use(node, op, list::results, use - o.reads - o.writes);
}

/// The start of a text of the file, as people are shown it.
struct excerpt {
  std::string_view of;
};
/// The same in quotes.
struct quoted {
  std::string_view of;
};
/// A text that is ours, however long.
struct verbatim {
  std::string_view text;
};
[[gnu::cold]] inline text& operator<<(text& out, const verbatim& v) { return out << v.text; }

[[gnu::cold]] inline std::size_t excerpt_size(std::string_view s) noexcept {
  constexpr std::size_t max = 60;
  std::size_t size = s.size() <= max ? s.size() : max;
  while (size > 0 && size < s.size() && (static_cast<unsigned char>(s[size]) & 0xc0u) == 0x80u)
    --size;
  return size;
}
[[gnu::cold]] inline text& operator<<(text& out, const excerpt& e) {
  const std::size_t size = excerpt_size(e.of);
  append_shown(out, e.of.substr(0, size));
  if (size < e.of.size()) out << "...";
  return out;
}
[[gnu::cold]] inline text& operator<<(text& out, const quoted& q) {
  const std::size_t size = excerpt_size(q.of);
  text start(q.of.substr(0, size)), json;
  if (size < q.of.size()) start << "...";
  json::append_quoted(json, start);
  append_shown(out, json);
  return out;
}

using writer = tessera::detail::findings::writer;

class findings {
 public:
  /// For some files, and those of their texts that are there.
  findings(view<const model*> models, view<std::string_view> sources, std::uint64_t max_diagnostics,
           report* found)
      : models_(models),
        sources_(sources),
        report_(found),
        max_(max_diagnostics),
        base_(found, max_diagnostics) {}
  findings(const findings&) = delete;
  findings& operator=(const findings&) = delete;

  /// One more finding, whose message is written into the result.
  [[gnu::cold, gnu::noinline]] writer add(errc code, severity s, const location& at) {
    begin(s, at);
    return base_.add(code, s, {.file = at.file}, rule(code).id(), path_);
  }

  /// How many errors there were.
  [[nodiscard]] std::uint64_t errors() const noexcept { return base_.errors(); }
  [[nodiscard]] bool failed() const noexcept { return base_.failed(); }
  /// The first error, after finish().
  [[nodiscard]] tessera::error error() const noexcept { return error_; }

  /// Looks up the offsets, one walk of the text for each node with findings.
  [[gnu::cold, gnu::noinline]] void finish() {
    base_.close();
    while (!pending_.empty() && pending_.back().index >= report_->diagnostics.size())
      pending_.pop_back();  // unreachable: with less than 1 GiB of texts
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
      const error_index index = locate(group, paths, offsets.data());
      for (std::size_t i = first; i < last; ++i) {
        tessera::place& where = report_->diagnostics[pending_[i].index].where;
        where.offset = offsets[i - first];
        where.index = index;
      }
    }
    pending_.clear();
    if (failed()) {
      error_ = base_.first_error();
      text path("$");
      path << first_path_.view().substr(prefix_of(first_place_.node));
      const std::string_view only = path;
      error_.index = locate(first_place_, {&only, 1}, &error_.offset);
    }
  }

 private:
  struct pending {
    std::uint32_t file, node, index;
  };

  /// Before a finding is added.
  void begin(severity s, const location& at) {
    if (s == severity::error && !base_.failed()) {
      first_place_ = {at.file, at.node, 0};
      append_path(first_path_, at);
    }
    path_.clear();
    if (report_ == nullptr || report_->diagnostics.size() >= max_) return;
    pending_.push_back({at.file, at.node, static_cast<std::uint32_t>(report_->diagnostics.size())});
    append_path(path_, at);
  }
  [[gnu::cold, gnu::noinline]] void append_path(text& out, const location& at) const {
    out << '$';
    if (at.node != none) {
      out << ".Nodes[" << at.node << ']';
      if (at.op != none) {
        if (info(models_[at.file]->form).holds_ops)
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
  /// Where a node, or the root, begins in its file; for a model that was built in code, the node's
  /// index.
  [[nodiscard]] tessera::error origin_of(const pending& group) const noexcept {
    if (group.node != none) {
      const pool<node>& nodes = models_[group.file]->nodes;
      return error_in(nodes, nodes[group.node], errc::ok, error_index::node);
    }
    return {errc::ok, 0, source_of(group).empty() ? error_index::whole : error_index::none};
  }
  /// The offsets of paths relative to a node, or what else they count.
  [[gnu::cold]] error_index locate(const pending& group, view<std::string_view> paths,
                                   std::uint64_t* offsets) const {
    const tessera::error from = origin_of(group);
    const std::uint64_t base = from.offset;
    const std::string_view source = source_of(group);
    for (std::size_t i = 0; i < paths.size(); ++i) offsets[i] = json::no_offset;
    if (from.index == error_index::none && base < source.size())
      json::find(source.substr(static_cast<std::size_t>(base)), paths, offsets,
                 {.max_bytes = UINT64_MAX, .max_items = UINT64_MAX, .max_depth = UINT32_MAX});
    for (std::size_t i = 0; i < paths.size(); ++i)
      offsets[i] = offsets[i] == json::no_offset ? base : base + offsets[i];
    return from.index;
  }

  view<const model*> models_;
  view<std::string_view> sources_;
  report* report_;
  std::uint64_t max_;
  tessera::detail::findings base_;
  pool<pending> pending_;  // those without their offsets
  text path_;              // of the finding that is being written
  pending first_place_ = {0, none, 0};
  text first_path_;
  tessera::error error_;
};

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_FINDINGS_HPP
