// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the verbs below `tessera genome` share, and what other verbs do with files of NAC v1.2.

#ifndef TESSERA_CLI_GENOME_HPP
#define TESSERA_CLI_GENOME_HPP

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "genome/convert.hpp"
#include "genome/corpus.hpp"
#include "genome/gene.hpp"
#include "tessera/ark.hpp"
#include "tessera/genome.hpp"
#include "tessera/nac/all.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

struct run_options;

// ---- files of v1.2

/// A stream where it stands: a file of bytes or of base64, or a member of signatures. Lifetime:
/// borrows the file.
struct stored_stream {
  const source* file = nullptr;
  std::string name = {};    ///< of the member of signatures; else empty
  std::string base64 = {};  ///< of a member; else the file is all
  std::uint64_t first = 0;  ///< of `base64` in the file
  bool escaped = false;     ///< then places inside of `base64` can't be told

  [[nodiscard]] result<genome::stream> read() const;
  /// What is wrong with the text, or with the bytes that it stands for.
  [[nodiscard]] diagnostic diagnose_read(error e) const;
  [[nodiscard]] diagnostic diagnose_stream(error e, const genome::stream& read) const;
  /// The findings of a report, whose offsets count the stream's bytes.
  [[nodiscard]] std::vector<diagnostic> diagnose_stream(report found) const;
  /// Where a byte of the stream is in the file.
  [[nodiscard]] std::uint64_t in_file(std::uint64_t byte) const;
};
/// Each stream of a file until one fails; tells what is wrong with signatures.
[[nodiscard]] exit_code each_stream(const source& file, const reporting& to,
                                    const std::function<exit_code(const stored_stream&)>& act);

/// registry.json, .gz or .zst, in the folder of a file; empty where there is none.
[[nodiscard]] std::string registry_beside(const std::string& path);

/// Registries that streams need, each read once.
class libraries {
 public:
  /// `given` is the path of --registry; empty: the file beside.
  explicit libraries(std::string given = "") : given_(std::move(given)) {}
  /// For the streams of a file; else what is wrong has been told and `code` says so.
  [[nodiscard]] const genome::library* of(const reporting& file, exit_code& code);
  [[nodiscard]] const std::string& given() const noexcept { return given_; }

 private:
  std::string given_;
  std::map<std::string, std::unique_ptr<genome::library>> read_;
};
/// A registry that was verified; else it has been told.
struct library_outcome {
  std::unique_ptr<genome::library> library = {};
  exit_code code = success;
};
[[nodiscard]] library_outcome verify_registry(const source& file, const reporting& to);
/// A stream that was verified; else it has been told.
struct program_outcome {
  std::optional<genome::program> program = {};
  exit_code code = success;
};
[[nodiscard]] program_outcome verify_stream(const stored_stream& s, const genome::library& in,
                                            const reporting& to);

/// What a file is that is nothing else, when a registry was named.
[[nodiscard]] inline format streams_of(const std::string& registry) noexcept {
  return registry.empty() ? format::unknown : format::genome_binary;
}
/// --registry, for verbs of all formats.
void add_genome_options(const command& verb, std::string& registry);

[[nodiscard]] exit_code check_registry(const source& file, const reporting& to);
[[nodiscard]] exit_code check_streams(const source& file, const reporting& to,
                                      const std::string& registry);
[[nodiscard]] exit_code print_registry(const source& file, const reporting& to);
[[nodiscard]] exit_code print_streams(const source& file, const reporting& to,
                                      const std::string& registry);
[[nodiscard]] exit_code info_registry(const source& file, const reporting& to);
[[nodiscard]] exit_code info_streams(const source& file, const reporting& to,
                                     const std::string& registry);

// ---- inputs of the verbs below genome

struct genome_inputs {
  std::vector<std::string> paths;
  std::string registry;
  bool keep_going = false, json = false;

  /// FILE…, --registry and --keep-going; --json where `json_help` says what it does.
  void add_options(const command& verb, const char* json_help);
};

/// A graph as its file has it. Lifetime: of the call.
struct input_graph {
  std::string name;
  const source* file = nullptr;
  const stored_stream* stream = nullptr;  ///< of a program of v1.2
  std::variant<const genome::program*, const nac::program*, const ark::model*> graph;

  /// An error that has its place in the file.
  [[nodiscard]] diagnostic diagnose(error e) const;
};
/// How reading went on: the verb goes on too, if `complete`; then `code` is its code but for what
/// else goes wrong.
struct input_outcome {
  exit_code code = success;
  bool complete = true;
};
/// All graphs of the inputs, one file at a time. `act` gives an error of the graph's file.
[[nodiscard]] input_outcome each_graph(const genome_inputs& in, std::string_view verb,
                                       libraries& registries,
                                       const std::function<error(const input_graph&)>& act);
/// The same into a corpus.
[[nodiscard]] input_outcome read_corpus(const genome_inputs& in, std::string_view verb,
                                        genomics::corpus& out,
                                        const genomics::conversion_options& how = {});

/// Streams of all inputs over one registry.
struct stream_set {
  genome::registry registry;
  std::vector<std::string> names;
  std::vector<genome::stream> streams;
  bool converted = false;  ///< some input had no registry, or another one
};
struct stream_options {
  bool flat = false;  ///< without patterns; else streams of the registry keep theirs
  genome::expand_options expand = {};
};
[[nodiscard]] input_outcome read_streams(const genome_inputs& in, std::string_view verb,
                                         const stream_options& how, stream_set& out);

/// What a verb that has read its inputs ends with.
[[nodiscard]] inline exit_code finish(const input_outcome& in, exit_code wrote) {
  return std::max(in.code, wrote);
}

/// Shows how far work is that calls back.
[[nodiscard]] genomics::progress_function shown_progress();

// ---- genes

/// Which genes are looked for.
struct gene_options {
  bool connected = false;
  std::uint32_t gap = 0;
  std::optional<std::uint32_t> min_nodes, max_nodes, min_models, max_genes;
  std::optional<std::uint64_t> min_score;
  unsigned threads = 0;

  void add_options(const command& verb);
  /// Whether they contradict each other; then that is said.
  [[nodiscard]] bool is_wrong(std::string_view verb) const;
  [[nodiscard]] genomics::findings mine(const genomics::corpus& of) const;
};

// ---- the verbs

void add_genome_mine(const command& genome, action& run);
void add_genome_compress(const command& genome, action& run);
void add_genome_expand(const command& genome, action& run);
void add_genome_rules(const command& genome, action& run);
void add_genome_profile(const command& genome, action& run);
void add_genome_compare(const command& genome, action& run);
void add_genome_tree(const command& genome, action& run);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_GENOME_HPP
