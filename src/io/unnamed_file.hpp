// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Files that have no name until they are complete (O_TMPFILE), so that a process which is killed while
// it writes leaves nothing. Linux only, and not on every file system.
//
//   const int file = open_unnamed("folder/", 0666);
//   if (file >= 0) ... link_unnamed(file, "folder/name")

#ifndef TESSERA_IO_UNNAMED_FILE_HPP
#define TESSERA_IO_UNNAMED_FILE_HPP

#include <string>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {

/// Opens a file for writing in a folder ("" is the current one); -1 where that isn't possible, or where
/// link_unnamed couldn't work.
[[nodiscard]] int open_unnamed(const std::string& folder, unsigned mode) noexcept;
/// Gives it a name that nothing has; false with errno, EEXIST when something has it.
[[nodiscard]] bool link_unnamed(int descriptor, const std::string& path) noexcept;

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IO_UNNAMED_FILE_HPP
