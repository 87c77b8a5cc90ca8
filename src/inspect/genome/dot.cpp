// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/genome/dot.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../operation_paint.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using genome::command;

class stream_drawing {
 public:
  stream_drawing(const genome::stream_view& stream, const genome::library& library,
                 const stream_draw_options& options)
      : stream_(stream), library_(library), options_(options) {}

  [[nodiscard]] picture run() {
    out_.title = "stream";
    boxes_.assign(stream_.size(), picture::none);
    for (std::uint32_t i = 0; i < stream_.size(); ++i) {
      while (!blocks_.empty() && blocks_.back().end <= i) leave(i);
      node(i);
      arrows(i);
      if (stream_.nodes[i].what() == command::control_flow) enter(i);
    }
    return std::move(out_);
  }

 private:
  /// The first block of a CONTROL_FLOW ends at `end`; `next` nodes of the second follow, or none.
  struct block {
    std::uint32_t end, next, outer, frame;
    bool is_loop;
  };

  void enter(std::uint32_t i) {
    const view<std::int32_t> d = stream_.inputs_of(i);
    const bool is_loop = stream_.nodes[i].b == genome::while_loop;
    const std::uint32_t outer = frame_;
    open_frame(i, is_loop ? "condition" : "then", outer);
    const auto first = static_cast<std::uint32_t>(d[0]), second = static_cast<std::uint32_t>(d[1]);
    blocks_.push_back({i + 1 + first, second, outer, frame_, is_loop});
  }
  void leave(std::uint32_t i) {
    const block b = blocks_.back();
    blocks_.pop_back();
    frame_ = b.outer;
    if (b.next == 0) return;
    open_frame(i, b.is_loop ? "body" : "else", b.outer);
    blocks_.push_back({b.end + b.next, 0, b.outer, frame_, b.is_loop});
  }
  void open_frame(std::uint32_t i, std::string_view label, std::uint32_t outer) {
    picture::frame f;
    f.id = std::string(label) + std::to_string(i);
    f.label = label;
    f.parent = outer;
    frame_ = static_cast<std::uint32_t>(out_.frames.size());
    out_.frames.push_back(std::move(f));
  }

  void node(std::uint32_t i) {
    const genome::node& n = stream_.nodes[i];
    if (is_parameter(n) && !options_.parameters) return;
    picture::node box;
    box.id = box.tooltip = "n" + std::to_string(i);
    box.frame = frame_;
    box.fill = command_paint.fill;
    box.border = command_paint.line;
    switch (n.what()) {
      case command::operation: operation(n, box); break;
      case command::pattern: pattern(n.pattern_id(), box); break;
      case command::copy: copy(i, n, box); break;
      case command::const_ref: parameter(static_cast<std::uint16_t>(n.c), box); break;
      case command::control_flow:
        box.lines.push_back({n.b == genome::while_loop ? "WHILE" : "IF", black, true});
        break;
      case command::none:
      case command::pad:
      case command::data_input:
      case command::param_input:
      case command::output:
      case command::reserved:
        box.form = shape::ellipse;
        box.lines.push_back({std::string(word_of(n.a)), black, true});
        break;
    }
    boxes_[i] = static_cast<std::uint32_t>(out_.nodes.size());
    out_.nodes.push_back(std::move(box));
  }

  void operation(const genome::node& n, picture::node& to) const {
    const std::string_view name = library_.target(n.a);
    const operation_paint colours = paint_of(name);
    to.fill = colours.fill;
    to.border = colours.line;
    to.lines.push_back({std::string(name), black, true});
    std::string values;
    if (n.has_group()) {
      genome::group_parts parts(library_.group(n.group_id()));
      std::size_t shown = 0;
      for (genome::group_part p; parts.next(p) && shown < max_parts; ++shown)
        values.append(values.empty() ? "" : ", ")
            .append(p.key)
            .append("=")
            .append(value(p.constant));
    } else if (n.c > 0) {
      values = value(static_cast<std::uint32_t>(n.c));
    }
    if (!values.empty()) to.lines.push_back({values, grey});
  }
  [[nodiscard]] std::string value(std::uint32_t id) const {
    const genome::constant* const c = library_.constant(id);
    return c == nullptr ? "?" : std::string(library_.registry().name_of(c->value));
  }

  void pattern(std::uint32_t id, picture::node& to) const {
    to.is_thick = true;
    to.lines.push_back({"pattern " + std::to_string(id), black, true});
    const std::uint32_t at = library_.find_pattern(id);
    if (at == genome::library::none) return;
    const std::uint32_t size = library_.flat_size(at);
    to.lines.push_back({std::to_string(size) + (size == 1 ? " node" : " nodes"), grey});
    const genome::registry& registry = library_.registry();
    const genome::stream_view nodes = registry.nodes_of(registry.patterns[at]);
    std::size_t shown = 0;
    for (const genome::node& n : nodes.nodes) {
      if (n.what() != command::operation && n.what() != command::pattern) continue;
      if (shown++ == max_operations) {
        to.lines.push_back({"...", grey});
        break;
      }
      to.lines.push_back({n.what() == command::pattern ? "pattern " + std::to_string(n.pattern_id())
                                                       : std::string(library_.target(n.a))});
    }
  }

  void copy(std::uint32_t i, const genome::node& n, picture::node& to) const {
    to.form = shape::ellipse;
    std::string name(word_of(n.b));
    if (n.b >= genome::first_id) name = library_.target(n.b);
    to.lines.push_back({std::to_string(n.c) + " x " + name, black, true});
    const view<std::int32_t> d = stream_.inputs_of(i);
    if (n.b != static_cast<std::uint8_t>(command::const_ref) || d.size() < 2) return;
    to.is_small = true;
    to.lines.push_back({std::string(library_.parameter(static_cast<std::uint32_t>(d[1]))), grey});
  }

  void parameter(std::uint32_t id, picture::node& to) const {
    to.is_small = true;
    to.form = shape::ellipse;
    to.fill = "#ffffff";
    to.border = "#8a8a8a";
    to.lines.push_back({std::string(library_.parameter(id))});
  }

  void arrows(std::uint32_t i) {
    if (boxes_[i] == picture::none) return;
    const view<std::int32_t> from = stream_.references(i);
    for (std::size_t k = 0; k < from.size(); ++k) {
      const std::int64_t at = from[k] < 0 ? std::int64_t{i} + from[k] : std::int64_t{from[k]};
      if (at < 0 || at >= i || boxes_[static_cast<std::size_t>(at)] == picture::none) continue;
      picture::edge e{boxes_[static_cast<std::size_t>(at)], boxes_[i]};
      if (is_parameter(stream_.nodes[static_cast<std::size_t>(at)])) {
        e.colour = "#a8a8a8";
        e.is_thin = true;
      }
      out_.edges.push_back(std::move(e));
    }
  }

  [[nodiscard]] static bool is_parameter(const genome::node& n) noexcept {
    constexpr auto reference = static_cast<std::uint8_t>(command::const_ref);
    return n.a == reference || (n.what() == command::copy && n.b == reference);
  }
  [[nodiscard]] static std::string_view word_of(std::uint8_t a) noexcept {
    constexpr std::string_view words[] = {"none",         "pad",       "input",   "parameter input",
                                          "output",       "parameter", "pattern", "copy",
                                          "control flow", "reserved"};
    return a < genome::first_id ? words[a] : std::string_view();
  }

  static constexpr std::size_t max_operations = 12, max_parts = 8;
  static constexpr std::string_view black = "#1a1a1a", grey = "#606060";
  genome::stream_view stream_;
  const genome::library& library_;
  const stream_draw_options& options_;
  picture out_;
  std::vector<std::uint32_t> boxes_;  // of each node
  std::vector<block> blocks_;
  std::uint32_t frame_ = picture::none;
};

}  // namespace

picture draw(const genome::stream_view& stream, const genome::library& library,
             const stream_draw_options& options) {
  return stream_drawing(stream, library, options).run();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
