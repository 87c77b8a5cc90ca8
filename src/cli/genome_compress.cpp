// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera genome compress` and `tessera genome expand`: streams with patterns and without.

#include <algorithm>
#include <charconv>
#include <memory>
#include <tessera/core/bytes.hpp>
#include <utility>

#include "genome.hpp"
#include "genome_output.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct options {
  genome_inputs in;
  std::string output = "-", registry;
  std::vector<std::string> results;
  bool keep_copies = false;
  unsigned threads = 0;
};

/// "18=5": consumers of pattern 18 use its node 5.
[[nodiscard]] bool parse_results(const std::vector<std::string>& words,
                                 pool<genome::pattern_result>& out) {
  for (const std::string& word : words) {
    genome::pattern_result r;
    const char* const end = word.data() + word.size();
    std::from_chars_result at = std::from_chars(word.data(), end, r.pattern_id);
    const bool is_pair = at.ec == std::errc{} && at.ptr != end && *at.ptr == '=';
    if (is_pair) at = std::from_chars(at.ptr + 1, end, r.node);
    if (!is_pair || at.ec != std::errc{} || at.ptr != end) {
      (void)usage_error("genome", "--result: expected ID=NODE, found '" + shown_name(word) + "'");
      return false;
    }
    out.push_back(r);
  }
  return true;
}

/// Writes all streams and, with --output-registry, their registry.
[[nodiscard]] exit_code write_set(const options& o, std::string_view verb, const stream_set& set,
                                  const reporting& to) {
  if (set.converted && o.registry.empty())
    return usage_error(
        verb,
        "inputs without this registry extend it; give --output-registry FILE for the "
        "new one");
  if (!o.registry.empty() && o.registry == o.output)
    return usage_error(verb, "--output and --output-registry must be different files");
  encoded_streams out;
  if (const exit_code code = out.encode(set, o.output, verb, to); code != success) return code;
  if (o.registry.empty()) return write_result(o.output, out.data());
  const result<text> registry = genome::write_registry(set.registry);
  if (!registry) return fail_made(registry.error(), to);
  return write_results({{o.registry, as_bytes(*registry)}, {o.output, out.data()}});
}

[[nodiscard]] exit_code expand_files(const options& o) {
  pool<genome::pattern_result> results;
  if (!parse_results(o.results, results)) return wrong_usage;
  stream_set set;
  const input_outcome in =
      read_streams(o.in, "genome expand",
                   {.flat = true, .expand = {.copies = !o.keep_copies, .results = results}}, set);
  if (!in.complete) return in.code;
  return finish(in, write_set(o, "genome expand", set, {o.in.paths[0]}));
}

[[nodiscard]] exit_code compress_files(const options& o) {
  pool<genome::pattern_result> results;
  if (!parse_results(o.results, results)) return wrong_usage;
  const reporting to{o.in.paths[0]};
  stream_set set;
  const input_outcome in =
      read_streams(o.in, "genome compress",
                   {.flat = true, .expand = {.copies = false, .results = results}}, set);
  if (!in.complete) return in.code;
  const exit_code code = compress_streams(
      set, {.results = results, .threads = o.threads, .extend = !o.registry.empty()}, to);
  if (code != success) return code;
  return finish(in, write_set(o, "genome compress", set, to));
}

[[nodiscard]] command add_verb(const command& genome, const char* name,
                               const std::shared_ptr<options>& o) {
  const command verb = genome.verb(name);
  o->in.add_options(verb, false);
  verb.bind("--output", o->output);
  verb.bind("--output-registry", o->registry);
  verb.bind("--result", o->results);
  return verb;
}

}  // namespace

void add_genome_compress(const command& genome, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = add_verb(genome, "compress", o);
  verb.bind("--threads", o->threads);
  verb.callback([o, &run] { run = [o] { return compress_files(*o); }; });
}

void add_genome_expand(const command& genome, action& run) {
  const auto o = std::make_shared<options>();
  const command verb = add_verb(genome, "expand", o);
  verb.bind("--keep-copies", o->keep_copies);
  verb.callback([o, &run] { run = [o] { return expand_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
