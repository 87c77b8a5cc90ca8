// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera optimize`, of ALIR: a better program, or a pipeline of one.

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "alir.hpp"
#include "io/compress.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

constexpr std::uint32_t bit_of_pass(transform::alir_pass p) {
  return std::uint32_t{1} << static_cast<unsigned>(p);
}
constexpr std::uint32_t fusion = bit_of_pass(transform::alir_pass::fusion);

/// Optimizes a program, and cuts it where a latency or stages are given.
class alir_optimization {
 public:
  alir_optimization(const source& file, const reporting& to, const alir_optimize_verb_options& o)
      : file_(file),
        to_(to),
        options_(o),
        passes_(o.passes.value_or(transform::alir_optimize_options{}.passes)),
        is_pipelined_(o.latency_cutoff || o.pipeline.stages != 0) {}

  [[nodiscard]] exit_code run() {
    if (const exit_code code = check_options(); code != success) return code;
    report found;
    const result<alir::program> p = verify_alir(file_, &found);
    if (!p) return to_.fail(found, p.error(), file_);
    before_ = p->size();
    // Sums are made in stages, where they can't be what makes one slow.
    const std::uint32_t first = is_pipelined_ ? passes_ & ~fusion : passes_;
    result<transform::alir_optimized> made = transform::optimize(*p, {.passes = first});
    if (!made) return to_.fail(made.error(), file_);
    std::copy(std::begin(made->changes), std::end(made->changes), changes_);
    after_ = made->model.ops.size();
    const result<alir::program> better = alir::verify(std::move(made->model));
    if (!better) return to_.fail(better.error(), file_);
    if (const exit_code code = check(transform::compare(*p, *better), "optimized"); code != success)
      return code;
    return is_pipelined_ ? cut(*p, *better) : finish(*better);
  }

 private:
  [[nodiscard]] exit_code check_options() const {
    const auto usage = [](std::string_view message) { return usage_error("optimize", message); };
    const alir_optimize_verb_options& o = options_;
    if (o.latency_cutoff && !(*o.latency_cutoff > 0))
      return usage("--latency-cutoff must be more than 0");
    if (!is_pipelined_ && (o.no_retiming || o.no_input_register || o.no_output_register ||
                           o.pipeline.trust_intervals))
      return usage(
          "--no-retiming and options of registers are for pipelines; give "
          "--latency-cutoff or --stages, too");
    if (is_pipelined_ && !is_json())
      return usage("a pipeline is JSON; give an output that ends in .json");
    if (o.output != "-") return success;
    if (to_.as_json) return usage("--json and the program can't both be standard output");
    if (!is_json() && isatty(STDOUT_FILENO) == 1)
      return usage("bytecode can't be written to a terminal; give a file or use a pipe");
    return success;
  }
  [[nodiscard]] bool is_json() const {
    const std::string_view name = io::without_codec(options_.output);
    return name.ends_with(".json") ||
           (!name.ends_with(".bc") && (is_pipelined_ || file_.what == format::alir_json));
  }

  [[nodiscard]] exit_code check(const transform::alir_disagreement& d, std::string_view what,
                                std::string_view why = "") const {
    if (d.agrees) return success;
    return to_.fail(diagnose(file_.name, "alir_optimize_check",
                             std::string(what) + ", it gives something else for sample " +
                                 std::to_string(d.sample) + std::string(why)),
                    bad_input, file_.what);
  }

  [[nodiscard]] exit_code finish(const alir::program& better) {
    const result<text> written = alir::write(
        better.model(), {.encoding = is_json() ? alir::encoding::json : alir::encoding::bytecode});
    return written ? write(*written) : to_.fail(written.error(), file_);
  }
  [[nodiscard]] exit_code cut(const alir::program& p, const alir::program& better) {
    transform::alir_pipeline_options how = options_.pipeline;
    how.latency_cutoff = options_.latency_cutoff.value_or(0);
    how.retiming = !options_.no_retiming;
    how.input_register = !options_.no_input_register;
    how.output_register = !options_.no_output_register;
    pipeline_ = transform::to_pipeline(better, how);
    if (!pipeline_.refusal.empty())
      return to_.fail(diagnose(file_.name, "alir_pipeline", pipeline_.refusal), bad_input,
                      file_.what);
    after_ = 0;
    for (alir::model& block : pipeline_.pipeline.blocks)
      if (const exit_code code = make_sums(block); code != success) return code;
    const result<alir::staged> s = alir::verify(alir::pipeline(pipeline_.pipeline));
    if (!s) return to_.fail(s.error(), file_);
    constexpr std::string_view wraps =
        ": a value outside of its interval wraps around in a register, with --trust-intervals";
    if (const exit_code code =
            check(transform::compare(p, *s), "as a pipeline", how.trust_intervals ? wraps : "");
        code != success)
      return code;
    const result<text> written = alir::write_pipeline(pipeline_.pipeline);
    return written ? write(*written) : to_.fail(written.error(), file_);
  }

  /// Fuses additions of a block, unless that makes it slower: a sum waits for all its terms.
  [[nodiscard]] exit_code make_sums(alir::model& block) {
    const std::uint32_t sums = passes_ & (fusion | bit_of_pass(transform::alir_pass::dead_code));
    const result<alir::program> whole = alir::verify(alir::model(block));
    if (!whole) return to_.fail(whole.error(), file_);
    const result<transform::alir_optimized> made = transform::optimize(*whole, {.passes = sums});
    if (!made) return to_.fail(made.error(), file_);
    const result<alir::program> fused = alir::verify(alir::model(made->model));
    if (!fused) return to_.fail(fused.error(), file_);
    if (transform::latency_of(*fused) <= pipeline_.latency * (1 + 0x1p-30)) {
      for (std::size_t k = 0; k < transform::alir_pass_count; ++k) changes_[k] += made->changes[k];
      block = made->model;
    }
    after_ += block.ops.size();
    return success;
  }

  [[nodiscard]] exit_code write(const text& made) const {
    const exit_code code = write_result(options_.output, as_bytes(made), to_);
    if (code != success || options_.output == "-") return code;
    const text shown = to_.as_json ? as_json() : as_text();
    return print_result(shown);
  }
  [[nodiscard]] text as_json() const {
    text out;
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to_.path)).key("format").string("alir");
    w.key("before").begin_object().key("operations").integer(before_).end();
    w.key("after").begin_object().key("operations").integer(after_).end();
    w.key("passes").begin_array();
    for (std::size_t p = 0; p < transform::alir_pass_count; ++p)
      w.begin_object()
          .key("name")
          .string(transform::alir_passes[p].name)
          .key("rewrites")
          .integer(changes_[p])
          .end();
    w.end();
    if (is_pipelined_) {
      w.key("pipeline").begin_object().key("stages").integer(pipeline_.pipeline.blocks.size());
      w.key("latency").number(pipeline_.latency);
      w.key("registers").integer(latency(pipeline_.pipeline));
      w.key("register_bits").integer(pipeline_.register_bits);
      w.key("minimal").boolean(pipeline_.is_minimal);
      w.key("unproven").integer(pipeline_.unproven).end();
    }
    w.end();
    out << '\n';
    return out;
  }
  [[nodiscard]] text as_text() const {
    text out;
    out << file_.name << "\n  before  " << plural(before_, "operation") << "\n  after   "
        << plural(after_, "operation") << '\n';
    if (is_pipelined_) {
      out << "  stages  " << pipeline_.pipeline.blocks.size() << ", the slowest with a latency of ";
      append_double(out, pipeline_.latency, double_style::python);
      out << "\n  registers " << latency(pipeline_.pipeline) << ", "
          << plural(pipeline_.register_bits, "bit") << " in all"
          << (pipeline_.is_minimal ? ", the fewest for these stages\n" : "\n");
      if (pipeline_.unproven != 0)
        out << "  unproven  " << plural(pipeline_.unproven, "value")
            << " in registers that may be outside of their interval\n";
    }
    std::vector<std::vector<std::string>> rows{{"pass", "changes"}};
    for (std::size_t p = 0; p < transform::alir_pass_count; ++p)
      if (changes_[p] != 0)
        rows.push_back({std::string(transform::alir_passes[p].name), std::to_string(changes_[p])});
    if (rows.size() > 1) append_table(out, rows, 0b10);
    return out;
  }

  const source& file_;
  const reporting& to_;
  const alir_optimize_verb_options& options_;
  std::uint32_t passes_;
  bool is_pipelined_;
  std::size_t before_ = 0, after_ = 0;  ///< operations
  std::uint64_t changes_[transform::alir_pass_count] = {};
  transform::alir_pipelined pipeline_;
};

}  // namespace

exit_code optimize_alir(const source& file, const reporting& to,
                        const alir_optimize_verb_options& o) {
  return alir_optimization(file, to, o).run();
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
