// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome_output.hpp"

#include <mutex>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "genome/parallel.hpp"
#include "genome/patterns.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

exit_code fail_made(error e, const reporting& to) {
  diagnostic d;
  d.rule = e.name();
  d.message = e.message();
  d.shown = "error: " + d.message + "\n  [" + d.rule + "] in the result of converting " +
            shown_name(to.path) + '\n';
  return to.fail(d, bad_input, format::unknown);
}

namespace {

/// Calls act(i, program) for each of a set's streams, which it gets back if it was moved to there; in
/// parallel. Reports the first error.
template <class Act>
[[nodiscard]] exit_code each_verified(std::vector<genome::stream>& streams,
                                      const genome::library& in, unsigned threads,
                                      const reporting& to, Act act) {
  std::vector<error> wrong(streams.size());
  progress shown(streams.size());
  std::mutex guard;
  genomics::parallel(genomics::thread_count(threads), streams.size(), [&](unsigned, std::size_t i) {
    result<genome::program> flat = genome::verify(std::move(streams[i]), in);
    wrong[i] = flat ? act(i, std::move(*flat)) : flat.error();
    const std::lock_guard<std::mutex> lock(guard);
    shown.advance(1);
  });
  shown.clear();
  for (const error& e : wrong)
    if (e.code != errc::ok) return fail_made(e, to);
  return success;
}

/// Adds patterns of one node to the set's registry.
[[nodiscard]] exit_code add_missing_patterns(stream_set& set, const compression_options& how,
                                             const reporting& to) {
  result<genome::library> library = genome::verify(std::move(set.registry));
  if (!library) return fail_made(library.error(), to);
  const genome::compressor patterns(*library, {.results = how.results});
  std::vector<genome::missing_patterns> missing(set.streams.size());
  const exit_code code = each_verified(
      set.streams, *library, how.threads, to, [&](std::size_t i, genome::program flat) -> error {
        result<genome::missing_patterns> m = patterns.missing(flat);
        if (!m) return m.error();
        missing[i] = std::move(*m);
        set.streams[i] = std::move(flat).stream();
        return {};
      });
  if (code != success) return code;
  genomics::missing_pattern_table all;
  for (const genome::missing_patterns& m : missing) all.add(m);
  set.registry = std::move(*library).registry();
  all.add_to(set.registry);
  return success;
}

}  // namespace

exit_code compress_streams(stream_set& set, const compression_options& how, const reporting& to) {
  const std::size_t given = set.registry.patterns.size();
  if (how.extend)
    if (const exit_code code = add_missing_patterns(set, how, to); code != success) return code;
  result<genome::library> library = genome::verify(std::move(set.registry));
  if (!library) return fail_made(library.error(), to);
  const genome::compressor patterns(*library, {.results = how.results});
  const exit_code code = each_verified(set.streams, *library, how.threads, to,
                                       [&](std::size_t i, const genome::program& flat) -> error {
                                         result<genome::stream> out = patterns.run(flat);
                                         if (!out) return out.error();
                                         set.streams[i] = std::move(*out);
                                         return {};
                                       });
  set.registry = std::move(*library).registry();
  if (code == success && how.extend)
    genomics::drop_unused_patterns(set.registry, given, set.streams);
  return code;
}

result<text> write_signatures(const stream_set& set) {
  text out("{");
  for (std::size_t i = 0; i < set.streams.size(); ++i) {
    const result<text> base64 = genome::write_base64(set.streams[i]);
    if (!base64) return base64.error();
    out << (i == 0 ? "\n  " : ",\n  ");
    json::append_quoted(out, set.names[i]);
    out << ": ";
    json::append_quoted(out, *base64);
  }
  out << "\n}\n";
  return out;
}

exit_code encoded_streams::encode(const stream_set& set, const std::string& path,
                                  std::string_view verb, const reporting& to) {
  const std::string_view name = io::without_codec(path);
  const bool several = set.streams.size() != 1;
  error e;
  if (name.ends_with(".json") || (several && path == "-")) {
    result<text> out = write_signatures(set);
    if (out) return text_ = std::move(*out), success;
    e = out.error();
  } else if (several) {
    return usage_error(
        verb, "several streams need one JSON file; '" + shown_name(path) + "' must end in .json");
  } else if (path == "-" || name.ends_with(".b64")) {
    result<text> out = genome::write_base64(set.streams[0]);
    if (out) return text_ = std::move(*out), text_ << '\n', success;
    e = out.error();
  } else {
    result<pool<std::byte>> out = genome::write(set.streams[0]);
    if (out) return raw_ = std::move(*out), success;
    e = out.error();
  }
  return fail_made(e, to);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
