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
  const command verb =
      app.add_subcommand("canonicalise", "Renumber the Ids of an ARK model and sort its lists")
          .alias("canonicalize");
  verb.add_option("FILE", o->file, "The model; - is standard input")->required();
  verb.add_option("-o,--output,OUTPUT", o->output, "The file to write (standard output)");
  verb.add_flag("--compact", o->compact, "Write without white space");
  verb.footer({R"(
The format's own serializer numbers tensors and buffers along with everything else that its process
created and orders edges by address, so two runs write different text. Here Ids count from 0 in the
order of their first use, and edges and tags are sorted; operations, names and the dialect don't
change.
Models that differ in nothing else become identical, byte for byte.

Examples:
  tessera canonicalise model.json canonical.json
  tessera canonicalise model.json | sha256sum
  tessera canonicalise model.json.gz --compact -o model.min.json

)",
               exit_codes_help});
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
