// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The files of a plan: below one folder, unless all are allowed.
//
//   const plan_files files(file_access::folder, "models/cat");
//   const std::string path = files.find("data/x.npy");        // resolved; a fault where it leads out
//   const tensor x = files.read_npy(room, path);
//   files.write("log.txt", "one line\n", true);               // at the end of what is there
//
// Lifetime:   nothing is kept.
// Errors:     faults: nac_plan_path, nac_plan_file, nac_run_type, nac_run_rank, budget_memory.
// Limits:     files of as many bytes as the memory has left.
// Allocation: of read_npy, the elements twice.

#ifndef TESSERA_VM_NAC_PLAN_FILES_HPP
#define TESSERA_VM_NAC_PLAN_FILES_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "io/file.hpp"
#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

enum class file_access : std::uint8_t { none, folder, anywhere };

class plan_files {
 public:
  plan_files(file_access access, std::string folder)
      : access_(access), folder_(std::move(folder)) {}

  /// Where a file is, which may not be there yet; its folder is.
  [[nodiscard]] std::string find(std::string_view path) const;
  /// Whether both are one file.
  [[nodiscard]] static bool is_same(const std::string& found, const std::string& other) noexcept;
  [[nodiscard]] io::content read(const std::string& found, std::uint64_t max_bytes) const;
  [[nodiscard]] tensor read_npy(memory& room, const std::string& found) const;
  void write(const std::string& found, std::string_view content, bool append) const;

 private:
  file_access access_;
  std::string folder_;
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_PLAN_FILES_HPP
