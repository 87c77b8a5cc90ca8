// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera fmt`: NEM text in canonical layout, with its comments.

#include <algorithm>
#include <memory>
#include <tessera/core/bytes.hpp>
#include <utility>

#include "nem.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  file_list files;
  bool check = false, write = false;
};

/// Reports the first place that formatting would change.
[[nodiscard]] exit_code report_difference(std::string_view before, std::string_view after,
                                          const source& file, const reporting& to) {
  std::size_t same = 0;
  while (same < before.size() && same < after.size() && before[same] == after[same]) ++same;
  diagnostic d;
  d.rule = "fmt";
  d.message = "not in canonical layout";
  d.offset = same;
  const line_column at = locate(before, same);
  d.line = at.line;
  d.column = at.column;
  d.shown = file.name + ':' + std::to_string(at.line) + ':' + std::to_string(at.column) +
            ": error: " + d.message + "; `tessera fmt --write` formats the file\n";
  return to.fail(d, bad_input, file.what);
}

[[nodiscard]] exit_code format_file(const source& file, const reporting& to, const options& o) {
  const nem_document in = read_nem(file, to);
  if (!in.document) return in.code;
  const text out = nem::reformat(*in.document, file.characters());
  const bool same = out == file.characters();
  if (o.check) return same ? success : report_difference(file.characters(), out, file, to);
  if (!o.write) return out.empty() ? success : write_result("-", as_bytes(out));
  return same ? success : write_result(to.path, as_bytes(out));
}

}  // namespace

void add_fmt(const command& app, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = app.verb("fmt");
  o->files.add_options(verb);
  const option check = verb.bind("--check", o->check);
  verb.bind("--write", o->write)->excludes(check);
  verb.callback([o, &run] {
    run = [o] {
      if (o->write &&
          std::find(o->files.paths.begin(), o->files.paths.end(), "-") != o->files.paths.end())
        return usage_error("fmt", "--write can't be used with standard input");
      return o->files.each("fmt", [&o](const reporting& to) {
        // Read as NEM, whatever its content, so that errors are those of NEM.
        io::expected<io::content> content = io::load(to.path);
        if (!content) return to.fail(content.error());
        return format_file({shown_name(to.path), std::move(*content), format::nem}, to, *o);
      });
    };
  });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
