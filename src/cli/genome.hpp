// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the verbs of `tessera genome` share, and the other verbs' actions for files of NAC v1.2.

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
#include "genome/tree.hpp"
#include "tessera/ark.hpp"
#include "tessera/genome.hpp"
#include "tessera/nac/all.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

struct run_options;

// ---- files of v1.2

/// A stream in a file of bytes, of base64 or of signatures. Lifetime: borrows the file.
struct stored_stream {
  const source* file = nullptr;
  std::string name = {};    ///< the key in signatures; else empty
  std::string base64 = {};  ///< the value in signatures; else empty, the stream is the whole file
  std::uint64_t first = 0;  ///< of `base64` in the file
  bool escaped = false;     ///< whether `base64` has JSON escapes; then places in it are unknown

  [[nodiscard]] result<genome::stream> read() const;
  /// The diagnostic for an error in the base64 text, or in the stream's bytes.
  [[nodiscard]] diagnostic diagnose_read(error e) const;
  [[nodiscard]] diagnostic diagnose_stream(error e, const genome::stream& read) const;
  /// The findings of a report; their offsets are into the stream's bytes.
  [[nodiscard]] std::vector<diagnostic> diagnose_stream(report found) const;
  /// The file offset of a byte of the stream.
  [[nodiscard]] std::uint64_t in_file(std::uint64_t byte) const;
};
/// Calls `act` for each stream of a file until one fails. Reports malformed signatures.
[[nodiscard]] exit_code each_stream(const source& file, const reporting& to,
                                    const std::function<exit_code(const stored_stream&)>& act);

/// registry.json, .gz or .zst, in the folder of a file; empty if there is none.
[[nodiscard]] std::string default_registry(const std::string& path);

/// The registries of streams; each is read once.
class libraries {
 public:
  /// `given` is the path of --registry; empty: default_registry.
  explicit libraries(std::string given = "") : given_(std::move(given)) {}
  /// The registry for the streams of a file; null: the error has been reported, and `code` is set.
  [[nodiscard]] const genome::library* of(const reporting& file, exit_code& code);
  [[nodiscard]] const std::string& given() const noexcept { return given_; }

 private:
  std::string given_;
  std::map<std::string, std::unique_ptr<genome::library>> read_;
};
/// A verified registry; without one, the error has been reported.
struct library_outcome {
  std::unique_ptr<genome::library> library = {};
  exit_code code = success;
};
[[nodiscard]] library_outcome verify_registry(const source& file, const reporting& to);
/// A verified stream; without one, the error has been reported.
struct program_outcome {
  std::optional<genome::program> program = {};
  exit_code code = success;
};
[[nodiscard]] program_outcome verify_stream(const stored_stream& s, const genome::library& in,
                                            const reporting& to);

/// The only stream of a file, or the one of a name; without one, the error has been reported.
struct stream_choice {
  std::optional<stored_stream> stream = {};
  exit_code code = success;
};
[[nodiscard]] stream_choice choose_stream(const source& file, const reporting& to,
                                          std::string_view verb, const std::string& name);

/// The format of unrecognised content: a stream, if --registry is given.
[[nodiscard]] inline format streams_of(const std::string& registry) noexcept {
  return registry.empty() ? format::unknown : format::genome_binary;
}
/// Binds --registry.
void add_genome_options(const command& verb, std::string& registry);

[[nodiscard]] exit_code check_registry(const source& file, const reporting& to);
[[nodiscard]] exit_code check_streams(const source& file, const reporting& to,
                                      const std::string& registry, bool runnable);
[[nodiscard]] exit_code print_registry(const source& file, const reporting& to);
[[nodiscard]] exit_code print_streams(const source& file, const reporting& to,
                                      const std::string& registry);
[[nodiscard]] exit_code info_registry(const source& file, const reporting& to);
[[nodiscard]] exit_code info_streams(const source& file, const reporting& to,
                                     const std::string& registry);

struct genome_graph_options {
  std::string registry, stream;
};
/// `expand`: with the nodes of patterns.
[[nodiscard]] exit_code graph_stream(const source& file, const reporting& to,
                                     const picture_output& output, const genome_graph_options& o,
                                     bool expand, bool parameters);
[[nodiscard]] exit_code diff_streams(const source& a, const source& b, const reporting& before,
                                     const reporting& after, const std::string& registry,
                                     bool quiet);

// ---- inputs of the genome verbs

struct genome_inputs {
  std::vector<std::string> paths;
  const source* first = nullptr;  ///< the content of the first path, where it has been read
  std::string registry, program;
  bool keep_going = false, json = false;

  /// Binds FILE, --registry, --program and --keep-going.
  void add_options(const command& verb, bool has_json);
};

/// A graph of an input file. Lifetime: the call.
struct input_graph {
  std::string name;
  const source* file = nullptr;
  const stored_stream* stream = nullptr;  ///< of a program of v1.2
  std::variant<const genome::program*, const nac::program*, const ark::model*> graph;

  /// The diagnostic for an error in this graph.
  [[nodiscard]] diagnostic diagnose(error e) const;
};
/// The outcome of reading the inputs. If `complete`, the verb continues, and `code` is its exit code
/// unless something else fails.
struct input_outcome {
  exit_code code = success;
  bool complete = true;
};
/// Calls `act` for all graphs of the inputs, one file at a time; it returns an error in the graph. `verb`
/// is the whole name, "genome mine".
[[nodiscard]] input_outcome each_graph(const genome_inputs& in, std::string_view verb,
                                       libraries& registries,
                                       const std::function<error(const input_graph&)>& act);
/// Reads all graphs into a corpus.
[[nodiscard]] input_outcome read_corpus(const genome_inputs& in, std::string_view verb,
                                        genomics::corpus& out,
                                        const genomics::conversion_options& how = {});

/// The streams of all inputs, with one registry.
struct stream_set {
  genome::registry registry;
  std::vector<std::string> names;
  std::vector<genome::stream> streams;
  bool converted = false;  ///< whether an input had no registry or another one
};
struct stream_options {
  bool flat = false;  ///< expand patterns; else streams of the registry keep theirs
  genome::expand_options expand = {};
};
[[nodiscard]] input_outcome read_streams(const genome_inputs& in, std::string_view verb,
                                         const stream_options& how, stream_set& out);

/// The exit code of a verb that has read its inputs and written its result.
[[nodiscard]] inline exit_code finish(const input_outcome& in, exit_code wrote) {
  return std::max(in.code, wrote);
}

/// Shows the progress of work that reports it by a callback.
[[nodiscard]] genomics::progress_function shown_progress();

// ---- genes

/// The genes to find.
struct gene_options {
  bool connected = false;
  std::uint32_t gap = 0;
  std::optional<std::uint32_t> min_nodes, max_nodes, min_models, max_genes;
  std::optional<std::uint64_t> min_score;
  unsigned threads = 0;

  void add_options(const command& verb);
  /// Reports and returns whether the options contradict each other.
  [[nodiscard]] bool is_wrong(std::string_view verb) const;
  [[nodiscard]] genomics::findings mine(const genomics::corpus& of, bool places = false) const;
};

/// How networks are compared.
struct comparison_options {
  gene_options genes;
  bool genes_only = false, compositions = false, presence = false;
  std::uint32_t sample = genomics::max_tree_size;
  std::uint64_t seed = 1;

  void add_options(const command& verb);
};
/// The networks of the inputs, their genes, and the distances of all of them or of a sample.
struct comparison {
  input_outcome in;
  genomics::corpus all;
  genomics::findings found;
  std::vector<std::uint32_t> of;  ///< rows of the distances: graphs
  genomics::distance_matrix distances;
};
/// `places`: whether the findings have the places of genes.
[[nodiscard]] comparison compare(const genome_inputs& in, const comparison_options& how,
                                 std::string_view verb, bool places = false);

// ---- the verbs

void add_genome_mine(const command& genome, action& run);
void add_genome_compress(const command& genome, action& run);
void add_genome_expand(const command& genome, action& run);
void add_genome_rules(const command& genome, action& run);
void add_genome_profile(const command& genome, action& run);
void add_genome_compare(const command& genome, action& run);
void add_genome_tree(const command& genome, action& run);
void add_genome_transplant(const command& genome, action& run);
void add_genome_synthesize(const command& genome, action& run);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_GENOME_HPP
