// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What is known of what is under the cursor, and the bytes of regions as hints.

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "inspect/label.hpp"
#include "lsp_server.hpp"
#include "lsp_words.hpp"
#include "nem_includes.hpp"
#include "tessera/inspect/nem/device.hpp"
#include "tessera/inspect/nem/statistics.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

using inspect::nem_name;
using inspect::nem_region_fact;
using inspect::nem_symbol_kind;
using nem::node_kind;

namespace {

/// A text for people: NEM, then paragraphs.
struct description {
  std::string code;
  std::vector<std::string> lines;

  void add(std::string line) { lines.push_back(std::move(line)); }
  [[nodiscard]] std::string text(bool is_markdown) const {
    std::string out;
    if (!code.empty()) out = is_markdown ? "```nem\n" + code + "\n```\n" : code + '\n';
    for (const std::string& l : lines) {
      if (is_markdown && !out.empty()) out += '\n';
      out += l + '\n';
    }
    if (!out.empty()) out.pop_back();
    return utf8(out);
  }
};

/// 1234567 as 1,234,567.
[[nodiscard]] std::string grouped(std::uint64_t n) {
  std::string out = std::to_string(n);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}
[[nodiscard]] std::string grouped(std::int64_t n) {
  return n < 0 ? std::to_string(n) : grouped(static_cast<std::uint64_t>(n));
}
[[nodiscard]] std::string list_of(const std::vector<std::int64_t>& of) {
  constexpr std::size_t max_shown = 32;
  std::string out = "[";
  for (std::size_t i = 0; i < of.size() && i < max_shown; ++i)
    out += (i == 0 ? "" : ", ") + std::to_string(of[i]);
  return out + (of.size() > max_shown ? ", ...]" : "]");
}

/// "i8 [8, 8], layout HW, per_tensor"
[[nodiscard]] std::string type_of(const nem_region_fact& r) {
  if (r.element == nem::element::none) return "untyped";
  std::string out(name(r.element));
  if (r.has_shape) out += ' ' + list_of(r.shape);
  if (!r.layout.empty()) out += ", layout " + r.layout;
  if (!r.strides.empty()) out += ", strides " + list_of(r.strides);
  if (r.has_quant) out += ", quantized " + std::string(name(r.quant));
  return out;
}
/// "[0, 64) of A"
[[nodiscard]] std::string bytes_of(const nem_region_fact& r) {
  return '[' + std::to_string(r.offset) + ", " + std::to_string(r.offset + r.extent) + ") of " +
         r.buffer;
}
/// " where i=0", nothing outside of loops.
[[nodiscard]] std::string iteration_of(const nem_region_fact& r) {
  std::string out;
  for (const auto& [variable, value] : r.iteration)
    out += (out.empty() ? " where " : ", ") + variable + "=" + std::to_string(value);
  return out;
}

/// What the registry says of an opcode: "conv2d in X, W[, B] out Y".
[[nodiscard]] std::string operands_of(std::string_view list) {
  std::string out;
  for (bool is_first = true; !list.empty(); is_first = false) {
    std::string word(nem::next_word(list));
    const char last = word.back();
    if (last == '?' || last == '*') word.pop_back();
    if (last == '?')
      out += is_first ? '[' + word + ']' : "[, " + word + ']';
    else
      out += (is_first ? "" : ", ") + word + (last == '*' ? ", ..." : "");
  }
  return out;
}
[[nodiscard]] std::string signature_of(nem::opcode op) {
  const nem::opcode_row& r = nem::row(op);
  if (op == nem::opcode::transfer || op == nem::opcode::store)
    return std::string(r.name) + ".async(dst=REGION, src=REGION[, deps=[TOKEN, ...]])";
  std::string out = std::string(r.name) + ".async\n    in " + operands_of(r.inputs) + "\n    out " +
                    operands_of(r.outputs);
  for (std::string_view list = r.attributes; !list.empty();) {
    std::string word(nem::next_word(list));
    const bool is_optional = word.back() == '?';
    if (is_optional) word.pop_back();
    out += "\n    " + std::string(is_optional ? "[" : "") + word + "=" +
           std::string(value_of(nem::find_attribute(word))) + (is_optional ? "]" : "");
  }
  return out;
}

void describe_opcode(nem::opcode op, description& to) {
  const nem::opcode_row& r = nem::row(op);
  to.code = signature_of(op);
  std::string text(r.name);
  if (r.status == nem::opcode_status::future) text += " (future: no device has to execute it)";
  text += nem::default_unit(op) == nem::unit::none
              ? std::string()
              : "; executed by " + std::string(name(nem::default_unit(op)));
  std::string others;
  for (std::size_t u = 0; u < nem::unit_count; ++u) {
    const auto unit = static_cast<nem::unit>(u);
    if ((nem::eligible_units(op) & nem::units(unit)) != 0 && unit != nem::default_unit(op))
      others += (others.empty() ? "" : ", ") + std::string(name(unit));
  }
  if (!others.empty()) text += "; @resource may bind it to " + others;
  to.add(text);
  if (r.families.empty()) return;
  std::string families;
  for (std::string_view list = r.families; !list.empty();)
    families += (families.empty() ? "" : ", ") + std::string(nem::next_word(list));
  to.add("Types: " + families);
}

void describe_task(const inspect::nem_task_fact& f, const nem::device* target,
                   const nem::catalog& types, description& to) {
  const auto add = [&to](std::string_view names, const std::vector<nem_region_fact>& all) {
    std::string own;  // the last one is that of all further operands
    for (const nem_region_fact& r : all) {
      if (!names.empty()) own = nem::next_word(names);
      while (!own.empty() && (own.back() == '?' || own.back() == '*')) own.pop_back();
      to.add(own + ": " + type_of(r) + ", bytes " + bytes_of(r) + " in " +
             inspect::memory_name(r.level, r.engine) + iteration_of(r));
    }
  };
  const bool is_known = f.opcode != nem::opcode::unknown;
  add(is_known ? nem::row(f.opcode).inputs : "in", f.inputs);
  add(is_known ? nem::row(f.opcode).outputs : "out", f.outputs);
  if (!f.is_placed) return;
  if (f.work.macs != 0) to.add("MACs: " + grouped(f.work.macs));
  if (f.work.bytes != 0) to.add("moves " + grouped(f.work.bytes) + " bytes");
  std::string cost = "about " + grouped(f.cycles) + (f.cycles == 1 ? " cycle" : " cycles") +
                     " on " + std::string(name(f.unit)) + '[' + std::to_string(f.index) + ']';
  if (f.engine >= 0) cost += " of engine " + std::to_string(f.engine);
  if (target != nullptr) cost += " of " + std::string(types.text_of(target->name));
  to.add(cost + " (the cost model of `tessera trace`)");
}

/// The first lines of a node's text.
[[nodiscard]] std::string source_of(const document& d, const nem::node& n) {
  constexpr std::size_t max_shown = 300;
  std::string_view s =
      d.text().view().substr(std::min<std::size_t>(n.offset, d.text().view().size()), n.length);
  if (n.kind == node_kind::loop || n.kind == node_kind::device || n.kind == node_kind::type_family)
    s = s.substr(0, s.find('\n'));
  const bool is_cut = s.size() > max_shown;
  return std::string(s.substr(0, max_shown)) + (is_cut ? "..." : "");
}

void describe_buffer(const nem::buffer& b, const nem::device* target, const nem::catalog& types,
                     description& to) {
  std::string text = grouped(b.size) + " bytes in " + inspect::memory_name(b.level, b.engine);
  if (b.align > 1) text += ", aligned to " + grouped(b.align);
  if ((b.flags & nem::flag_readonly) != 0) text += ", read only";
  if ((b.flags & nem::flag_writeonly) != 0) text += ", write only";
  to.add(text);
  if (target == nullptr || !target->has_topology || b.level == nem::level::ddr) return;
  const bool is_l1 = b.level == nem::level::l1;
  const std::int64_t size = is_l1 ? target->topology.l1_size : target->topology.l2_size;
  to.add(std::string(types.text_of(target->name)) + " has " + grouped(size) + " bytes of " +
         (is_l1 ? "L1 in each engine" : "L2"));
}

void describe_loop(const inspect::nem_loop_fact& l, description& to) {
  const auto count = static_cast<std::uint64_t>(l.last) - static_cast<std::uint64_t>(l.first) + 1;
  to.add("from " + std::to_string(l.first) + " to " + std::to_string(l.last) + ": " +
         (count == 0 ? "2^64" : grouped(count)) + (count == 1 ? " iteration, " : " iterations, ") +
         grouped(l.in_flight) + " in flight");
}

void describe_device(const nem::catalog& types, std::string_view wanted, description& to) {
  for (const nem::device& d : types.devices) {
    if (types.text_of(d.name) != wanted) continue;
    const inspect::device_summary s(types, d);
    std::string parents;
    for (const std::string_view a : s.ancestors)
      parents += (parents.empty() ? "extends " : ", which extends ") + std::string(a);
    if (!parents.empty()) to.add(parents);
    if (!s.has_topology) {
      to.add("abstract: it has no topology");
    } else {
      to.add(grouped(s.topology.engines) +
             (s.topology.engines == 1 ? " engine; L2 " : " engines; L2 ") +
             grouped(s.topology.l2_size) + " bytes; L1 " + grouped(s.topology.l1_size) +
             " bytes in each engine");
      std::string units;
      for (std::size_t u = 0; u < nem::unit_count; ++u)
        if (s.topology.units[u] != 0)
          units += (units.empty() ? "" : ", ") + std::string(nem::unit_names[u]) + " " +
                   std::to_string(s.topology.units[u]);
      to.add("units of an engine and of the device: " + units);
    }
    std::size_t mandatory = 0;
    for (const auto& v : s.variants) mandatory += v.is_mandatory ? 1 : 0;
    to.add(grouped(std::uint64_t{mandatory}) + " mandatory and " +
           grouped(std::uint64_t{s.variants.size() - mandatory}) + " extended variants");
    return;
  }
}

void describe_family(const nem::catalog& types, std::string_view wanted, description& to) {
  for (const nem::type_family& f : types.families) {
    if (types.text_of(f.name) != wanted) continue;
    const std::string opcodes(inspect::opcodes_of(wanted));
    if (!opcodes.empty()) to.add("types of " + opcodes);
    for (std::uint32_t i = 0; i < f.parameters; ++i) {
      const nem::type_parameter& p = types.parameters[f.first_parameter + i];
      std::string domain;
      for (std::size_t e = 0; e < nem::element_count; ++e)
        if ((p.domain >> e & 1) != 0)
          domain += (domain.empty() ? "" : ", ") + std::string(name(static_cast<nem::element>(e)));
      to.add(std::string(types.text_of(p.name)) + ": " + domain);
    }
    std::string variants;
    for (std::uint32_t i = 0; i < f.variants; ++i)
      variants += (i == 0 ? "" : ", ") +
                  std::string(types.text_of(types.variants[f.first_variant + i].name));
    to.add("variants: " + variants);
    return;
  }
}

void describe_program(const nem::program& p, description& to) {
  const inspect::nem_statistics s = inspect::summarise(p);
  std::string text = grouped(s.tasks) + (s.tasks == 1 ? " task" : " tasks");
  if (s.macs != 0) text += ", " + grouped(s.macs) + " MACs";
  if (s.is_partial) text += " (at least: loops were counted in part)";
  to.add(text);
  for (const inspect::nem_memory& m : s.memories)
    to.add(inspect::memory_name(m.level, m.engine) + ": " + grouped(m.declared) +
           " bytes declared, at most " + grouped(m.peak) + " live at once");
  const nem::device* const target = p.target();
  if (target != nullptr)
    to.add("verified for " + std::string(p.catalog().text_of(target->name)));
  else
    to.add("verified for any device");
}

void describe_decorator(nem::decorator d, description& to) {
  const nem::decorator_row& r = nem::decorator_table[static_cast<std::size_t>(d)];
  std::string argument;
  switch (r.argument) {
    case nem::decorator_argument::none: break;
    case nem::decorator_argument::integer: argument = "(INTEGER)"; break;
    case nem::decorator_argument::unit: argument = "(UNIT[INDEX])"; break;
    case nem::decorator_argument::tag: argument = "(\"TAG\")"; break;
  }
  to.code = '@' + std::string(r.name) + argument;
  constexpr std::pair<nem::decorator_target, std::string_view> targets[] = {
      {nem::on_buffer, "buffers"},
      {nem::on_region, "regions"},
      {nem::on_operand, "operands"},
      {nem::on_transfer, "transfers"},
      {nem::on_compute, "compute tasks"},
      {nem::on_loop, "loops"},
      {nem::on_wait, "waits"}};
  std::string text;
  for (const auto& [bit, what] : targets)
    if ((r.targets & bit) != 0) text += (text.empty() ? "applies to " : ", ") + std::string(what);
  to.add(text);
}

void describe_attribute(std::string_view word, description& to) {
  const nem::attribute a = nem::find_attribute(word);
  if (a == nem::attribute::unknown) return;
  to.code = std::string(word) + '=' + std::string(value_of(a));
  std::string opcodes;
  for (std::size_t i = 0; i < nem::opcode_count; ++i)
    if ((nem::signature(static_cast<nem::opcode>(i)).attributes >> static_cast<unsigned>(a) & 1) !=
        0)
      opcodes +=
          (opcodes.empty() ? "attribute of " : ", ") + std::string(nem::opcode_table[i].name);
  to.add(opcodes);
}

/// A word that the language has.
void describe_word(const word_in_place& w, std::string_view text, const inspect::nem_facts& facts,
                   description& to) {
  const std::string_view word = w.word.in(text);
  const nem::device* const target = facts.target();
  switch (class_of(word, w.before, w.after)) {
    case word_class::opcode: describe_opcode(nem::find_opcode(word), to); break;
    case word_class::keyword:
      if (word == "transfer" || word == "store") describe_opcode(nem::find_opcode(word), to);
      break;
    case word_class::decorator: describe_decorator(nem::find_decorator(word), to); break;
    case word_class::attribute: describe_attribute(word, to); break;
    case word_class::element:
      to.add(std::string(word) + ": " + std::to_string(nem::bitwidth(nem::find_element(word))) +
             " bits");
      break;
    case word_class::level: {
      const char* const where = word == "DDR"  ? "DDR: memory outside of the device"
                                : word == "L2" ? "L2: memory that all engines share"
                                               : "L1: memory of one engine";
      std::string line = where;
      if (target != nullptr && target->has_topology && word != "DDR")
        line += "; " + std::string(facts.catalog().text_of(target->name)) + " has " +
                grouped(word == "L2" ? target->topology.l2_size : target->topology.l1_size) +
                " bytes";
      to.add(line);
      break;
    }
    case word_class::unit: {
      const nem::unit u = nem::find_unit(word);
      std::string line =
          std::string(word) + ": a unit of " + (nem::is_per_engine(u) ? "an engine" : "the device");
      if (target != nullptr && target->has_topology)
        line += "; " + std::string(facts.catalog().text_of(target->name)) + " has " +
                std::to_string(target->topology.units[static_cast<std::size_t>(u)]) +
                (nem::is_per_engine(u) ? " in each engine" : "");
      to.add(line);
      break;
    }
    case word_class::mode:
      to.add(word == "sync" ? "sync: what follows is issued when the task is complete"
                            : "async: what follows is issued at once; deps and wait order tasks");
      break;
    case word_class::none: break;
  }
}

/// The task whose opcode is at an offset, or no_node.
[[nodiscard]] std::uint32_t task_at(const nem::model& m, std::uint32_t offset) {
  std::uint32_t best = nem::no_node;
  for (std::uint32_t i = 0; i < m.nodes.size(); ++i) {
    const nem::node& n = m.nodes[i];
    if (n.offset > offset) break;
    const bool is_task =
        n.kind == node_kind::transfer || n.kind == node_kind::store || n.kind == node_kind::compute;
    if (is_task && (n.length == 65535 || offset <= n.offset + n.length)) best = i;
  }
  return best;
}

void describe_symbol(document& d, const nem_name& n, description& to) {
  const nem::model& m = d.model();
  const inspect::nem_facts& facts = d.facts();
  const std::string_view own = nem::name_of(m, n.node);
  if (n.kind == nem_symbol_kind::device) return describe_device(facts.catalog(), own, to);
  if (n.kind == nem_symbol_kind::type_family) return describe_family(facts.catalog(), own, to);
  if (n.symbol == nem::no_index) return;
  const std::uint32_t node = d.symbols().symbols()[n.symbol].node;
  to.code = source_of(d, m.nodes[node]);
  switch (n.kind) {
    case nem_symbol_kind::buffer:
      if (const auto* const b = facts.buffer(node))
        describe_buffer(*b, facts.target(), facts.catalog(), to);
      break;
    case nem_symbol_kind::region:
      if (const auto* const r = facts.region(node))
        to.add("bytes " + bytes_of(*r) + " in " + inspect::memory_name(r->level, r->engine) + "; " +
               type_of(*r) + iteration_of(*r));
      break;
    case nem_symbol_kind::constant:
    case nem_symbol_kind::let:
      if (const auto* const x = facts.number(node))
        to.add(std::string(own) + " = " + std::to_string(*x));
      break;
    case nem_symbol_kind::loop_variable:
      if (const auto* const l = facts.loop(node)) describe_loop(*l, to);
      break;
    case nem_symbol_kind::token:
      if (const auto* const t = facts.task(node))
        describe_task(*t, facts.target(), facts.catalog(), to);
      break;
    case nem_symbol_kind::program:
      if (const nem::program* const p = d.program()) describe_program(*p, to);
      break;
    case nem_symbol_kind::device:
    case nem_symbol_kind::type_family:
    case nem_symbol_kind::type_parameter:
    case nem_symbol_kind::variant: break;
  }
}

}  // namespace

std::string_view value_of(nem::attribute a) noexcept {
  if (a == nem::attribute::unknown) return "VALUE";
  switch (nem::attribute_table[static_cast<std::size_t>(a)].kind) {
    case nem::attribute_kind::integer: return "INTEGER";
    case nem::attribute_kind::real: return "REAL";
    case nem::attribute_kind::boolean: return "true|false";
    case nem::attribute_kind::element: return "TYPE";
    case nem::attribute_kind::integers: return "[INTEGER, ...]";
    case nem::attribute_kind::string: return "\"TEXT\"";
    case nem::attribute_kind::word: break;
  }
  return "constant|reflect|edge|wrap";
}

std::string server::describe_devices(document& d) {
  constexpr std::size_t max_devices = 32, max_files = 1000;
  std::string out;
  if (files_.options().devices.empty() || !files_.options().reads_files) return out;
  std::error_code unknown;
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator at(files_.options().devices, unknown), end;
       !unknown && at != end && paths.size() < max_files; at.increment(unknown))
    if (at->path().extension() == ".nem") paths.push_back(at->path().string());
  std::sort(paths.begin(), paths.end());
  std::size_t tried = 0;
  for (const std::string& path : paths) {
    nem::resolver::file file;
    if (!files_.open(path, std::filesystem::path(path).filename().string(), file)) continue;
    const result<nem::model> m = nem::read(file.text);
    if (!m) continue;
    for (std::uint32_t i = 0; i < m->nodes.size() && tried < max_devices; i = m->nodes[i].next) {
      if (m->nodes[i].kind != node_kind::device) continue;
      const std::string name(nem::name_of(*m, i));
      tessera::report found;
      const bool runs = d.verify_for(file, name, found);
      std::string why;
      bool is_abstract = false;
      for (const diagnostic& x : found.diagnostics) {
        is_abstract = is_abstract || x.code == errc::nem_dev_003_topology;
        if (x.severity == severity::error && why.empty())
          why = std::string(found.rule_of(x)) + ": " + std::string(found.text_of(x.text));
      }
      if (is_abstract) continue;
      ++tried;
      out += (out.empty() ? "" : "\n") + std::string("- ") + name + (runs ? ": runs" : ": " + why);
    }
  }
  return out;
}

failure server::hover(const message& m, json::writer& to) {
  failure why;
  std::uint32_t offset = 0;
  document* const d = find_place(m, offset, why);
  if (d == nullptr) return why;
  const std::string_view text = d->text().view();
  description out;
  std::uint32_t first = 0, last = 0;
  if (const nem_name* const n = d->symbols().at(offset); n != nullptr) {
    describe_symbol(*d, *n, out);
    if (n->kind == nem_symbol_kind::program)
      if (const std::string devices = describe_devices(*d); !devices.empty())
        out.add("devices in " + files_.options().devices + ":\n" + devices);
    first = n->where.offset;
    last = n->where.end();
  } else if (const word_in_place w = word_at(text, offset); w.word.length != 0) {
    describe_word(w, text, d->facts(), out);
    const word_class c = class_of(w.word.in(text), w.before, w.after);
    const bool is_call = c == word_class::opcode || c == word_class::keyword;
    const std::uint32_t task =
        is_call && !out.code.empty() ? task_at(d->model(), offset) : nem::no_node;
    if (task != nem::no_node)
      if (const auto* const f = d->facts().task(task))
        describe_task(*f, d->facts().target(), d->facts().catalog(), out);
    first = w.word.offset;
    last = w.word.end();
  }
  const std::string shown = out.text(has_markdown_);
  if (shown.empty()) {
    to.null();
    return {};
  }
  to.begin_object().key("contents").begin_object();
  to.key("kind").string(has_markdown_ ? "markdown" : "plaintext").key("value").string(shown).end();
  to.key("range");
  write_range(to, d->text(), first, last);
  to.end();
  return {};
}

// ---- hints

namespace {

/// The end of `region(…)` at an offset: of its closing parenthesis.
[[nodiscard]] std::uint32_t end_of_call(std::string_view text, std::uint32_t at) {
  int depth = 0;
  for (word_scanner in(text, at); in.next();) {
    const char c = text[in.token().offset];
    if (in.token().kind != token_kind::mark) continue;
    if (c == '(') ++depth;
    if (c == ')' && --depth <= 0) return in.token().end();
  }
  return static_cast<std::uint32_t>(text.size());
}

}  // namespace

failure server::inlay_hints(const message& m, json::writer& to) {
  constexpr std::size_t max_hints = 10000;
  failure why;
  document* const d = find_document(m, why);
  if (d == nullptr) return why;
  const auto [first, last] = range_of(m, *d);
  const nem::model& model = d->model();
  std::size_t count = 0;
  to.begin_array();
  for (const auto& [node, r] : d->facts().regions()) {
    const std::uint32_t region = model.nodes[node].kind == node_kind::let ? node + 1 : node;
    const std::uint32_t offset = model.nodes[region].offset;
    if (offset < first || offset > last || ++count > max_hints) continue;
    to.begin_object().key("position");
    write_position(to, d->text(), end_of_call(d->text().view(), offset));
    const std::string range =
        '[' + std::to_string(r.offset) + ", " + std::to_string(r.offset + r.extent) + ')';
    to.key("label").string(utf8(range + iteration_of(r))).key("paddingLeft").boolean(true);
    to.key("tooltip").string(utf8("bytes " + bytes_of(r) + iteration_of(r))).end();
  }
  to.end();
  return {};
}

}  // namespace cli::lsp
}  // namespace tessera::inline TESSERA_ABI
