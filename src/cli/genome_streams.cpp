// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Streams and registries of NAC v1.2 in files, and their diagnostics.

#include <algorithm>
#include <filesystem>
#include <tessera/core/json.hpp>
#include <utility>

#include "genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// The offset of the group of four characters that encodes a byte.
[[nodiscard]] std::uint64_t place_of_byte(std::string_view base64, std::uint64_t byte) {
  const std::size_t start = base64.find_first_not_of(" \t\r\n");
  const std::size_t end = base64.find_last_not_of(" \t\r\n") + 1;
  if (start == base64.npos) return base64.size();
  return std::min<std::uint64_t>(start + byte / 3 * 4, end);
}

/// The last node that begins at or before an offset into a stream.
[[nodiscard]] std::size_t node_at(const genome::stream_view& s, std::uint64_t offset) {
  std::size_t low = 0, high = s.size();
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (offset_of(s, middle) <= offset ? low : high) = middle;
  }
  return low;
}

[[nodiscard]] diagnostic no_registry(const reporting& file) {
  return diagnose(
      shown_name(file.path), "registry",
      "the stream's registry is missing; give --registry FILE, or put registry.json in its folder");
}

}  // namespace

result<genome::stream> stored_stream::read() const {
  if (!name.empty() || file->what == format::genome_signatures) return genome::read_base64(base64);
  return file->what == format::genome_stream
             ? genome::read_base64(file->characters())
             : genome::read(file->data(), {.encoding = genome::encoding::bytes});
}

diagnostic stored_stream::diagnose_read(error e) const {
  if (file->what == format::genome_signatures) e.offset = first + (escaped ? 0 : e.offset);
  return diagnose(e, *file);
}

std::uint64_t stored_stream::in_file(std::uint64_t byte) const {
  if (file->what == format::genome_stream) return place_of_byte(file->characters(), byte);
  if (file->what == format::genome_signatures)
    return first + (escaped ? 0 : place_of_byte(base64, byte));
  return byte;
}

std::vector<diagnostic> stored_stream::diagnose_stream(report found) const {
  std::vector<std::string> places;  // in the stream, shown after the place in JSON
  for (tessera::diagnostic& d : found.diagnostics) {
    if (d.where.index != error_index::none) continue;
    if (file->what == format::genome_signatures) {
      places.push_back("  at " + std::string(found.text_of(d.path)) + ", byte " +
                       std::to_string(d.where.offset) + " of the stream\n");
      d.path = {};
    }
    d.where.offset = in_file(d.where.offset);
  }
  std::vector<diagnostic> all = diagnose(found, *file);
  for (std::size_t i = 0; i < places.size(); ++i) all[i].shown += places[i];
  return all;
}

diagnostic stored_stream::diagnose_stream(error e, const genome::stream& read) const {
  const std::uint64_t byte = e.offset;
  e.offset = in_file(byte);
  diagnostic d = diagnose(e, *file);
  const std::string place = read.size() == 0
                                ? "at byte " + std::to_string(byte)
                                : "at node " + std::to_string(node_at(read, byte)) + ", byte " +
                                      std::to_string(byte) + " of the stream";
  d.shown += "  " + place + '\n';
  return d;
}

exit_code each_stream(const source& file, const reporting& to,
                      const std::function<exit_code(const stored_stream&)>& act) {
  if (file.what != format::genome_signatures) return act({&file});
  const std::string_view text = file.characters();
  // Checked as a whole first, so that a malformed file is reported before any stream is used.
  json::reader all(text);
  std::string_view name;
  for (all.object(); all.key(name);) {
    if (all.peek() != json::kind::string) all.fail(errc::json_expected_string, all.offset());
    all.skip();
  }
  if (const error e = all.finish(); e.code != errc::ok) return to.fail(e, file);

  json::reader in(text);
  for (in.object(); in.key(name);) {
    stored_stream s{&file, std::string(name)};
    s.first = in.offset() + 1;
    s.base64 = in.string();
    s.escaped = text.substr(static_cast<std::size_t>(s.first), s.base64.size()) != s.base64;
    if (const exit_code code = act(s); code != success) return code;
  }
  return success;
}

std::string default_registry(const std::string& path) {
  if (path == "-") return {};
  for (const char* const name : {"registry.json", "registry.json.gz", "registry.json.zst"}) {
    const std::filesystem::path sibling = std::filesystem::path(path).parent_path() / name;
    std::error_code unknown;
    if (std::filesystem::is_regular_file(sibling, unknown)) return sibling.string();
  }
  return {};
}

library_outcome verify_registry(const source& file, const reporting& to) {
  library_outcome out;
  result<genome::registry> read = genome::read_registry(file.characters());
  if (!read) {
    out.code = to.fail(read.error(), file);
    return out;
  }
  report found;
  result<genome::library> verified = genome::verify(std::move(*read), {}, &found);
  if (!verified) {
    out.code = to.fail(found, verified.error(), file);
    return out;
  }
  out.library = std::make_unique<genome::library>(std::move(*verified));
  return out;
}

const genome::library* libraries::of(const reporting& file, exit_code& code) {
  const std::string path = given_.empty() ? default_registry(file.path) : given_;
  if (path.empty()) {
    code = file.fail(no_registry(file), bad_input, format::unknown);
    return nullptr;
  }
  if (const auto known = read_.find(path); known != read_.end()) return known->second.get();
  const reporting to{path, file.as_json};
  const loaded in = load_source(to, format::unknown, io::side_input);
  if (!in) {
    code = in.code;
    return nullptr;
  }
  if (in.file->what != format::genome_registry) {
    code = wrong_format(*in.file, to, "--registry", "NAC v1.2 registries");
    return nullptr;
  }
  library_outcome out = verify_registry(*in.file, to);
  code = out.code;
  if (out.code != success) return nullptr;
  return read_.emplace(path, std::move(out.library)).first->second.get();
}

program_outcome verify_stream(const stored_stream& s, const genome::library& in,
                              const reporting& to) {
  result<genome::stream> read = s.read();
  if (!read) return {std::nullopt, to.fail(s.diagnose_read(read.error()), bad_input, s.file->what)};
  report found;
  result<genome::program> verified = genome::verify(std::move(*read), in, {}, &found);
  if (verified) return {std::move(*verified), success};
  return {std::nullopt, to.fail(s.diagnose_stream(std::move(found)), s.file->what)};
}

stream_choice choose_stream(const source& file, const reporting& to, std::string_view verb,
                            const std::string& name) {
  const bool several = file.what == format::genome_signatures;
  if (!several && !name.empty())
    return {std::nullopt, usage_error(verb, "--stream applies only to signatures; this is " +
                                                std::string(info(file.what).article) +
                                                std::string(info(file.what).description))};
  std::vector<stored_stream> streams;
  std::string names;
  const exit_code code = each_stream(file, to, [&](const stored_stream& s) {
    if (!several || s.name == name || name.empty()) streams.push_back(s);
    names.append(names.empty() ? "" : ", ").append(shown_name(s.name));
    return success;
  });
  if (code != success) return {std::nullopt, code};
  if (streams.size() == 1) return {std::move(streams[0]), success};
  return {std::nullopt,
          usage_error(
              verb, (name.empty() ? "no stream selected; give --stream with one of "
                                  : "unknown stream '" + shown_name(name) + "'; expected one of ") +
                        names)};
}

void add_genome_options(const command& verb, std::string& registry) {
  verb.bind("--registry", registry);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
