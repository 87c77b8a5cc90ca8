// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera check`: is each file valid?

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  std::vector<std::string> files;
  bool json = false;
};

/// What is wrong with a file of a known format; ok if nothing is.
[[nodiscard]] error check(const source& file) {
  switch (file.what) {
    case format::alir_json:
    case format::alir_bytecode: return verify_alir(file).err();
    case format::unknown: break;
  }
  return {};
}

[[nodiscard]] exit_code check_file(const reporting& to) {
  const loaded in = load_source(to);
  if (!in) return in.code;
  if (const error e = check(*in.file); e.code != errc::ok) return to.fail(e, *in.file);
  if (to.as_json) {
    const text report = file_report(to.path, in.file->what, nullptr);
    return print_result(report);
  }
  return print_result(in.file->name + ": ok (" + std::string(info(in.file->what).description) +
                      ")\n");
}

}  // namespace

void add_check(CLI::App& app, action& run) {
  const auto o = std::make_shared<options>();
  CLI::App* const verb =
      app.add_subcommand("check", "Tell whether files are valid, and if not, why");
  verb->add_option("FILE", o->files, "Files to check; - is standard input")->required();
  verb->add_flag("--json", o->json,
                 "One JSON object a line and file: file, format, ok, diagnostics");
  verb->footer(std::string("Examples:\n"
                           "  tessera check *.json\n"
                           "  zcat model.json.gz | tessera check - --json\n\n") +
               exit_codes_help + "With several files: the highest of theirs.\n");
  verb->callback([o, &run] {
    run = [o] {
      exit_code code = success;
      for (const std::string& file : o->files) code = std::max(code, check_file({file, o->json}));
      return code;
    };
  });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
