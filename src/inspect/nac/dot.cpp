// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nac/dot.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../operation_paint.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using kind = nac_argument::kind;

[[nodiscard]] operation_paint colours_of(const nac::instruction& i,
                                         std::string_view name) noexcept {
  return i.a < nac::first_regular_op ? command_paint : paint_of(name);
}

class drawing {
 public:
  drawing(const lookup& at, const program_draw_options& options) : at_(at), options_(options) {}

  [[nodiscard]] picture run() {
    out_.title = "program";
    if (options_.schedule) read_schedule();
    if (options_.fold) find_chains();
    list(at_.instructions(), 'v');
    if (!at_.training().empty()) {
      out_.frames.push_back({"training", "training"});
      list(at_.training(), 't');
    }
    return std::move(out_);
  }

 private:
  void read_schedule() {
    commands_.resize(at_.instructions().size());
    for (const nac::tick& t : at_.model().schedule()) {
      if (t.instruction >= commands_.size()) continue;
      nac::action last{};
      std::string& to = commands_[t.instruction];
      for (const nac::command& c : t.commands) {
        if (c.what == nac::action::forward) forwarded_.insert({t.instruction, c.target});
        const std::string_view what = name(c.what);
        if (to.empty() || c.what != last)
          to.append(to.empty() ? "" : "; ")
              .append(what.empty() ? "action " + std::to_string(static_cast<unsigned>(c.what))
                                   : std::string(what))
              .append(" v");
        else
          to.append(", v");
        to.append(std::to_string(c.target));
        last = c.what;
      }
    }
  }

  /// Fills chain_ and members_: an instruction joins the chain of its only input if no other reads
  /// that.
  void find_chains() {
    const std::vector<nac::instruction>& code = at_.instructions();
    constexpr std::uint32_t none = picture::none;
    std::vector<std::uint32_t> readers(code.size()), input(code.size(), none);
    for (const nac::instruction& i : code) {
      std::set<std::uint32_t> from;
      for (const nac_argument& a : at_.arguments(i))
        if (a.what == kind::result) from.insert(static_cast<std::uint32_t>(a.value));
      std::erase_if(from, [&](std::uint32_t f) { return is_parameter(code[f]); });
      for (const std::uint32_t f : from) ++readers[f];
      const bool is_regular = i.a >= nac::first_regular_op;
      if (is_regular && from.size() == 1 && code[*from.begin()].a >= nac::first_regular_op)
        input[i.index] = *from.begin();
    }
    chain_.resize(code.size());
    members_.resize(code.size());
    for (const nac::instruction& i : code) {
      const std::uint32_t from = input[i.index];
      const bool joins = from != none && from < i.index && readers[from] == 1;
      chain_[i.index] = joins ? chain_[from] : i.index;
      members_[chain_[i.index]].push_back(i.index);
    }
  }
  [[nodiscard]] bool is_folded(char prefix) const noexcept {
    return prefix == 'v' && !chain_.empty();
  }

  void list(const std::vector<nac::instruction>& code, char prefix) {
    boxes_.assign(code.size(), picture::none);
    for (const nac::instruction& i : code) node(i, prefix);
    for (const nac::instruction& i : code) arrows(code, i, prefix);
  }

  [[nodiscard]] static bool is_parameter(const nac::instruction& i) noexcept {
    return i.a == nac::op_input && i.b == static_cast<std::uint8_t>(nac::input::parameter);
  }

  /// A parameter's name, type, shape.
  [[nodiscard]] std::vector<picture::line> lines_of_parameter(const nac_argument& a) const {
    std::vector<picture::line> out{{at_.text_of(a)}};
    const nac::tensor* const t =
        a.what == kind::parameter ? at_.tensor(static_cast<std::uint32_t>(a.value)) : nullptr;
    if (t == nullptr) return out;
    std::string shape = std::string(name(t->type)) + ' ' + text_of_shape(t->value_shape());
    if (t->quantization != nac::quantization::none) shape.append(" ").append(name(t->quantization));
    out.push_back({shape, grey});
    return out;
  }

  void node(const nac::instruction& i, char prefix) {
    const bool parameter = is_parameter(i);
    if (parameter && (!options_.parameters || is_folded(prefix))) return;
    if (is_folded(prefix) && chain_[i.index] != i.index) {
      boxes_[i.index] = boxes_[chain_[i.index]];
      return;
    }
    const std::vector<nac_argument> arguments = at_.arguments(i);
    const std::string operation = at_.operation(i);
    bool broken = false;
    std::string values;
    for (const nac_argument& a : arguments) {
      broken = broken || a.what == kind::missing;
      if (a.what == kind::result || a.what == kind::absent || parameter) continue;
      values.append(values.empty() ? "" : ", ").append(at_.text_of(a));
    }
    picture::node n;
    n.id = n.tooltip = prefix + std::to_string(i.index);
    n.is_small = parameter;
    if (i.a == nac::op_input || i.a == nac::op_output) n.form = shape::ellipse;
    if (prefix == 't') n.frame = 0;
    if (parameter) {
      n.lines = lines_of_parameter(arguments[0]);
    } else if (is_folded(prefix) && i.a >= nac::first_regular_op) {
      append_chain(n.lines, members_[i.index]);
    } else {
      n.lines.push_back({operation, "#1a1a1a", true});
      if (i.a == nac::op_input && i.b == 0 && prefix == 'v')
        n.lines.push_back({at_.has_input(i.index)
                               ? std::string(at_.input(i.index))
                               : "lifted#" + std::to_string(at_.lifted(i.index))});
      else if (!values.empty())
        n.lines.push_back({values, grey});
    }
    if (prefix == 'v' && !parameter) {
      const std::uint32_t last = is_folded(prefix) ? members_[i.index].back() : i.index;
      if (last < options_.shapes.size() && !options_.shapes[last].empty())
        n.lines.push_back({options_.shapes[last], "#2f6ba8"});
    }
    if (prefix == 'v' && !commands_.empty() && !commands_[i.index].empty())
      n.lines.push_back({commands_[i.index], "#8a8a8a"});
    const operation_paint colours = broken      ? operation_paint{"#f7caca", "#b03030"}
                                    : parameter ? operation_paint{"#ffffff", "#8a8a8a"}
                                                : colours_of(i, operation);
    n.fill = colours.fill;
    n.border = colours.line;
    boxes_[i.index] = static_cast<std::uint32_t>(out_.nodes.size());
    out_.nodes.push_back(std::move(n));
  }

  /// The operations of a chain, with their constants and parameters.
  void append_chain(std::vector<picture::line>& to,
                    const std::vector<std::uint32_t>& members) const {
    constexpr std::size_t max_shown = 12;
    for (std::size_t k = 0; k < members.size() && k < max_shown; ++k) {
      const nac::instruction& i = at_.instructions()[members[k]];
      to.push_back({at_.operation(i), "#1a1a1a", true});
      std::string values;
      for (const nac_argument& a : at_.arguments(i)) {
        std::string value;
        if (a.what != kind::result && a.what != kind::absent) value = at_.text_of(a);
        if (a.what == kind::result && options_.parameters) {
          const nac::instruction& from = at_.instructions()[static_cast<std::size_t>(a.value)];
          if (is_parameter(from)) value = at_.text_of(at_.arguments(from)[0]);
        }
        if (!value.empty()) values.append(values.empty() ? "" : ", ").append(value);
      }
      if (!values.empty()) to.push_back({values, grey});
    }
    if (members.size() > max_shown)
      to.push_back({std::to_string(members.size() - max_shown) + " more", grey});
  }

  void arrows(const std::vector<nac::instruction>& code, const nac::instruction& i, char prefix) {
    const std::vector<nac_argument> arguments = at_.arguments(i);
    std::size_t results = 0;
    for (const nac_argument& a : arguments) results += a.what == kind::result ? 1 : 0;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (arguments[k].what != kind::result) continue;
      const auto from = static_cast<std::uint32_t>(arguments[k].value);
      if (boxes_[from] == picture::none) continue;
      if (is_folded(prefix) && boxes_[from] == boxes_[i.index]) continue;
      picture::edge e{boxes_[from], boxes_[i.index]};
      if (results > 1) e.label = std::to_string(k + 1);
      if (is_parameter(code[from])) {
        e.colour = "#a8a8a8";
        e.is_thin = true;
      }
      if (prefix == 'v' && forwarded_.count({from, i.index}) != 0) e.style = stroke::dashed;
      out_.edges.push_back(std::move(e));
    }
  }

  static constexpr std::string_view grey = "#606060";
  const lookup& at_;
  const program_draw_options& options_;
  picture out_;
  std::vector<std::uint32_t> boxes_;   // of each instruction of the list
  std::vector<std::string> commands_;  // of each instruction
  // With `fold`: the first instruction of each one's chain, and of these the instructions in it.
  std::vector<std::uint32_t> chain_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> forwarded_;
};

}  // namespace

picture draw(const lookup& program, const program_draw_options& options) {
  return drawing(program, options).run();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
