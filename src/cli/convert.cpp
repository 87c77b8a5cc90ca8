// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera convert`: the same program in another form.

#include <unistd.h>

#include <memory>
#include <tessera/core/bytes.hpp>

#include "ark.hpp"
#include "io/compress.hpp"
#include "nac.hpp"
#include "pt2.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  std::string file, output, form;
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

/// The form by the ending of the output's name; empty if unknown.
[[nodiscard]] std::string_view form_of_name(std::string_view path) {
  if (path == "-") return "json";
  path = io::without_codec(path);
  if (path.ends_with(".json")) return "json";
  return path.ends_with(".bc") ? "bytecode" : "";
}

[[nodiscard]] bool is_nac_name(std::string_view path) {
  return io::without_codec(path).ends_with(".nac");
}

[[nodiscard]] exit_code convert_alir(const source& file, const reporting& to,
                                     const std::string& output, std::string_view form) {
  report found;
  const result<alir::program> p = verify_alir(file, &found);
  if (!p) return to.fail(found, p.error(), file);
  if (form == "json") {
    const result<text> json = alir::write_json(p->model());
    if (json) return write_result(output, as_bytes(*json));
    return to.fail(json.error(), file);
  }
  const result<pool<std::int32_t>> words = alir::write_bytecode(p->model());
  if (!words) return to.fail(words.error(), file);
  std::vector<std::byte> raw(words->size() * 4);
  for (std::size_t i = 0; i < words->size(); ++i) store_le(raw.data() + 4 * i, (*words)[i]);
  return write_result(output, raw);
}

[[nodiscard]] exit_code convert_model(const source& file, const reporting& to,
                                      const std::string& output, ark::dialect dialect,
                                      bool pretty) {
  read_outcome in = read_ark(file, to);
  if (!in.graph) return in.code;
  const result<text> out = ark::write(*in.graph, {.to = dialect, .pretty = pretty});
  if (!out) return to.fail(diagnose_ark(out.error(), file), bad_input, file.what);
  return write_result(output, as_bytes(*out));
}

[[nodiscard]] exit_code convert_file(const options& o) {
  const reporting to{o.file};
  const std::string_view form = o.form.empty() ? form_of_name(o.output) : o.form;
  const auto nameless = [&o] {
    return usage_error("convert", "unknown form of the output '" + o.output +
                                      "'; expected a name in .json or .bc, or --to");
  };
  if (o.compact && o.pretty)
    return usage_error("convert", "--compact and --pretty exclude each other");
  const auto to_terminal = [](std::string_view what) {
    return usage_error("convert", std::string(what) +
                                      " can't be written to a terminal; give a file or use a pipe");
  };
  const bool is_terminal = o.output == "-" && isatty(STDOUT_FILENO) == 1;
  if (is_terminal && form == "bytecode") return to_terminal("bytecode");
  diagnostic why;
  const loaded in = try_load_source(o.file, why);
  // Only ALIR needs the name of the output, but if the input can't be read it is the first error of
  // the command line.
  if (!in)
    return form.empty() && !is_nac_name(o.output) ? nameless()
                                                  : to.fail(why, in.code, format::unknown);
  const std::optional<ark::dialect> dialect = dialect_of(o.form);
  const std::optional<nac::header> version = version_of_name(o.form);
  const std::string to_form = "--to " + o.form;
  const option_use uses[] = {
      {!o.form.empty(), to_form,
       dialect   ? in_ark
       : version ? in_nac
                 : in_alir},
      {o.compact, "--compact", in_ark},
      {o.pretty, "--pretty", in_ark},
      {!o.nac.weights_in.empty(), "--weights-in", in_nac},
      {!o.nac.weights_out.empty(), "--weights-out", in_nac},
      {!o.nac.quantize.empty(), "--quantize", in_nac},
      {o.nac.dequantize, "--dequantize", in_nac},
      {o.nac.schedule, "--schedule", in_nac},
  };
  return with_source(
      *in.file, to, "convert",
      {.check = [&uses](const source& file) { return check_options("convert", uses, file); },
       .alir =
           [&](const source& file) {
             return form.empty() ? nameless() : convert_alir(file, to, o.output, form);
           },
       .ark_model =
           [&](const source& file) {
             return convert_model(file, to, o.output, dialect.value_or(ark::dialect::d3),
                                  !o.compact);
           },
       .ark_plan =
           [&](const source& file) {
             if (dialect)
               return usage_error("convert",
                                  to_form + " applies only to ARK models; this is an ARK plan");
             return convert_plan(file, to, o.output, !o.compact);
           },
       .nac =
           [&](const source& file) {
             if (is_terminal) return to_terminal("a container");
             if (!o.nac.quantize.empty() && o.nac.dequantize)
               return usage_error("convert", "--quantize and --dequantize exclude each other");
             if (o.nac.weights_out == o.output || (o.nac.weights_out == "-" && o.output == "-"))
               return usage_error("convert", "--weights-out and OUTPUT must be different files");
             nac_convert_options how = o.nac;
             how.form = version;
             return convert_nac(file, to, o.output, how);
           },
       .pt2 =
           [&](const source& file) {
             return is_terminal ? to_terminal("an archive") : convert_pt2(file, to, o.output);
           }});
}

}  // namespace

void add_convert(const command& app, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = app.add_subcommand("convert", "Write a program in another form or version");
  verb.add_option("FILE", o->file, "The file to convert; - is standard input")->required();
  verb.add_option("-o,--output,OUTPUT", o->output, "The file to write; - is standard output")
      ->required();
  verb.add_option("--to", o->form,
                  "ALIR: json or bytecode (by the output's name); ARK: the dialect (d3);\n"
                  "NAC: the version (unchanged)")
      ->one_of({"json", "bytecode", "d1a", "d1b", "d1c", "d2", "d2x", "d3", "d3x", "v1.6", "v1.7",
                "v1.8"});
  verb.add_flag("--pretty", o->pretty,
                "ARK: write indented lines, as the format's own tool does (the default)");
  verb.add_flag("--compact", o->compact, "ARK: write without white space");
  verb.add_option("--weights-out", o->nac.weights_out,
                  "NAC: the safetensors file that the weights are moved to")
      ->type_name("FILE");
  verb.add_option("--weights-in", o->nac.weights_in,
                  "NAC: the safetensors file whose weights are moved into the container")
      ->type_name("FILE");
  verb.add_option("--quantize", o->nac.quantize, "NAC: the method by which weights are quantized")
      ->type_name("METHOD")
      ->one_of({"fp16", "int8_tensor", "int8_channel", "block_fp8"});
  verb.add_flag("--dequantize", o->nac.dequantize,
                "NAC: store quantized and 16-bit weights as float32");
  verb.add_flag("--schedule", o->nac.schedule,
                "NAC: replace the memory schedule: free results after their last use");
  verb.footer({R"(
ALIR: an output that ends in .json is JSON version 2, as the format's own tool writes it; one that
ends in .bc is bytecode version 2. Programs that version 2 can't represent are refused. Bytecode
holds no latencies, costs or intervals; JSON made from it has 0.0, 0.0 and each type's full interval.
ARK: models are written in the dialect of --to. Nodes of dialects before d3 have several operations;
d3 has a node for each. Plans have only one form, so they are only formatted.
NAC: sections are written in canonical order, without slack. The container must pass `tessera check`.
Weights are streamed, so the container may be larger than memory.
PT2: the archive as PyTorch lays it out. All checksums are checked; sample inputs stay as they are.
An output that ends in .gz or .zst is compressed, except PT2 archives.

Examples:
  tessera convert model.v4.json model.json.gz
  tessera convert model.json --output model.bc
  tessera convert model.bc --output - | jq .model[5][0]
  tessera convert ark.d1b.json ark.json --to d3
  tessera convert ark.json - --to d2 --compact
  tessera convert model.nac small.nac --quantize int8_channel
  tessera convert model.nac slim.nac --weights-out slim.safetensors
  tessera convert old.nac new.nac --to v1.8

)",
               exit_codes_help});
  verb.callback([o, &run] { run = [o] { return convert_file(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
