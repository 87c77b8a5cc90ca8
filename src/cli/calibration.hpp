// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Files for the runs of a network that find the ranges of its values: `lower --calibrate`.
//
//   std::vector<std::vector<std::vector<float>>> runs;       // run, input, elements
//   const calibration_files files{program, shapes, device};
//   if (const exit_code code = files.read(words, "lower", to, runs); code != success) return code;
//
// [NAME=]FILE is a .npy file of float32 with the shape of an input, or with as many of them one after
// another in its first dimension as there are runs. Files without a NAME are for the inputs in turn; each
// next file of an input is for the runs after those of the one before.
//
// Lifetime:   borrows.
// Errors:     an exit_code; the error has been reported, with the input, the device and the reason.
// Limits:     those of files.
// Allocation: all elements.

#ifndef TESSERA_CLI_CALIBRATION_HPP
#define TESSERA_CLI_CALIBRATION_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/nac/verify.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

struct calibration_files {
  const nac::program& program;
  const std::vector<std::vector<std::int64_t>>& shapes;  ///< of the inputs
  std::string_view device;                               ///< its name, for messages

  [[nodiscard]] exit_code read(std::span<const std::string> words, std::string_view verb,
                               const reporting& to,
                               std::vector<std::vector<std::vector<float>>>& runs) const;

 private:
  [[nodiscard]] std::string name_of(std::size_t input) const;
  /// Appends the runs in a file.
  [[nodiscard]] exit_code take(const std::string& path, std::size_t input, const reporting& to,
                               std::vector<std::vector<float>>& runs_of_input) const;
};

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_CALIBRATION_HPP
