// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Compressed files. On reading, compression is recognized by content, never by name; on writing, it
// is chosen by the file extension.
//
//   auto file = tessera::io::load("model.json.gz");   // or .zst, or plain: mapped, not copied
//   auto wrote = tessera::io::store("out.json.gz", file->view());
//
//   gzip   1f 8b          any number of members (RFC 1952), one after the other
//   zstd   28 b5 2f fd    any number of frames (RFC 8878), skippable ones too
//
// Sizes that a file declares are hints: memory grows with the actual decompressed size. Archives
// inside archives are left as they are. Output depends on nothing but the input.
//
// Lifetime:   content owns.
// Errors:     io::failure; corrupt, truncated, trailing bytes, over the limit, package missing.
// Limits:     limits::max_bytes for the decompressed bytes, whatever the rule; for the compressed
//             ones as for other files.
// Allocation: at most twice the decompressed bytes, or 64 times the compressed ones and 64 KiB.

#ifndef TESSERA_IO_COMPRESS_HPP
#define TESSERA_IO_COMPRESS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "file.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {

enum class codec : std::uint8_t { none, gzip, zstd };

/// By the first bytes.
[[nodiscard]] codec codec_of_content(bytes data) noexcept;
/// By the extension ".gz" or ".zst".
[[nodiscard]] codec codec_of_name(std::string_view path) noexcept;
/// The name without the extension of its codec.
[[nodiscard]] std::string_view without_codec(std::string_view path) noexcept;
/// Whether this build has the package for it.
[[nodiscard]] bool is_supported(codec which) noexcept;

/// The decompressed content of `data`, which must begin with the magic of a codec.
[[nodiscard]] expected<content> decompress(bytes data, const limits& limit = {});
/// Decompresses raw deflate data (RFC 1951, without a header); false unless all of `from` makes exactly
/// `size` bytes, or without the package for gzip.
[[nodiscard]] bool inflate(bytes from, std::byte* to, std::size_t size) noexcept;
/// gzip at level 6 without name and time, or zstd at level 3 with a checksum; `which` isn't none.
[[nodiscard]] expected<content> compress(bytes data, codec which);

/// The file, decompressed if it is compressed.
[[nodiscard]] expected<content> load(const std::string& path, const limits& limit = {},
                                     const input_rule& rule = {});
/// Writes the file, compressed if its name says so.
[[nodiscard]] expected<done> store(const std::string& path, bytes data);
/// Likewise without the last step, which is finish() of the writer.
[[nodiscard]] expected<file_writer> stage(const std::string& path, bytes data);

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IO_COMPRESS_HPP
