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

[[nodiscard]] exit_code check_file(const reporting& to) {
  const auto fine = [&to](const source& file) {
    if (to.as_json) {
      const text report = file_report(to.path, file.what, nullptr);
      return print_result(report);
    }
    return print_result(file.name + ": ok (" + std::string(info(file.what).description) + ")\n");
  };
  return with_file(to, [&](const source& file) {
    const error e = verify_alir(file).err();
    return e.code == errc::ok ? fine(file) : to.fail(e, file);
  });
}

}  // namespace

void add_check(CLI::App& app, action& run) {
  const auto files = std::make_shared<file_list>();
  CLI::App* const verb =
      app.add_subcommand("check", "Tell whether files are valid, and if not, why");
  files->add_options(*verb, "Files to check",
                     "One JSON object a line and file: file, format, ok, diagnostics");
  verb->footer(std::string("Examples:\n"
                           "  tessera check *.json\n"
                           "  zcat model.json.gz | tessera check - --json\n\n") +
               exit_codes_help + "With several files: the highest of theirs.\n");
  verb->callback([files, &run] { run = [files] { return files->each("check", check_file); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
