// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera canonicalise`: the same model with Ids from 0 and sorted lists.

#include <memory>
#include <tessera/core/bytes.hpp>

#include "ark.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  std::string file, output = "-";
  bool compact = false;
};

[[nodiscard]] exit_code canonicalise_model(const source& file, const reporting& to,
                                           const options& o) {
  const read_outcome in = read_ark(file, to);
  if (!in.graph) return in.code;
  const ark::model canonical = ark::canonicalise(*in.graph);
  const result<text> out = ark::write(canonical, {.to = canonical.form, .pretty = !o.compact});
  if (!out) return to.fail(diagnose_ark(out.error(), file), bad_input, file.what);
  return write_result(o.output, as_bytes(*out));
}

}  // namespace

void add_canonicalise(const command& app, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = app.verb("canonicalise").alias("canonicalize");
  verb.bind("FILE", o->file);
  verb.bind("--output", o->output);
  verb.bind("--compact", o->compact);
  verb.callback([o, &run] {
    run = [o] {
      const reporting to{o->file};
      return with_file(to, "canonicalise", {.ark_model = [&](const source& file) {
                         return canonicalise_model(file, to, *o);
                       }});
    };
  });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
