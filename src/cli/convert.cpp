// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera convert`: the same program in another form.

#include <unistd.h>

#include <memory>
#include <tessera/core/bytes.hpp>

#include "alir.hpp"
#include "ark.hpp"
#include "io/compress.hpp"
#include "nac.hpp"
#include "pt2.hpp"
#include "tessera/transform/emit.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  std::string file, output, form, name, test_bench;
  bool compact = false, pretty = false;
  nac_convert_options nac;
};

/// The dialect of a lower-case name; none for other forms.
[[nodiscard]] std::optional<ark::dialect> dialect_of(std::string_view form) {
  for (const ark::dialect_row& row : ark::dialect_table)
    if (form.size() == row.name.size() && form.substr(1) == row.name.substr(1) && form[0] == 'd')
      return row.which;
  return std::nullopt;
}

/// The version "v1.6" to "v1.8"; none for other forms.
[[nodiscard]] std::optional<nac::header> version_of_name(std::string_view form) {
  for (const nac::header h : {nac::header::v1_6, nac::header::v1_7, nac::header::v1_8})
    if (form.size() == 4 && form[0] == 'v' && form.substr(1) == name(h)) return h;
  return std::nullopt;
}

/// A form of ALIR, as in --to: "bytecode", "v4", "bytecode-v4", "cpp". What it leaves open is empty or 0.
struct alir_form {
  std::string_view encoding;
  std::int32_t version = 0;
};
[[nodiscard]] std::optional<alir_form> alir_form_of(std::string_view form) {
  alir_form out;
  if (form == "cpp" || form == "verilog") return alir_form{form};
  for (const std::string_view encoding : {"json", "bytecode"})
    if (form.substr(0, encoding.size()) == encoding) out.encoding = encoding;
  form.remove_prefix(out.encoding.size());
  if (!out.encoding.empty() && form.empty()) return out;
  if (!out.encoding.empty() && form[0] == '-') form.remove_prefix(1);
  if (form.size() != 2 || form[0] != 'v' || form[1] < '2' || form[1] > '4') return std::nullopt;
  out.version = form[1] - '0';
  return out;
}

/// ALIR's encoding by the ending of the output's name, or else that of the input.
[[nodiscard]] std::string_view encoding_of_name(std::string_view path, format input) {
  path = io::without_codec(path);
  if (path.ends_with(".json")) return "json";
  if (path.ends_with(".bc")) return "bytecode";
  if (path.ends_with(".hpp")) return "cpp";
  if (path.ends_with(".v")) return "verilog";
  return input == format::alir_json ? "json" : "bytecode";
}

/// A file's name without its folder and ending.
[[nodiscard]] std::string stem_of(std::string_view path) {
  path = io::without_codec(path);
  path.remove_prefix(path.rfind('/') + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

/// Whether a file's name, without that of a codec, has an ending.
[[nodiscard]] bool is_named(std::string_view path, std::string_view ending) {
  return io::without_codec(path).ends_with(ending);
}

/// Whether JSON has line breaks.
[[nodiscard]] bool is_pretty(std::string_view json) {
  json = json.substr(0, json.find_last_not_of(" \t\r\n") + 1);
  return json.find('\n') != json.npos;
}

[[nodiscard]] std::string module_name(const options& o) {
  return o.name.empty() ? stem_of(o.output) : o.name;
}
[[nodiscard]] exit_code emit_cpp(const alir::program& p, const options& o) {
  const text made = transform::to_cpp(p, module_name(o));
  return write_result(o.output, as_bytes(made));
}
/// Of a program or a pipeline, and a test bench for it where a file is named.
template <class Program>
[[nodiscard]] exit_code emit_verilog(const Program& p, const options& o) {
  const text made = transform::to_verilog(p, module_name(o));
  if (o.test_bench.empty()) return write_result(o.output, as_bytes(made));
  const text bench = transform::to_verilog_test_bench(p, module_name(o));
  return write_results({{o.output, as_bytes(made)}, {o.test_bench, as_bytes(bench)}});
}

[[nodiscard]] exit_code check_source_options(const options& o, const alir_form& form) {
  const bool emits = form.encoding == "cpp" || form.encoding == "verilog";
  if (emits && form.version != 0)
    return usage_error("convert",
                       "--to " + o.form + " is for JSON and bytecode, not for source text");
  if (!emits && !o.name.empty())
    return usage_error("convert", "--name is for source text; give --to cpp or verilog, too");
  if (form.encoding != "verilog" && !o.test_bench.empty())
    return usage_error("convert", "--test-bench is for Verilog; give --to verilog, too");
  if (!o.test_bench.empty() && o.test_bench == o.output)
    return usage_error("convert", "--test-bench and OUTPUT must be different files");
  return success;
}

[[nodiscard]] exit_code convert_alir(const source& file, const reporting& to, const options& o,
                                     const alir_form& form) {
  if (const exit_code code = check_source_options(o, form); code != success) return code;
  report found;
  const result<alir::program> p = verify_alir(file, &found);
  if (!p) return to.fail(found, p.error(), file);
  if (form.encoding == "cpp") return emit_cpp(*p, o);
  if (form.encoding == "verilog") return emit_verilog(*p, o);
  const result<text> out = alir::write(
      p->model(),
      {.encoding = form.encoding == "json" ? alir::encoding::json : alir::encoding::bytecode,
       .version = form.version});
  if (!out) return to.fail(out.error(), file);
  return write_result(o.output, as_bytes(*out));
}

[[nodiscard]] exit_code convert_pipeline(const source& file, const reporting& to, const options& o,
                                         const alir_form& form) {
  if (form.encoding == "bytecode")
    return usage_error("convert", (o.form.empty() ? "bytecode" : "--to " + o.form) +
                                      " applies only to ALIR programs; this is an ALIR pipeline, "
                                      "which is always JSON");
  if (const exit_code code = check_source_options(o, form); code != success) return code;
  if (form.encoding == "json") return convert_alir_pipeline(file, to, o.output, form.version);
  report found;
  const result<alir::staged> s = verify_pipeline(file, &found);
  if (!s) return to.fail(found, s.error(), file);
  if (form.encoding == "verilog") return emit_verilog(*s, o);
  const result<alir::program> p = transform::to_program(*s);
  return p ? emit_cpp(*p, o) : to.fail(p.error(), file);
}

[[nodiscard]] exit_code convert_model(const source& file, const reporting& to,
                                      const std::string& output,
                                      std::optional<ark::dialect> dialect, bool pretty) {
  read_outcome in = read_ark(file, to);
  if (!in.graph) return in.code;
  const result<text> out =
      ark::write(*in.graph, {.to = dialect.value_or(in.graph->form), .pretty = pretty});
  if (!out) return to.fail(diagnose_ark(out.error(), file), bad_input, file.what);
  return write_result(output, as_bytes(*out));
}

/// What the command line asks for; at most one of the three forms.
struct conversion {
  explicit conversion(const options& given)
      : o(given),
        to{given.file},
        program(alir_form_of(given.form)),
        dialect(dialect_of(given.form)),
        version(version_of_name(given.form)) {}

  [[nodiscard]] std::string to_form() const { return "--to " + o.form; }
  [[nodiscard]] bool pretty(const source& file) const {
    return o.pretty || (!o.compact && is_pretty(file.characters()));
  }
  /// That of a program, of which the encoding is left to the output's name.
  [[nodiscard]] alir_form program_form(format input) const {
    alir_form form = program.value_or(alir_form{});
    if (form.encoding.empty()) form.encoding = encoding_of_name(o.output, input);
    return form;
  }

  const options& o;
  reporting to;
  std::optional<alir_form> program;
  std::optional<ark::dialect> dialect;
  std::optional<nac::header> version;
  bool is_terminal = o.output == "-" && isatty(STDOUT_FILENO) == 1;
};

[[nodiscard]] exit_code to_terminal(std::string_view what) {
  return usage_error(
      "convert", std::string(what) + " can't be written to a terminal; give a file or use a pipe");
}

[[nodiscard]] exit_code convert_program(const source& file, const conversion& r) {
  const alir_form form = r.program_form(file.what);
  if (r.is_terminal && form.encoding == "bytecode") return to_terminal("bytecode");
  return convert_alir(file, r.to, r.o, form);
}

[[nodiscard]] exit_code convert_ark(const source& file, const conversion& r) {
  if (r.version || (r.o.form.empty() && is_named(r.o.output, ".nac"))) {
    if (r.is_terminal) return to_terminal("a container");
    nac_convert_options form;
    form.form = r.version;
    form.weights_in = r.o.nac.weights_in;
    return convert_ark_to_nac(file, r.to, r.o.output, form);
  }
  if (!r.o.nac.weights_in.empty())
    return usage_error("convert", "--weights-in is for NAC containers; give --to v1.8, too");
  return convert_model(file, r.to, r.o.output, r.dialect, r.pretty(file));
}

[[nodiscard]] exit_code convert_ark_plan(const source& file, const conversion& r) {
  if (r.dialect || r.version)
    return usage_error("convert", r.to_form() + " applies only to ARK models; this is an ARK plan");
  if (is_named(r.o.output, ".nac"))
    return usage_error("convert", "only ARK models become NAC containers; this is an ARK plan");
  return convert_plan(file, r.to, r.o.output, r.pretty(file));
}

[[nodiscard]] exit_code convert_container(const source& file, const conversion& r) {
  const options& o = r.o;
  if (r.is_terminal && !r.dialect) return to_terminal("a container");
  if (!o.nac.quantize.empty() && o.nac.dequantize)
    return usage_error("convert", "--quantize and --dequantize exclude each other");
  if (o.nac.weights_out == o.output)
    return usage_error("convert", "--weights-out and OUTPUT must be different files");
  nac_convert_options how = o.nac;
  how.form = r.version;
  how.compact = o.compact;
  if (r.dialect || (o.form.empty() && is_named(o.output, ".json")))
    return convert_nac_to_ark(file, r.to, o.output, r.dialect.value_or(ark::dialect::d3), how);
  if (!how.shapes.empty())
    return usage_error("convert", "--shape is for ARK models; give --to d3, too");
  if (o.pretty || o.compact)
    return usage_error("convert", "--pretty and --compact are for ARK models; give --to d3, too");
  return convert_nac(file, r.to, o.output, how);
}

[[nodiscard]] exit_code convert_file(const options& o) {
  if (o.compact && o.pretty)
    return usage_error("convert", "--compact and --pretty exclude each other");
  const conversion r(o);
  const loaded in = load_source(r.to);
  if (!in) return in.code;
  const unsigned families = r.dialect || r.version ? in_ark | in_nac
                            : o.form.empty()       ? everywhere
                                                   : in_alir;
  return with_source(
      *in.file, r.to, "convert",
      {.check = [&](const source& f) { return check_option("convert", r.to_form(), families, f); },
       .alir = [&](const source& f) { return convert_program(f, r); },
       .alir_pipeline =
           [&](const source& f) {
             return convert_pipeline(f, r.to, o, r.program_form(format::alir_json));
           },
       .ark_model = [&](const source& f) { return convert_ark(f, r); },
       .ark_plan = [&](const source& f) { return convert_ark_plan(f, r); },
       .nac = [&](const source& f) { return convert_container(f, r); },
       .pt2 =
           [&](const source& f) {
             return r.is_terminal ? to_terminal("an archive") : convert_pt2(f, r.to, o.output);
           }});
}

}  // namespace

void add_convert(const command& app, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = app.verb("convert");
  verb.bind("FILE", o->file);
  verb.bind("--output", o->output);
  verb.bind("--to", o->form);
  verb.bind("--name", o->name);
  verb.bind("--test-bench", o->test_bench);
  verb.bind("--pretty", o->pretty);
  verb.bind("--compact", o->compact);
  verb.bind("--weights-out", o->nac.weights_out);
  verb.bind("--weights-in", o->nac.weights_in);
  verb.bind("--quantize", o->nac.quantize);
  verb.bind("--dequantize", o->nac.dequantize);
  verb.bind("--schedule", o->nac.schedule);
  verb.bind("--shape", o->nac.shapes);
  verb.callback([o, &run] { run = [o] { return convert_file(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
