// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What `tessera run` is asked for, whatever the format.

#ifndef TESSERA_CLI_RUN_HPP
#define TESSERA_CLI_RUN_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/arrays.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

struct run_options {
  std::vector<std::string> files;
  std::vector<std::string> inputs, outputs;
  std::string input_format, output_format;
  std::optional<std::uint64_t> seed, samples, steps, max_memory;
  std::optional<unsigned> threads;
  bool fast = false, json = false, mpi = false;
};

[[nodiscard]] io::array_format format_of(const std::string& option, const std::string& path);

/// Runs the ranks of an ARK model; `first` is the first of the files.
[[nodiscard]] exit_code run_ark(const run_options& o, source first);

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_RUN_HPP
