// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "unnamed_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace tessera::inline TESSERA_ABI {
namespace io {

#ifdef O_TMPFILE

namespace {

/// Naming a descriptor itself would take a capability; by way of /proc it takes none.
struct descriptor_path {
  explicit descriptor_path(int number) noexcept {
    std::snprintf(value, sizeof value, "/proc/self/fd/%d", number);
  }
  char value[32];
};

}  // namespace

int open_unnamed(const std::string& folder, unsigned mode) noexcept {
  const char* const where = folder.empty() ? "." : folder.c_str();
  int number = -1;
  do number = ::open(where, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  while (number < 0 && errno == EINTR);
  if (number >= 0 && ::access(descriptor_path(number).value, F_OK) != 0) {
    ::close(number);
    number = -1;
  }
  return number;
}

bool link_unnamed(int descriptor, const std::string& path) noexcept {
  return ::linkat(AT_FDCWD, descriptor_path(descriptor).value, AT_FDCWD, path.c_str(),
                  AT_SYMLINK_FOLLOW) == 0;
}

#else

int open_unnamed(const std::string&, unsigned) noexcept { return -1; }
bool link_unnamed(int, const std::string&) noexcept {
  errno = ENOTSUP;
  return false;
}

#endif

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI
