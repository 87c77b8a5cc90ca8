// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whole files in and out, on POSIX systems.
//
//   auto file = tessera::io::read_file("model.json");    // "-" is standard input
//   if (!file) return report(file.error());
//   auto model = tessera::alir::read_json(tessera::as_text(file->view()));
//   auto wrote = tessera::io::write_file("out.bin", file->view());
//
// Regular files are mapped, everything else is read. Accessing pages that a mapped file lost,
// because someone else truncated it, is SIGBUS, which handle_signals (signals.hpp) makes an I/O
// error; what the last page lost reads as zeros. write_file never truncates what it replaces, so a
// file may be rewritten while it is mapped.
//
// Lifetime:   content owns; a view of a temporary doesn't compile.
// Errors:     io::failure, of kind `system`; a file over the limit is of kind `content`.
// Limits:     limits::max_bytes for what takes memory, input_rule for what is mapped.
// Allocation: none for a mapped file; at most twice the bytes otherwise.

#ifndef TESSERA_IO_FILE_HPP
#define TESSERA_IO_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "failure.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/limits.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {

/// Bytes in memory: a mapped file, or a heap block that grows without being cleared.
class content {
 public:
  content() noexcept = default;
  content(content&& other) noexcept;
  content(const content&) = delete;
  content& operator=(content&& other) noexcept;
  content& operator=(const content&) = delete;
  ~content();

  /// The first `size` bytes of a file; empty, with errno set, when it can't be mapped. `name` is for
  /// the message when the file shrinks.
  [[nodiscard]] static content map(int descriptor, std::size_t size,
                                   std::string_view name = {}) noexcept;

  [[nodiscard]] bytes view() const& noexcept { return {data_, size_}; }
  bytes view() const&& = delete;
  operator bytes() const& noexcept { return view(); }
  operator bytes() const&& = delete;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_mapped() const noexcept { return mapped_; }
  /// Releases the pages of a part of a mapped file, until they are accessed again.
  void forget(bytes part) const noexcept;

  /// Reserves `capacity` bytes in all; false when out of memory. Not for a mapped file.
  [[nodiscard]] bool reserve(std::uint64_t capacity) noexcept;
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  /// The free memory after the bytes; write there, then report how many with advance().
  [[nodiscard]] std::byte* end() noexcept { return data_ + size_; }
  void advance(std::size_t count) noexcept { size_ += count; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool mapped_ = false;
};

/// Which files are accepted, and up to what size. Data in memory, read from a pipe or decompressed,
/// is limited to limits::max_bytes (4 GiB).
struct input_rule {
  /// Bytes of a regular file, which is only mapped, where they may be more than limits::max_bytes.
  std::uint64_t max_mapped = 0;
  /// No pipes and no devices, which may keep a reader waiting or never end. "-" is accepted.
  bool only_regular = false;
};
/// The main inputs of a verb, which are the user's choice: pipes and devices too.
inline constexpr input_rule main_input{.max_mapped = std::uint64_t{1} << 40, .only_regular = false};
/// The files that accompany them: weights, payloads, registries, files in folders.
inline constexpr input_rule side_input{.max_mapped = std::uint64_t{1} << 40, .only_regular = true};

/// The bytes of a file, or of standard input for "-".
[[nodiscard]] expected<content> read_file(const std::string& path, const limits& limit = {},
                                          const input_rule& rule = {});
/// The failure for a file that is too long.
[[nodiscard]] failure too_large(std::string_view path, std::uint64_t max_bytes);

/// For the start of main: a standard stream that is closed becomes one which is in use and fails with
/// EBADF. The first file that is opened would take its place, and messages would be written into it.
void occupy_standard_streams() noexcept;

/// Writes all of `data` to a file, or to standard output for "-".
///
/// A regular file is replaced as a whole: a temporary file beside it is written, synchronized and
/// renamed, so that after a failure the old file is untouched and nothing else is left. Where the
/// file system allows, the temporary file has no name before it is complete: a process that is
/// killed leaves nothing. The permissions of an existing file are kept, and its owner and group as
/// far as this process may set them; a symbolic link stays and its target is replaced; of several
/// hard links one is. Pipes, devices, and what standard output or standard error already is, are
/// written directly. A pipe that nobody reads is a failure with EPIPE, never a signal.
[[nodiscard]] expected<done> write_file(const std::string& path, bytes data);

/// The same, piece by piece.
///
///   auto out = io::file_writer::open("big.nac");
///   if (!out) return report(out.error());
///   while (more) if (!out->put(piece)) break;         // finish says why
///   if (auto wrote = out->finish(); !wrote) return report(wrote.error());
///
/// An unfinished file leaves no trace, except on pipes and devices; after handle_signals
/// (signals.hpp) not even when a signal ends the process.
class file_writer {
 public:
  [[nodiscard]] static expected<file_writer> open(const std::string& path);
  file_writer(file_writer&& other) noexcept;
  file_writer(const file_writer&) = delete;
  file_writer& operator=(file_writer&&) = delete;
  file_writer& operator=(const file_writer&) = delete;
  ~file_writer();

  /// False once a write has failed; nothing more is written then.
  [[nodiscard]] bool put(bytes piece) noexcept;
  /// Whether every write succeeded so far.
  [[nodiscard]] bool ok() const noexcept { return error_number_ == 0; }
  /// Brings all bytes to the disk, after which finish() has only names to change: of files that belong
  /// together each is prepared before the first is finished.
  [[nodiscard]] expected<done> prepare();
  /// Puts the file in its place.
  [[nodiscard]] expected<done> finish();

 private:
  file_writer() = default;
  [[nodiscard]] expected<done> open_temporary(unsigned mode);
  template <class Make>
  [[nodiscard]] bool try_names(const Make& make);
  [[nodiscard]] bool publish();
  [[nodiscard]] bool flush() noexcept;
  void abandon() noexcept;
  [[nodiscard]] std::string folder() const;

  std::string path_;       // as it was given
  std::string target_;     // the file to replace; empty when written directly
  std::string temporary_;  // empty while the file has no name
  int number_ = -1;
  bool owned_ = false;
  bool prepared_ = false;
  int error_number_ = 0;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t used_ = 0;
};

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IO_FILE_HPP
