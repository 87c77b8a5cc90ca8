// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What each operation of an ALIR program computes for some samples.
//
//   tessera::inspect::alir_recorder seen(program, inputs, samples);  // [samples][n_inputs]
//   tessera::text table;
//   if (auto done = seen.run(); done || done.operation >= 0) seen.append_table(table);
//
// Each value is shown as the machine's integer v and as the number v * 2^-f that it means.
//
//   table   a block for each sample, a line for each operation; what lies outside of the
//           operation's declared interval is marked
//   csv     a line for each operation of each sample: sample,operation,opcode,integer,real,outside
//   json    {"samples": [{"inputs", "values": [{"operation", "opcode", "integer", "real",
//           "outside"}], "outputs"}]}; integers beyond 2^53 are strings, so that none is rounded
//   vcd     a value change dump (IEEE 1364), for GTKWave: sample s at time s; scope `integer` has a
//           wire in two's complement for each operation, as wide as its type or as its values need,
//           scope `real` its number, scope `port` inputs and outputs
//
// Signals are called by operation: op_12_add. After a trap the samples before it are there, and of
// its own the operations before it.
//
// Lifetime:   borrows the program; it has the samples.
// Errors:     those of the machine (see run).
// Limits:     the budget of a run.
// Allocation: 8 bytes for each operation and sample.

#ifndef TESSERA_INSPECT_ALIR_TRACE_HPP
#define TESSERA_INSPECT_ALIR_TRACE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../alir.hpp"
#include "../../core/text.hpp"
#include "../../vm/alir.hpp"
#include "../../vm/callback.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Runs a program, and writes what each of its operations computed.
class alir_recorder {
 public:
  /// Takes a text whenever it has 64 KiB, and clears it; false ends the writing.
  using sink = vm::callback<bool(text&)>;

  /// `inputs` are row-major: [samples][n_inputs].
  alir_recorder(const alir::program& p, std::vector<double> inputs, std::uint64_t samples);

  /// Runs the program once, on all samples.
  [[nodiscard]] vm::alir::outcome run(const budget& limit = {});

  /// Appends the table. With a sink the text is passed to it in pieces; what is left at the end remains
  /// in the text.
  void append_table(text& to, sink put = {}) const;
  /// Appends the csv, which begins with a line of titles; in pieces as append_table().
  void append_csv(text& to, sink put = {}) const;
  /// Appends the json; in pieces as append_table().
  void append_json(text& to, sink put = {}) const;
  /// Appends the vcd; in pieces as append_table().
  void append_vcd(text& to, sink put = {}) const;

 private:
  [[nodiscard]] std::int64_t at(std::size_t operation, std::uint64_t sample) const noexcept;
  [[nodiscard]] double real(std::size_t operation, std::uint64_t sample) const noexcept;
  [[nodiscard]] bool is_outside(std::size_t operation, std::uint64_t sample) const noexcept;
  /// How many samples have values, and how many operations of one of them.
  [[nodiscard]] std::uint64_t rows() const noexcept { return whole_ + (part_ > 0 ? 1 : 0); }
  [[nodiscard]] std::size_t operations(std::uint64_t sample) const noexcept {
    return sample < whole_ ? program_->size() : part_;
  }
  [[nodiscard]] int signal_width(std::size_t operation) const noexcept;
  void append_vcd_header(text& to) const;

  const alir::program* program_;
  std::vector<double> inputs_, outputs_;
  std::uint64_t samples_, whole_ = 0;
  std::size_t part_ = 0;
  std::vector<std::int64_t> values_;  // [operations][samples]
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_TRACE_HPP
