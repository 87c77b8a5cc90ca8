// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What may be written at a place, by the tokens before it: the text there seldom reads.

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "inspect/label.hpp"
#include "lsp_server.hpp"
#include "lsp_words.hpp"
#include "tessera/inspect/nem/statistics.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

using inspect::nem_symbol_kind;

namespace {

/// What is expected.
enum class expected : std::uint8_t {
  nothing,
  statement,  ///< a declaration, a task or a loop
  callee,     ///< after `X =`
  region,     ///< an operand
  buffer,
  tokens,
  number,
  element,
  level,
  mode,
  decorator,
  quantization,
  quant_field,
  pad_mode,
  boolean,
  unit,
  arguments,        ///< of transfer and store
  properties,       ///< of a buffer
  attributes,       ///< of a compute task, or a statement
  type_attributes,  ///< of a region, or a statement
  device,
  file,
  variants,
  device_item,
  topology_item,
  engine_item,
  device_unit,
  opcode_list
};

/// A place as the tokens before it show it.
struct situation {
  expected what = expected::nothing;
  nem::opcode opcode = nem::opcode::unknown;  ///< of the task
  std::set<std::string_view> given;           ///< the names before `=` in the statement
};

/// Reads a situation backwards.
class situation_reader {
 public:
  situation_reader(std::string_view text, const std::vector<scanned>& all, std::size_t count)
      : text_(text), all_(all), count_(count) {}

  [[nodiscard]] situation read() {
    situation s;
    find_open();
    s.what = count_ == 0 ? expected::statement : by_last();
    if (s.what == expected::nothing) s.what = open_ == none ? outside() : inside();
    s.opcode = opcode_;
    s.given = given_;
    return s;
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr std::size_t max_tokens = 4000;  ///< that one statement is looked for in

  [[nodiscard]] std::string_view at(std::size_t i) const noexcept {
    return i < count_ ? all_[i].in(text_) : std::string_view();
  }
  /// The token `k` places before the end.
  [[nodiscard]] std::string_view back(std::size_t k) const noexcept {
    return k <= count_ && k != 0 ? at(count_ - k) : std::string_view();
  }
  [[nodiscard]] bool is_word(std::size_t i) const noexcept {
    return i < count_ && all_[i].kind == token_kind::word;
  }

  /// Finds the innermost open bracket and where the statement begins.
  void find_open() {
    std::size_t depth = 0;
    for (std::size_t i = count_; i-- != 0 && count_ - i < max_tokens;) {
      const std::string_view t = at(i);
      if (t == ")" || t == "]" || t == "}") ++depth;
      if (t == "(" || t == "[" || t == "{") {
        if (depth != 0)
          --depth;
        else if (open_ == none)
          open_ = i;
      }
      if (depth != 0 || !is_word(i)) continue;
      if (at(i + 1) == "=") given_.insert(t);
      const nem::opcode op = nem::find_opcode(t);
      if (op != nem::opcode::unknown && at(i + 1) == "." &&
          (at(i + 2) == "async" || at(i + 2) == "sync")) {
        opcode_ = op;
        start_ = i;
        break;
      }
      if (begins_statement(i)) {
        start_ = i;
        break;
      }
    }
  }
  [[nodiscard]] bool begins_statement(std::size_t i) const noexcept {
    const std::string_view t = at(i);
    if (t == "in" || t == "out" || t == "mod" || t == "region") return false;
    for (const std::string_view w : nem::reserved_words)
      if (t == w) return true;
    return false;
  }

  /// What follows the last token, whatever is around it.
  [[nodiscard]] expected by_last() const {
    const std::string_view last = back(1), before = back(2);
    if (last == "@") return expected::decorator;
    if (last == ".") {
      if (before == "opcode") return expected::opcode_list;
      return nem::find_opcode(before) != nem::opcode::unknown ? expected::mode : expected::nothing;
    }
    if (last == ":") return back(3) == "buffer" ? expected::level : expected::nothing;
    if (last == "device" || last == "extends") return expected::device;
    if (last == "=") return after_equals(before);
    if (last == "<") return expected::element;
    return expected::nothing;
  }
  [[nodiscard]] expected after_equals(std::string_view key) const {
    if (key == "elem") return expected::element;
    if (key == "quant") return expected::quantization;
    if (key == "dst" || key == "src") return expected::region;
    if (key == "size" || key == "align") return expected::number;
    const nem::attribute a = nem::find_attribute(key);
    if (a == nem::attribute::unknown || (opcode_ == nem::opcode::unknown && open_ == none)) {
      if (open_ != none) return expected::number;
      const std::string_view before = back(3);
      return before == "const" || before == "let" ? expected::number : expected::callee;
    }
    switch (nem::attribute_table[static_cast<std::size_t>(a)].kind) {
      case nem::attribute_kind::element: return expected::element;
      case nem::attribute_kind::boolean: return expected::boolean;
      case nem::attribute_kind::word: return expected::pad_mode;
      case nem::attribute_kind::integer:
      case nem::attribute_kind::real:
      case nem::attribute_kind::integers:
      case nem::attribute_kind::string: break;
    }
    return expected::number;
  }

  /// Inside of brackets.
  [[nodiscard]] expected inside() const {
    const std::string_view bracket = at(open_), owner = open_ == 0 ? "" : at(open_ - 1);
    const bool is_fresh = back(1) == bracket || back(1) == ",";
    if (bracket == "{") return in_block();
    if (bracket == "[") {
      if (owner == "=" && open_ >= 2 && at(open_ - 2) == "deps")
        return is_fresh ? expected::tokens : expected::nothing;
      return expected::number;
    }
    if (owner == "region") return back(1) == "(" ? expected::buffer : expected::number;
    if (owner == "wait") return is_fresh ? expected::tokens : expected::nothing;
    if (owner == "resource") return expected::unit;
    if (owner.starts_with("per_")) return is_fresh ? expected::quant_field : expected::number;
    if (owner == "async" || owner == "sync")
      return is_fresh ? expected::arguments : expected::type_attributes;
    if (is_fresh && (owner == "DDR" || owner == "L2" || owner == "L1" || owner == "]"))
      return expected::properties;
    return expected::number;
  }
  /// In the braces of a device or a family.
  [[nodiscard]] expected in_block() const {
    const std::string_view owner = open_ == 0 ? "" : at(open_ - 1);
    if (owner == "mandatory" || owner == "extended") return expected::variants;
    if (owner == "topology") return expected::topology_item;
    if (owner == "per_engine") return expected::engine_item;
    if (owner == "device_units") return expected::device_unit;
    if (owner == "unit_characteristics") return expected::unit;
    const std::string_view keyword = open_ >= 2 ? at(open_ - 2) : "";
    return keyword == "device" || keyword == "extends" ? expected::device_item : expected::nothing;
  }

  /// Outside of brackets: operands, attributes, or the next statement.
  [[nodiscard]] expected outside() const {
    const std::string_view last = back(1);
    if (last == "in" || last == "out")
      return back(3) == "loop" ? expected::nothing : expected::region;
    if (last == "," && opcode_ != nem::opcode::unknown) return expected::region;
    if (last == ",") return expected::type_attributes;
    for (const std::string_view w : {"program", "const", "let", "buffer", "loop", "type_family"})
      if (last == w) return expected::nothing;
    for (const std::string_view w : {"+", "-", "*", "/", "mod"})
      if (last == w) return expected::number;
    if (opcode_ != nem::opcode::unknown && opcode_ != nem::opcode::transfer &&
        opcode_ != nem::opcode::store)
      return expected::attributes;
    // After region(…), perhaps of a `let`.
    for (std::size_t i = start_ == none ? 0 : start_; i < count_; ++i)
      if (at(i) == "region") return expected::type_attributes;
    return expected::statement;
  }

  std::string_view text_;
  const std::vector<scanned>& all_;
  std::size_t count_;
  std::size_t open_ = none, start_ = none;
  nem::opcode opcode_ = nem::opcode::unknown;
  std::set<std::string_view> given_;
};

/// The protocol's numbers of kinds.
enum item_kind : int {
  i_function = 3,
  i_variable = 6,
  i_class = 7,
  i_property = 10,
  i_value = 12,
  i_keyword = 14,
  i_file = 17,
  i_enum_member = 20,
  i_constant = 21,
  i_event = 23,
  i_type = 25
};

/// Writes items.
class items {
 public:
  items(json::writer& to, bool has_snippets) : to_(to), has_snippets_(has_snippets) {}

  /// `snippet` has ${1:places}; without snippets only the label is inserted, or `plain`.
  void add(std::string_view label, item_kind kind, std::string_view detail = {},
           std::string_view snippet = {}, std::string_view plain = {}, std::string_view sort = {}) {
    to_.begin_object().key("label").string(utf8(label)).key("kind").integer(static_cast<int>(kind));
    if (!detail.empty()) to_.key("detail").string(utf8(detail));
    if (!sort.empty()) to_.key("sortText").string(sort);
    if (!snippet.empty() && has_snippets_)
      to_.key("insertText").string(utf8(snippet)).key("insertTextFormat").integer(2);
    else if (!plain.empty())
      to_.key("insertText").string(utf8(plain));
    to_.end();
  }

 private:
  json::writer& to_;
  bool has_snippets_;
};

/// "conv2d.async\n    in ${1:X}, ${2:W}\n    out ${3:Y}\n    pads=${4}"
[[nodiscard]] std::string snippet_of(nem::opcode op) {
  const nem::opcode_row& r = nem::row(op);
  unsigned place = 0;
  std::string out = std::string(r.name) + ".async\n    in ";
  const auto add_operands = [&](std::string_view list) {
    for (bool is_first = true; !list.empty(); is_first = false) {
      std::string word(nem::next_word(list));
      if (word.back() == '?') continue;
      if (word.back() == '*') word.pop_back();
      out += (is_first ? "${" : ", ${") + std::to_string(++place) + ':' + word + '}';
    }
  };
  add_operands(r.inputs);
  out += "\n    out ";
  add_operands(r.outputs);
  for (std::string_view list = r.attributes; !list.empty();) {
    const std::string word(nem::next_word(list));
    if (word.back() == '?') continue;
    const nem::attribute a = nem::find_attribute(word);
    const bool is_list =
        nem::attribute_table[static_cast<std::size_t>(a)].kind == nem::attribute_kind::integers;
    out += "\n    " + word + '=' + (is_list ? "[" : "") + "${" + std::to_string(++place) + '}' +
           (is_list ? "]" : "");
  }
  return out;
}
/// "in A, B, C? out Y accum_type": as the registry has it.
[[nodiscard]] std::string signature_line(nem::opcode op) {
  const nem::opcode_row& r = nem::row(op);
  std::string out = "in " + std::string(r.inputs) + " out " + std::string(r.outputs);
  if (!r.attributes.empty()) out += ' ' + std::string(r.attributes);
  return out;
}

void add_opcodes(items& to) {
  for (std::size_t i = 0; i < nem::opcode_count; ++i) {
    const auto op = static_cast<nem::opcode>(i);
    if (op == nem::opcode::transfer || op == nem::opcode::store)
      to.add(name(op), i_function, "(dst=, src=, deps=)",
             std::string(name(op)) + ".async(dst=${1:region}, src=${2:region})",
             std::string(name(op)) + ".async");
    else
      to.add(name(op), i_function, signature_line(op), snippet_of(op),
             std::string(name(op)) + ".async");
  }
  to.add("wait", i_function, "(token, ...)", "wait(${1:token})", "wait");
}
void add_region_call(items& to) {
  to.add("region", i_function, "(buffer, offset, bytes)",
         "region(${1:buffer}, ${2:offset}, ${3:bytes})", "region");
}
void add_statements(items& to) {
  to.add("const", i_keyword, "const NAME = INTEGER", "const ${1:name} = ${2:1}");
  to.add("buffer", i_keyword, "buffer NAME : LEVEL (size=BYTES)",
         "buffer ${1:name} : ${2|DDR,L2,L1|} (size=${3:bytes})");
  to.add("let", i_keyword, "let NAME = region(...) or a value",
         "let ${1:name} = region(${2:buffer}, ${3:0}, ${4:bytes})\n    elem=${5:f32}, "
         "shape=[${6:1}], layout=${7:C}");
  to.add("loop", i_keyword,
         "loop NAME in [FIRST..LAST]:", "loop ${1:i} in [${2:0}..${3:last}]:\n  $0\nendloop");
  to.add("endloop", i_keyword);
  to.add("include", i_keyword, "include \"FILE\"", "include \"${1:file}\"");
  to.add("device", i_keyword, "device NAME, device \"FILE\" or device NAME { ... }");
  to.add("program", i_keyword, "program NAME:", "program ${1:name}:");
  to.add("type_family", i_keyword, "type_family NAME<...> { ... }");
  add_opcodes(to);
}

/// The types that operands may have on a device, a bit each.
[[nodiscard]] unsigned types_of(const nem::catalog& c, const nem::device& d) {
  unsigned all = 0;
  const auto add = [&](nem::element e) {
    if (e != nem::element::none) all |= 1u << static_cast<unsigned>(e);
  };
  const auto add_operands = [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      if (c.operand_types[first + i].form == nem::type_form::element)
        add(c.operand_types[first + i].element);
  };
  const auto add_list = [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const nem::instance& x = c.instances[c.device_instances[first + i]];
      for (const nem::element e : c.types_of(x)) add(e);
      add_operands(c.families[x.family].first_operand, c.families[x.family].operands);
      add_operands(c.variants[x.variant].first_operand, c.variants[x.variant].operands);
    }
  };
  add_list(d.first_mandatory, d.mandatory);
  add_list(d.first_extended, d.extended);
  return all;
}

/// The element types, those of the target first.
void add_elements(const inspect::nem_facts& facts, items& to) {
  const nem::device* const d = facts.target();
  const unsigned of_target = d != nullptr ? types_of(facts.catalog(), *d) : ~0u;
  for (std::size_t i = 0; i < nem::element_count; ++i) {
    const auto e = static_cast<nem::element>(i);
    const bool is_known = (of_target >> i & 1) != 0;
    if (nem::is_extension(e)) continue;
    std::string detail = std::to_string(nem::bitwidth(e)) + " bits";
    if (!is_known)
      detail += "; no variant of " + std::string(facts.catalog().text_of(d->name)) + " has it";
    to.add(name(e), i_type, detail, {}, {}, (is_known ? "0" : "1") + std::string(name(e)));
  }
}

void add_decorators(items& to) {
  for (const nem::decorator_row& r : nem::decorator_table) {
    const std::string own(r.name);
    switch (r.argument) {
      case nem::decorator_argument::none: to.add(own, i_keyword); break;
      case nem::decorator_argument::integer:
        to.add(own, i_keyword, "(INTEGER)", own + "(${1:1})");
        break;
      case nem::decorator_argument::unit:
        to.add(own, i_keyword, "(UNIT[INDEX])", own + "(${1:CSTL}[${2:0}])");
        break;
      case nem::decorator_argument::tag:
        to.add(own, i_keyword, "(\"TAG\")", own + "(\"${1}\")");
        break;
    }
  }
}

void add_units(const inspect::nem_facts& facts, nem::opcode op, items& to) {
  const nem::unit_set eligible =
      op == nem::opcode::unknown ? static_cast<nem::unit_set>(0x7f) : nem::eligible_units(op);
  const nem::device* const d = facts.target();
  for (std::size_t u = 0; u < nem::unit_count; ++u) {
    if ((eligible >> u & 1) == 0) continue;
    std::string detail;
    if (d != nullptr && d->has_topology)
      detail = std::to_string(d->topology.units[u]) + " in " +
               std::string(facts.catalog().text_of(d->name));
    const std::string own(nem::unit_names[u]);
    to.add(own, i_enum_member, detail, own + "[${1:0}]");
  }
}

void add_attributes(const situation& s, items& to) {
  const nem::opcode_signature& all = nem::signature(s.opcode);
  for (std::size_t a = 0; a < nem::attribute_count; ++a) {
    const std::string own(nem::attribute_table[a].name);
    if ((all.attributes >> a & 1) == 0 || s.given.contains(own)) continue;
    const bool is_required = (all.required_attributes >> a & 1) != 0;
    to.add(
        own, i_property,
        std::string(value_of(static_cast<nem::attribute>(a))) + (is_required ? "" : ", optional"),
        {}, own + '=', (is_required ? "0" : "1") + own);
  }
  if (!s.given.contains("deps"))
    to.add("deps", i_property, "[TOKEN, ...]", "deps=[${1}]", "deps=", "2deps");
}

void add_words(items& to, std::initializer_list<std::string_view> words, item_kind kind,
               std::string_view after = {}) {
  for (const std::string_view w : words)
    to.add(w, kind, {}, {}, after.empty() ? std::string() : std::string(w) + std::string(after));
}

/// The names of some kinds that are visible, the innermost first.
void add_symbols(document& d, std::uint32_t offset, std::initializer_list<nem_symbol_kind> kinds,
                 items& to) {
  const nem::model& m = d.model();
  const inspect::nem_facts& facts = d.facts();
  for (const std::uint32_t i : d.symbols().visible(m, offset)) {
    const inspect::nem_symbol& s = d.symbols().symbols()[i];
    if (std::find(kinds.begin(), kinds.end(), s.kind) == kinds.end()) continue;
    std::string detail(name(s.kind));
    item_kind kind = i_variable;
    if (s.kind == nem_symbol_kind::buffer) {
      if (const auto* const b = facts.buffer(s.node))
        detail = std::to_string(b->size) + " bytes in " + inspect::memory_name(b->level, b->engine);
    } else if (s.kind == nem_symbol_kind::region) {
      if (const auto* const r = facts.region(s.node))
        detail = std::string(name(r->element)) + ", " + std::to_string(r->extent) + " bytes of " +
                 r->buffer;
    } else if (s.kind == nem_symbol_kind::token) {
      kind = i_event;
      if (const auto* const t = facts.task(s.node))
        detail = "token of " + std::string(name(t->opcode));
    } else if (s.kind == nem_symbol_kind::constant || s.kind == nem_symbol_kind::let) {
      kind = i_constant;
      if (const auto* const x = facts.number(s.node)) detail += " = " + std::to_string(*x);
    }
    to.add(nem::name_of(m, s.node), kind, detail);
  }
}

void add_devices(const inspect::nem_facts& facts, items& to) {
  const nem::catalog& c = facts.catalog();
  for (const nem::device& d : c.devices)
    to.add(c.text_of(d.name), i_class, d.has_topology ? "device" : "abstract device");
}

void add_variants(const nem::catalog& c, items& to) {
  for (const nem::instance& i : c.instances) {
    text reference;
    c.append_reference(reference, i);
    to.add(reference, i_enum_member, i.is_must ? "MUST" : "MAY");
  }
}

void add_files(const document& d, bool reads_files, items& to) {
  constexpr std::size_t max_files = 1000;
  for (const nem::baseline_row& b : nem::baseline_files) to.add(b.file, i_file, "built in");
  if (d.path().empty() || !reads_files) return;
  std::error_code unknown;
  const std::filesystem::path folder = std::filesystem::path(d.path()).parent_path();
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator at(folder, unknown), end;
       !unknown && at != end && names.size() < max_files; at.increment(unknown))
    if (at->path().extension() == ".nem" && at->path() != d.path())
      names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) to.add(name, i_file);
}

void add_numbers(document& d, std::uint32_t offset, items& to) {
  add_symbols(d, offset,
              {nem_symbol_kind::constant, nem_symbol_kind::let, nem_symbol_kind::loop_variable},
              to);
}

void add_type_attributes(const situation& s, items& to) {
  for (const auto& [own, detail] :
       {std::pair<std::string_view, std::string_view>{"elem", "TYPE"},
        {"shape", "[INTEGER, ...]"},
        {"layout", "NAME"},
        {"strides", "[INTEGER, ...]"},
        {"quant", "per_tensor(...), per_channel(...) or per_group(...)"}})
    if (!s.given.contains(own))
      to.add(own, i_property, detail, {}, std::string(own) + '=', "0" + std::string(own));
}

void add_quantizations(items& to) {
  to.add("per_tensor", i_function, "(scale, zero_point)",
         "per_tensor(scale=${1:1.0}, zero_point=${2:0})", "per_tensor");
  to.add("per_channel", i_function, "(axis, scales, zero_points)",
         "per_channel(axis=${1:0}, scales=[${2}], zero_points=[${3}])", "per_channel");
  to.add("per_group", i_function, "(axis, group_size, scales, zero_points)",
         "per_group(axis=${1:0}, group_size=${2:32}, scales=[${3}], zero_points=[${4}])",
         "per_group");
}

void complete(document& d, std::uint32_t offset, const situation& s, bool reads_files, items& to) {
  switch (s.what) {
    case expected::nothing: break;
    case expected::statement: add_statements(to); break;
    case expected::callee:
      add_opcodes(to);
      add_region_call(to);
      break;
    case expected::region:
      add_symbols(d, offset, {nem_symbol_kind::region}, to);
      add_region_call(to);
      break;
    case expected::buffer: add_symbols(d, offset, {nem_symbol_kind::buffer}, to); break;
    case expected::tokens: add_symbols(d, offset, {nem_symbol_kind::token}, to); break;
    case expected::number: add_numbers(d, offset, to); break;
    case expected::element: add_elements(d.facts(), to); break;
    case expected::level: add_words(to, {"DDR", "L2", "L1"}, i_enum_member); break;
    case expected::mode: add_words(to, {"async", "sync"}, i_keyword); break;
    case expected::decorator: add_decorators(to); break;
    case expected::quantization: add_quantizations(to); break;
    case expected::quant_field:
      for (const std::string_view f : nem::quant_field_names)
        if (!s.given.contains(f)) to.add(f, i_property, {}, {}, std::string(f) + '=');
      break;
    case expected::pad_mode:
      for (const std::string_view w : nem::pad_mode_names) to.add(w, i_value);
      break;
    case expected::boolean: add_words(to, {"true", "false"}, i_value); break;
    case expected::unit: add_units(d.facts(), s.opcode, to); break;
    case expected::arguments:
      for (const std::string_view w : {"dst", "src", "deps"})
        if (!s.given.contains(w)) to.add(w, i_property, {}, {}, std::string(w) + '=');
      break;
    case expected::properties: add_words(to, {"size", "align"}, i_property, "="); break;
    case expected::attributes:
      add_attributes(s, to);
      add_statements(to);
      break;
    case expected::type_attributes:
      add_type_attributes(s, to);
      add_statements(to);
      break;
    case expected::device: add_devices(d.facts(), to); break;
    case expected::file: add_files(d, reads_files, to); break;
    case expected::variants: add_variants(d.facts().catalog(), to); break;
    case expected::device_item:
      add_words(to,
                {"spec_version", "topology", "unit_characteristics", "opcode.mandatory",
                 "opcode.extended"},
                i_property);
      break;
    case expected::topology_item:
      add_words(to, {"num_engines", "l2_size_bytes", "device_units", "per_engine"}, i_property);
      break;
    case expected::engine_item:
      add_words(to, {"NMU", "CSTL", "DMA", "VPU", "SEQ", "l1_size_bytes"}, i_property);
      break;
    case expected::device_unit: add_words(to, {"sDMA", "WDM"}, i_property); break;
    case expected::opcode_list: add_words(to, {"mandatory", "extended"}, i_keyword); break;
  }
}

}  // namespace

failure server::completion(const message& m, json::writer& out) {
  failure why;
  std::uint32_t offset = 0;
  document* const d = find_place(m, offset, why);
  if (d == nullptr) return why;
  const std::string_view text = d->text().view();
  bool is_hidden = false;
  const std::vector<scanned> before = tokens_before(text, offset, is_hidden);
  std::size_t count = before.size();
  situation s;
  const bool in_string = count != 0 && before.back().kind == token_kind::string &&
                         (offset < before.back().end() || before.back().length < 2 ||
                          text[before.back().end() - 1] != '"');
  if (in_string) {
    const std::string_view owner = count >= 2 ? before[count - 2].in(text) : std::string_view();
    if (owner == "include" || owner == "device") s.what = expected::file;
  } else if (!is_hidden) {
    if (count != 0 && before.back().kind == token_kind::word && before.back().end() >= offset)
      --count;  // what is being typed
    s = situation_reader(text, before, count).read();
  }
  items to(out, has_snippets_);
  out.begin_object().key("isIncomplete").boolean(false).key("items").begin_array();
  complete(*d, offset, s, files_.options().reads_files, to);
  out.end().end();
  return {};
}

}  // namespace cli::lsp
}  // namespace tessera::inline TESSERA_ABI
