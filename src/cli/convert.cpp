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
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  std::string file, output, form;
  bool compact = false, pretty = false;
  nac_convert_options nac;
};

/// The dialect of a name in lower case; none for the forms of ALIR.
[[nodiscard]] std::optional<ark::dialect> dialect_of(std::string_view form) {
  for (const ark::dialect_row& row : ark::dialect_table)
    if (form.size() == row.name.size() && form.substr(1) == row.name.substr(1) && form[0] == 'd')
      return row.which;
  return std::nullopt;
}

/// The version of "v1.6" and so on; none for the forms of others.
[[nodiscard]] std::optional<nac::header> version_of_name(std::string_view form) {
  for (const nac::header h : {nac::header::v1_6, nac::header::v1_7, nac::header::v1_8})
    if (form.size() == 4 && form[0] == 'v' && form.substr(1) == version_of(h)) return h;
  return std::nullopt;
}

/// The form that the name of the output asks for; empty when it says nothing.
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
    return usage_error("convert", "can't tell the form from the name '" + o.output +
                                      "': end it in .json or .bc, or say --to");
  };
  if (o.compact && o.pretty) return usage_error("convert", "--compact or --pretty, not both");
  if (o.output == "-" && form == "bytecode" && isatty(STDOUT_FILENO) == 1)
    return usage_error("convert", "bytecode on a terminal: give a file, or a pipe");
  diagnostic why;
  const loaded in = try_load_source(o.file, why);
  // The name of the output only matters to ALIR; but where nothing can be read, it's the first
  // thing that is wrong.
  if (!in)
    return form.empty() && !is_nac_name(o.output) ? nameless()
                                                  : to.fail(why, in.code, format::unknown);
  const source& file = *in.file;
  const std::optional<nac::header> version = version_of_name(o.form);
  if (file.what == format::nac) {
    if ((!o.form.empty() && !version) || o.compact || o.pretty)
      return usage_error("convert", "'" + file.name +
                                        "' is a NAC container: --to is v1.6, v1.7 or v1.8, and "
                                        "--compact and --pretty are for ARK");
    if (o.output == "-" && isatty(STDOUT_FILENO) == 1)
      return usage_error("convert", "a container on a terminal: give a file, or a pipe");
    if (!o.nac.quantize.empty() && o.nac.dequantize)
      return usage_error("convert", "--quantize or --dequantize, not both");
    if (o.nac.weights_out == o.output || (o.nac.weights_out == "-" && o.output == "-"))
      return usage_error("convert", "--weights-out and OUTPUT have to be two files");
    nac_convert_options how = o.nac;
    how.form = version;
    return convert_nac(file, to, o.output, how);
  }
  if (file.what != format::alir_json && file.what != format::alir_bytecode &&
      file.what != format::ark_model && file.what != format::ark_plan)
    return not_for(file, to, "convert", "ALIR programs, ARK models, ARK plans and NAC containers");
  if (version || o.nac.any())
    return usage_error("convert", "'" + file.name + "' is " + std::string(info(file.what).article) +
                                      std::string(info(file.what).description) +
                                      ": versions, weights and quantization are for NAC");
  const bool is_ark = file.what == format::ark_model || file.what == format::ark_plan;
  const std::optional<ark::dialect> dialect = dialect_of(o.form);
  if (!is_ark) {
    if (form.empty()) return nameless();
    if (dialect || o.compact || o.pretty)
      return usage_error("convert", "'" + file.name + "' is " +
                                        std::string(info(file.what).description) +
                                        ": dialects, --compact and --pretty are for ARK");
    return convert_alir(file, to, o.output, form);
  }
  if (!o.form.empty() && !dialect)
    return usage_error("convert", "'" + file.name + "' is an " +
                                      std::string(info(file.what).description) +
                                      ": --to json and --to bytecode are for ALIR");
  if (file.what == format::ark_plan) {
    if (dialect)
      return usage_error("convert", "'" + file.name + "' is an ARK plan: there's one form");
    return convert_plan(file, to, o.output, !o.compact);
  }
  return convert_model(file, to, o.output, dialect.value_or(ark::dialect::d3), !o.compact);
}

}  // namespace

void add_convert(const command& app, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = app.add_subcommand("convert", "Write a program in another form");
  verb.add_option("FILE", o->file, "The file to convert; - is standard input")->required();
  verb.add_option("-o,--output,OUTPUT", o->output, "The file to write; - is standard output")
      ->required();
  verb.add_option("--to", o->form,
                  "ALIR: json or bytecode, else by the output's name; ARK: a dialect (d3);\n"
                  "NAC: v1.6, v1.7 or v1.8, else the version stays")
      ->one_of({"json", "bytecode", "d1a", "d1b", "d1c", "d2", "d2x", "d3", "d3x", "v1.6", "v1.7",
                "v1.8"});
  verb.add_flag("--pretty", o->pretty, "ARK: over many lines, as its own tool does; the default");
  verb.add_flag("--compact", o->compact, "ARK: without white space");
  verb.add_option("--weights-out", o->nac.weights_out,
                  "NAC: move the weights to a safetensors file")
      ->type_name("FILE");
  verb.add_option("--weights-in", o->nac.weights_in,
                  "NAC: move the weights of a safetensors file into the container")
      ->type_name("FILE");
  verb.add_option("--quantize", o->nac.quantize, "NAC: store weights by a method")
      ->type_name("METHOD")
      ->one_of({"fp16", "int8_tensor", "int8_channel", "block_fp8"});
  verb.add_flag("--dequantize", o->nac.dequantize,
                "NAC: store quantized and 16-bit weights as float32");
  verb.add_flag("--schedule", o->nac.schedule,
                "NAC: plan the memory schedule anew, by when results are used last");
  verb.footer(
      std::string(
          "ALIR: the output's ending tells the form: .json is ALIR JSON version 2, as the "
          "format's\n"
          "own tool writes it, and .bc is ALIR bytecode version 2. What version 2 can't hold is\n"
          "refused. Bytecode has no latencies, costs and intervals; JSON made from it has 0.0, "
          "0.0\n"
          "and the widest interval of each type.\n"
          "ARK: models are written in the dialect of --to. Those before d3 hold several "
          "operations\n"
          "in a node, which are taken apart on the way to d3. Plans are only laid out anew.\n"
          "NAC: sections are written anew, in their order and without slack. What check refuses "
          "isn't\n"
          "converted. A container's weights are streamed: it may be larger than memory.\n"
          "A further .gz or .zst compresses.\n\n"
          "Examples:\n"
          "  tessera convert model.v4.json model.json.gz\n"
          "  tessera convert model.json --output model.bc\n"
          "  tessera convert model.bc --output - | jq .model[5][0]\n"
          "  tessera convert ark.d1b.json ark.json --to d3\n"
          "  tessera convert ark.json - --to d2 --compact\n"
          "  tessera convert model.nac small.nac --quantize int8_channel\n"
          "  tessera convert model.nac slim.nac --weights-out slim.safetensors\n"
          "  tessera convert old.nac new.nac --to v1.8\n\n") +
      exit_codes_help);
  verb.callback([o, &run] { run = [o] { return convert_file(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
