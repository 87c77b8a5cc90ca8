// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera convert`: the same program in another form.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "io/compress.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  std::string file, output, form;
};

/// The form that the name of the output asks for; empty when it says nothing.
[[nodiscard]] std::string_view form_of_name(std::string_view path) {
  if (path == "-") return "json";
  path = io::without_codec(path);
  if (path.ends_with(".json")) return "json";
  return path.ends_with(".bc") ? "bytecode" : "";
}

[[nodiscard]] exit_code convert_alir(const source& file, const reporting& to,
                                     const std::string& output, std::string_view form) {
  const result<alir::program> p = verify_alir(file);
  if (!p) return to.fail(p.err(), file);
  if (form == "json") {
    const result<text> json = alir::write_json(p->model());
    if (json) return write_result(output, as_bytes(*json));
    return to.fail(json.err(), file);
  }
  const result<pool<std::int32_t>> words = alir::write_bytecode(p->model());
  if (!words) return to.fail(words.err(), file);
  std::vector<std::byte> raw(words->size() * 4);
  for (std::size_t i = 0; i < words->size(); ++i) store_le(raw.data() + 4 * i, (*words)[i]);
  return write_result(output, raw);
}

}  // namespace

void add_convert(CLI::App& app, action& run) {
  const auto o = std::make_shared<options>();
  CLI::App* const verb = app.add_subcommand("convert", "Write a program in another form");
  verb->add_option("FILE", o->file, "The file to convert; - is standard input")->required();
  verb->add_option("-o,--output,OUTPUT", o->output, "The file to write; - is standard output")
      ->required();
  verb->add_option("--to", o->form, "json or bytecode, where the name of the output doesn't say")
      ->check(CLI::IsMember({"json", "bytecode"}));
  verb->footer(
      std::string(
          "The output's ending tells the form: .json is ALIR JSON version 2, as the format's own\n"
          "tool writes it, and .bc is ALIR bytecode version 2. A further .gz or .zst compresses.\n"
          "What version 2 can't hold is refused. Bytecode has no latencies, costs and intervals;\n"
          "JSON made from it has 0.0, 0.0 and the widest interval of each type.\n\n"
          "Examples:\n"
          "  tessera convert model.v4.json model.json.gz\n"
          "  tessera convert model.json --output model.bc\n"
          "  tessera convert model.bc --output - | jq .model[5][0]\n\n") +
      exit_codes_help);
  verb->callback([o, &run] {
    run = [o] {
      const std::string_view form = o->form.empty() ? form_of_name(o->output) : o->form;
      if (form.empty())
        return usage_error("convert", "can't tell the form from the name '" + o->output +
                                          "': end it in .json or .bc, or say --to");
      if (o->output == "-" && form == "bytecode" && isatty(STDOUT_FILENO) == 1)
        return usage_error("convert", "bytecode on a terminal: give a file, or a pipe");
      const reporting to{o->file};
      return with_file(to,
                       [&](const source& file) { return convert_alir(file, to, o->output, form); });
    };
  });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
