// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nac/dot.hpp"

#include <set>
#include <string>
#include <utility>

#include "inspect/label.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using inspect::escaped;
using kind = nac_argument::kind;

struct paint {
  std::string_view fill, line;
};

/// By words in the operation's name: there are any number of operations.
[[nodiscard]] paint paint_of(const nac::instruction& i, std::string_view name) noexcept {
  if (i.a < nac::first_regular_op) return {"#e9dcf3", "#7a4fa3"};
  const auto has = [name](std::string_view word) { return name.find(word) != name.npos; };
  if (has("matmul") || has("linear") || has("conv") || has("addmm") || has("attention") ||
      has(".mm") || has(".bmm"))
    return {"#c9ddf2", "#2f6ba8"};
  if (has("norm") || has("softmax") || has("mean") || has("sum")) return {"#d5ecd0", "#4b8b3b"};
  if (has("view") || has("reshape") || has("transpose") || has("permute") || has("squeeze") ||
      has("expand") || has("slice") || has("clone") || has("pass"))
    return {"#f4f4f4", "#8a8a8a"};
  return {"#fdf1cb", "#b08a1e"};
}

class drawing {
 public:
  drawing(const lookup& at, const program_draw_options& options) : at_(at), options_(options) {}

  [[nodiscard]] text run() {
    out_ << "digraph program {\n"
            "  graph [fontname=\"Helvetica\", fontsize=11, nodesep=0.3, ranksep=0.4];\n"
            "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=11, "
            "margin=\"0.12,0.06\"];\n"
            "  edge [color=\"#404040\", arrowsize=0.7];\n";
    if (options_.schedule) read_schedule();
    list(at_.instructions(), 'v', "  ");
    if (!at_.training().empty()) {
      out_ << "  subgraph cluster_training {\n"
              "    label=\"training\"; labeljust=l; color=\"#808080\";\n";
      list(at_.training(), 't', "    ");
      out_ << "  }\n";
    }
    out_ << "}\n";
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

  void list(const std::vector<nac::instruction>& code, char prefix, std::string_view indent) {
    for (const nac::instruction& i : code) node(i, prefix, indent);
    for (const nac::instruction& i : code) arrows(i, prefix, indent);
  }

  static void small(text& label, std::string_view colour, std::string_view s) {
    label << "<BR/><FONT POINT-SIZE=\"9\" COLOR=\"" << colour << "\">" << escaped(s) << "</FONT>";
  }

  [[nodiscard]] static bool is_parameter(const nac::instruction& i) noexcept {
    return i.a == nac::op_input && i.b == static_cast<std::uint8_t>(nac::input::parameter);
  }

  void node(const nac::instruction& i, char prefix, std::string_view indent) {
    const bool parameter = is_parameter(i);
    if (parameter && !options_.parameters) return;
    const std::vector<nac_argument> arguments = at_.arguments(i);
    const std::string operation = at_.operation(i);
    bool broken = false;
    std::string values;
    for (const nac_argument& a : arguments) {
      broken = broken || a.what == kind::missing;
      if (a.what == kind::result || a.what == kind::absent || parameter) continue;
      values.append(values.empty() ? "" : ", ").append(at_.text_of(a));
    }
    text label;
    if (parameter) {
      const nac_argument& a = arguments[0];
      label << escaped(at_.text_of(a));
      const nac::tensor* const t =
          a.what == kind::parameter ? at_.tensor(static_cast<std::uint32_t>(a.value)) : nullptr;
      if (t != nullptr) {
        std::string shape = std::string(name(t->type)) + ' ' + text_of_shape(t->value_shape());
        if (t->quantization != nac::quantization::none)
          shape.append(" ").append(name(t->quantization));
        small(label, "#606060", shape);
      }
    } else if (i.a == nac::op_input && i.b == 0 && prefix == 'v') {
      label << "<B>" << escaped(operation) << "</B>";
      small(label, "#1a1a1a",
            at_.has_input(i.index) ? std::string(at_.input(i.index))
                                   : "lifted#" + std::to_string(at_.lifted(i.index)));
    } else {
      label << "<B>" << escaped(operation) << "</B>";
      if (!values.empty()) small(label, "#606060", values);
    }
    if (prefix == 'v' && !commands_.empty() && !commands_[i.index].empty())
      small(label, "#8a8a8a", commands_[i.index]);

    const paint colours = broken ? paint{"#f7caca", "#b03030"} : paint_of(i, operation);
    out_ << indent << prefix << i.index << " [";
    if (parameter)
      out_ << "shape=ellipse, margin=\"0.04,0.02\", fontsize=9, ";
    else if (i.a == nac::op_input || i.a == nac::op_output)
      out_ << "shape=ellipse, ";
    out_ << "label=<" << label << ">, tooltip=\"" << prefix << i.index << "\", fillcolor=\""
         << (parameter && !broken ? std::string_view("white") : colours.fill) << "\", color=\""
         << (parameter && !broken ? std::string_view("#8a8a8a") : colours.line) << "\"];\n";
  }

  void arrows(const nac::instruction& i, char prefix, std::string_view indent) {
    const std::vector<nac_argument> arguments = at_.arguments(i);
    std::size_t results = 0;
    for (const nac_argument& a : arguments) results += a.what == kind::result ? 1 : 0;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const nac_argument& a = arguments[k];
      if (a.what != kind::result) continue;
      const auto from = static_cast<std::uint32_t>(a.value);
      const nac::instruction& source =
          prefix == 'v' ? at_.instructions()[from] : at_.training()[from];
      const bool parameter = is_parameter(source);
      if (parameter && !options_.parameters) continue;
      out_ << indent << prefix << from << " -> " << prefix << i.index;
      std::string_view between = " [";
      const auto attribute = [&](std::string_view name, std::string_view value) {
        out_ << between << name << "=\"" << value << '"';
        between = ", ";
      };
      if (results > 1) {
        attribute("headlabel", std::to_string(k + 1));
        attribute("labelfontsize", "8");
        attribute("labelfontcolor", "#8a8a8a");
      }
      if (parameter) {
        attribute("color", "#a8a8a8");
        attribute("arrowsize", "0.6");
      }
      if (prefix == 'v' && forwarded_.count({from, i.index}) != 0) attribute("style", "dashed");
      out_ << (between == ", " ? "];\n" : ";\n");
    }
  }

  const lookup& at_;
  const program_draw_options& options_;
  text out_;
  std::vector<std::string> commands_;  // of each instruction
  std::set<std::pair<std::uint32_t, std::uint32_t>> forwarded_;
};

}  // namespace

text draw(const lookup& program, const program_draw_options& options) {
  return drawing(program, options).run();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
