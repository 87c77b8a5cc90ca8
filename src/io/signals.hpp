// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Signals and files: one that ends the process leaves no temporary file, and a mapped file that
// shrinks is an I/O error.
//
//   int main() {
//     tessera::io::handle_signals(3);   // before anything is read or written
//
// A library doesn't install handlers by itself: without this call, signals have their usual effect,
// and the temporary files of file_writer stay.
//
// Lifetime:   until the process ends.
// Errors:     errno, as of open().
// Limits:     64 temporary files at once (EMFILE); 1024 mapped files at once, more are read.
// Allocation: a name while it is escaped; 0.5 MiB of zeroed memory, of which only the used part is
//             touched.

#ifndef TESSERA_IO_SIGNALS_HPP
#define TESSERA_IO_SIGNALS_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {

/// From here on SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU and SIGXFSZ remove the files of
/// create_temporary before they end the process, which still reports the signal; those that were
/// ignored stay so. SIGBUS from a watched mapping removes them too, prints "NAME: error: the file
/// shrank while it was read" and exits with `status`.
void handle_signals(int status) noexcept;

/// Opens a new file for writing, whose name signals remove until forget_temporary. Returns the
/// descriptor, or -1 with errno.
[[nodiscard]] int create_temporary(const std::string& path, unsigned mode) noexcept;
/// For a file that was renamed or removed.
void forget_temporary(const std::string& path) noexcept;
/// Puts a file without a name (unnamed_file.hpp) in the place of `target`. No call does that at once: it
/// is named `path` for a moment, in which signals wait. False with errno; EEXIST when `path` is taken.
[[nodiscard]] bool replace_by_unnamed(int descriptor, const std::string& path,
                                      const std::string& target) noexcept;

/// Makes SIGBUS treat an access to these bytes as one to a file that shrank; false when there are
/// too many mappings already.
[[nodiscard]] bool watch_mapping(const void* first, std::size_t size,
                                 std::string_view name) noexcept;
/// Before the bytes are unmapped.
void forget_mapping(const void* first) noexcept;

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IO_SIGNALS_HPP
