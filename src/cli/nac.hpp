// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The verbs' actions for NAC containers.

#ifndef TESSERA_CLI_NAC_HPP
#define TESSERA_CLI_NAC_HPP

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "run.hpp"
#include "tessera/inspect/nac/lookup.hpp"
#include "tessera/nac/all.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// A container; without one, the error has been reported. It borrows the source.
struct nac_outcome {
  std::optional<nac::model> file;
  exit_code code = success;
};
[[nodiscard]] nac_outcome read_nac(const source& from, const reporting& to);
/// Refuses more instructions than the format permits, because a lookup keeps them in memory.
[[nodiscard]] nac_outcome read_nac_for_lookup(const source& from, const reporting& to);

/// While it lives, pages of mapped files are evicted from memory after they are read.
class page_evictor {
 public:
  explicit page_evictor(std::vector<const source*> of);
  page_evictor(const page_evictor&) = delete;
  page_evictor& operator=(const page_evictor&) = delete;
  ~page_evictor();

 private:
  std::vector<const source*> of_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

/// A safetensors file, whatever its content looks like; without one, the error has been reported.
struct weights_outcome {
  std::optional<source> file = {};
  std::optional<nac::safetensors> weights = {};  ///< borrows `file`
  exit_code code = success;
};
[[nodiscard]] weights_outcome load_weights(const reporting& to);
/// model.safetensors in the folder of model.nac; empty if there is no such file.
[[nodiscard]] std::string default_weights(const std::string& path);

struct nac_info_options {
  bool all = false;
  std::string error_of;  ///< the quantization method whose error is measured
  run_options run;       ///< the run whose memory is measured, if it has options
};
[[nodiscard]] exit_code info_nac(const source& file, const reporting& to,
                                 const nac_info_options& options);

struct nac_check_options {
  std::string weights;  ///< a path; empty: default_weights
  bool strict = false, all = false, runnable = false;
};
[[nodiscard]] exit_code check_nac(const source& file, const reporting& to,
                                  const nac_check_options& options);
/// The findings of a report, as `check` shows them.
[[nodiscard]] std::vector<diagnostic> diagnose_findings(const report& report, const source& from);
/// Reports the errors of an invalid container.
[[nodiscard]] exit_code fail_findings(const report& report, const source& from,
                                      const reporting& to);
[[nodiscard]] exit_code check_safetensors(const source& file, const reporting& to);

/// Verifies a container that was made from an assembly text, or has parts of one, and shows the
/// findings at their places in the text.
[[nodiscard]] exit_code verify_assembled(bytes made, const source& text, const reporting& to,
                                         const nac::text_map& map);

struct nac_print_options {
  bool schedule = false, inlined = false;
};
[[nodiscard]] exit_code print_nac(const source& file, const reporting& to,
                                  const nac_print_options& options);

struct nac_convert_options {
  std::optional<nac::header> form;
  std::string weights_in, weights_out, quantize;
  bool dequantize = false, schedule = false;
  std::vector<std::string> shapes;  ///< of inputs, for what becomes an ARK model
  bool compact = false;             ///< of an ARK model: without white space
};
/// Writes a container from its parts, quantized, in another version or with weights apart as the
/// options say; `from` are the mapped files that the parts borrow. Reports errors.
[[nodiscard]] exit_code write_parts(nac::parts parts, const nac_convert_options& options,
                                    const std::string& output,
                                    const std::vector<const source*>& from, const reporting& to);
[[nodiscard]] exit_code convert_nac(const source& file, const reporting& to,
                                    const std::string& output, const nac_convert_options& options);

/// A container as an ARK model, of which `dialect`; the weights' values to options.weights_out.
[[nodiscard]] exit_code convert_nac_to_ark(const source& file, const reporting& to,
                                           const std::string& output, ark::dialect dialect,
                                           const nac_convert_options& options);
/// An ARK model as a container.
[[nodiscard]] exit_code convert_ark_to_nac(const source& file, const reporting& to,
                                           const std::string& output,
                                           const nac_convert_options& options);

struct nac_diff_options {
  bool json = false, quiet = false, no_weights = false;
};
/// `before` and `after` are the paths as given on the command line.
[[nodiscard]] exit_code diff_nac(const source& a, const source& b, const reporting& before,
                                 const reporting& after, const nac_diff_options& options);

struct nac_graph_options {
  bool schedule = false, no_parameters = false, fold = false;
  run_options run;  ///< the run that gives the shapes, if it has inputs
};
[[nodiscard]] exit_code graph_nac(const source& file, const reporting& to,
                                  const picture_output& output, const nac_graph_options& options);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_NAC_HPP
