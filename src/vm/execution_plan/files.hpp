// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The files of an execution plan: those that it reads below a folder that was named, else below that of its
// container, unless all are allowed; those that it writes below the one that was named.
//
//   const plan_files files(file_access::folder, "models/cat", "models");
//   const std::string path = files.find("data/x.npy");        // resolved; a fault where it leads out
//   const tensor x = files.read_npy(arena, path);
//   files.write("log.txt", "one line\n", true);               // at the end of what is there
//
// Never written: anything when no folder was named; a file that is hidden, reached by a link, not
// regular, executable, or has a second hard link.
//
// Lifetime:   nothing is kept.
// Errors:     faults: nac_plan_path, nac_plan_file, nac_plan_write, nac_run_type, nac_run_rank,
//             budget_memory.
// Limits:     files of as many bytes as the memory has left.
// Allocation: of read_npy, the elements twice.

#ifndef TESSERA_VM_EXECUTION_PLAN_FILES_HPP
#define TESSERA_VM_EXECUTION_PLAN_FILES_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "io/file.hpp"
#include "vm/nac/tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

enum class file_access : std::uint8_t { none, folder, anywhere };

class plan_files {
 public:
  /// `named`: by the caller; empty: nothing is written. `own`: the container's.
  plan_files(file_access access, std::string named, std::string own)
      : access_(access), named_(std::move(named)), own_(std::move(own)) {}

  /// Where a file to read is, which may not be there; its folder is.
  [[nodiscard]] std::string find(std::string_view path) const;
  /// Whether both are one file.
  [[nodiscard]] static bool is_same(const std::string& found, const std::string& other) noexcept;
  [[nodiscard]] io::content read(const std::string& found, std::uint64_t max_bytes) const;
  [[nodiscard]] tensor read_npy(memory& arena, const std::string& found) const;
  /// A file of the folder that was named, by its path there.
  void write(std::string_view path, std::string_view content, bool append) const;

 private:
  /// Where a file is; else what is wrong, in words.
  struct place {
    errc code = errc::ok;
    std::string text;
  };
  void check_names_file(std::string_view path) const;
  [[nodiscard]] place find_in(const std::string& folder, std::string_view path) const;
  [[nodiscard]] std::string find_to_write(std::string_view path) const;

  file_access access_;
  std::string named_, own_;
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_EXECUTION_PLAN_FILES_HPP
