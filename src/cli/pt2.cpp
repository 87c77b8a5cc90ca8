// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "pt2.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "ark.hpp"
#include "io/compress.hpp"
#include "io/file.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

[[nodiscard]] bool inflate_member(void*, bytes from, std::byte* to, std::size_t size) {
  return io::inflate(from, to, size);
}

/// Names of operators with how often they occur, most frequent first.
using operator_counts = std::vector<std::pair<std::string, std::uint64_t>>;

[[nodiscard]] operator_counts count_operators(const pt2::model& m) {
  std::map<std::string, std::uint64_t, std::less<>> counts;
  for (const pt2::node& n : m.nodes) ++counts[std::string(short_target(m, n))];
  operator_counts out(counts.begin(), counts.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

/// Bytes of the payloads of weights or constants; those that are shared count once.
[[nodiscard]] std::uint64_t payload_bytes(const pt2::model& m, pt2::range of) {
  std::set<std::uint32_t> members;
  std::uint64_t sum = 0;
  for (const pt2::stored_tensor& t : stored(m, of))
    if (members.insert(t.member).second) sum += m.members[t.member].size;
  return sum;
}

[[nodiscard]] std::string shown(const pt2::model& m, pt2::string s) {
  return shown_text(text_of(m, s));
}

/// "x f32[2,3]" of the values that a signature names.
[[nodiscard]] std::string shown_value(const pt2::program& p, std::uint32_t argument) {
  const pt2::model& m = p.model();
  text out;
  print(out, m, m.arguments[argument]);
  const std::uint32_t v = p.value_of(argument);
  if (v != pt2::none && m.values[v].kind == pt2::value_kind::tensor) {
    out << ' ';
    print(out, m, m.tensors[m.values[v].meta]);
  }
  return std::string(out.view());
}

/// The user's inputs and outputs, and how many others there are.
struct interface_of {
  explicit interface_of(const pt2::program& p) {
    for (const pt2::input_spec& s : p.model().inputs)
      if (s.kind == pt2::input_kind::user_input) inputs.push_back(shown_value(p, s.argument));
    for (const pt2::output_spec& s : p.model().outputs) {
      if (s.kind == pt2::output_kind::user_output)
        outputs.push_back(shown_value(p, s.argument));
      else
        ++changes;
    }
  }
  std::vector<std::string> inputs, outputs;
  std::uint64_t changes = 0;
};

void write_json(json::writer& w, const source& file, const reporting& to, const pt2::program& p) {
  const pt2::model& m = p.model();
  const interface_of of(p);
  w.begin_object().key("file").string(json_name(to.path)).key("format").string("pt2");
  w.key("bytes").integer(file.data().size()).key("program").string(text_of(m, m.name));
  w.key("programs").integer(m.programs).key("torch_version").string(text_of(m, m.torch_version));
  w.key("schema").begin_array().integer(m.schema_major).integer(m.schema_minor).end();
  for (const auto& [key, list] : {std::pair("inputs", &of.inputs), {"outputs", &of.outputs}}) {
    w.key(key).begin_array();
    for (const std::string& s : *list) w.string(s);
    w.end();
  }
  w.key("mutations").integer(of.changes).key("nodes").integer(m.nodes.size());
  w.key("graphs").integer(m.graphs.size()).key("operators").begin_object();
  for (const auto& [name, count] : count_operators(m)) w.key(name).integer(count);
  w.end().key("symbols").integer(m.constraints.size());
  for (const auto& [key, list] : {std::pair("weights", m.weights), {"constants", m.constants}})
    w.key(key)
        .begin_object()
        .key("tensors")
        .integer(list.count)
        .key("bytes")
        .integer(payload_bytes(m, list))
        .end();
  w.end();
}

void append_list(text& out, std::string_view title, const std::vector<std::string>& list) {
  out << title << list.size();
  std::string_view between = ": ";
  for (const std::string& s : list) {
    out << between << s;
    between = ", ";
  }
  out << '\n';
}

void append_facts(text& out, const pt2::program& p) {
  const pt2::model& m = p.model();
  const interface_of of(p);
  out << "  program    " << shown(m, m.name) << ", of PyTorch " << shown(m, m.torch_version);
  if (m.programs > 1) out << "; one of " << m.programs;
  out << '\n';
  append_list(out, "  inputs     ", of.inputs);
  append_list(out, "  outputs    ", of.outputs);
  if (of.changes != 0) out << "  mutations  " << of.changes << '\n';
  std::vector<std::string> symbols;
  for (const pt2::range_constraint& c : m.constraints) {
    std::string s = shown(m, c.symbol) + " = ";
    if (c.has_min) s += std::to_string(c.min);
    s += "..";
    if (c.has_max) s += std::to_string(c.max);
    symbols.push_back(std::move(s));
  }
  if (!symbols.empty()) append_list(out, "  symbols    ", symbols);
  std::vector<std::string> operators;
  for (const auto& [name, count] : count_operators(m))
    operators.push_back(std::to_string(count) + ' ' + shown_text(name));
  append_list(out, "  operators  ", operators);
  out << "  nodes      " << m.nodes.size();
  if (m.graphs.size() > 1) out << " in " << m.graphs.size() << " graphs";
  out << '\n';
  for (const auto& [title, list] :
       {std::pair("  weights    ", m.weights), {"  constants  ", m.constants}})
    out << title << list.count << ", " << payload_bytes(m, list) << " bytes\n";
}

}  // namespace

pt2_outcome read_pt2(const source& from, const reporting& to, const std::string& program,
                     bool checksums) {
  const bytes data = from.data();
  result<pt2::model> m =
      pt2::read(data, {.program = program, .inflate = {inflate_member}, .checksums = checksums});
  if (m) return {std::move(*m), success};
  const exit_code code = to.fail(m.error(), from);
  if (m.error().code == errc::pt2_choose_program)
    show_note("--program NAME chooses the program that the archive has as models/NAME.json");
  return {std::nullopt, code};
}

void add_pt2_options(const command& verb, std::string& program) { verb.bind("--program", program); }

exit_code check_pt2(const source& file, const reporting& to, const pt2_check_options& options) {
  pt2_outcome in = read_pt2(file, to, options.program, options.checksums);
  if (!in.model) return in.code;
  tessera::report found;
  pt2::verify_options how;
  if (options.all) how.max_diagnostics = max_findings(file.data().size());
  const result<pt2::program> p = pt2::verify(std::move(*in.model), how, &found);
  std::string details;
  if (p) {
    const pt2::model& m = p->model();
    details = ", " + plural(m.nodes.size(), "node") + ", " + plural(m.weights.count, "weight") +
              ", " + plural(m.constants.count, "constant");
  }
  return conclude_check(file, to, found, static_cast<bool>(p), options.all, std::move(details));
}

exit_code info_pt2(const source& file, const reporting& to, const std::string& program) {
  pt2_outcome in = read_pt2(file, to, program);
  if (!in.model) return in.code;
  tessera::report found;
  const result<pt2::program> p = pt2::verify(std::move(*in.model), {}, &found);
  if (!p) return to.fail(found, p.error(), file);
  text out;
  if (to.as_json) {
    json::writer w(out);
    write_json(w, file, to, *p);
    out << '\n';
    return print_result(out);
  }
  out << file.name << ": PT2 archive, schema " << p->model().schema_major << '.'
      << p->model().schema_minor << ", " << file.data().size() << " bytes\n";
  append_facts(out, *p);
  return print_result(out);
}

exit_code print_pt2(const source& file, const reporting& to, const pt2_print_options& options) {
  pt2_outcome in = read_pt2(file, to, options.program);
  if (!in.model) return in.code;
  text out;
  if (to.as_json)
    out = pt2::write_program(*in.model);
  else
    out = pt2::print(*in.model, {options.modules, options.stack_traces});
  if (to.as_json) out << '\n';
  tessera::report found;
  const result<pt2::program> p = pt2::verify(std::move(*in.model), {}, &found);
  // An invalid program is listed, too, so that its errors can be found.
  const exit_code code = print_result(out);
  return p || code != success ? code : to.fail(found, p.error(), file);
}

exit_code convert_pt2(const source& file, const reporting& to, const std::string& output) {
  const pt2_outcome in = read_pt2(file, to, "");
  if (!in.model) return in.code;
  io::expected<io::file_writer> out = io::file_writer::open(output);
  if (!out) return to.fail(out.error());
  io::file_writer* const writer = &*out;
  const pt2::sink sink{
      writer, [](void* of, bytes piece) { return static_cast<io::file_writer*>(of)->put(piece); }};
  const error e = pt2::write(*in.model, sink);
  if (e.code != errc::ok && out->ok()) return to.fail(e, file);
  const io::expected<io::done> wrote = out->finish();
  return wrote ? success : to.fail(wrote.error());
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
