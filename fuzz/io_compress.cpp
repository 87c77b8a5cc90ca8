// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Compressed bytes: what is decompressed keeps the limit, whatever sizes are declared, and a larger
// limit changes nothing; compressed by either codec it comes back, also as two members or frames. A
// gzip member without names inflates to the same as its raw deflate data.

#include <cstring>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <vector>

#include "io/compress.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

constexpr std::uint64_t max_bytes = 1 << 14;

[[nodiscard]] bool same(bytes a, bytes b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

void check_failure(const io::failure& why, std::size_t size) {
  fuzz::require(why.kind == io::fault::content, "only the content can be wrong");
  const std::string message = why.message();
  for (const std::string_view before : {"byte ", "at byte "})
    if (const std::size_t at = message.find(before); at != std::string::npos)
      fuzz::require(std::strtoull(message.c_str() + at + before.size(), nullptr, 10) <= size,
                    "a byte is inside");
  fuzz::require(!message.empty(), "a failure has a message");
}

/// Compressed it comes back; twice, one after the other, it is there twice.
void check_round_trip(bytes plain, io::codec which) {
  const auto packed = io::compress(plain, which);
  fuzz::require(static_cast<bool>(packed), "whatever there is can be compressed");
  fuzz::require(io::codec_of_content(packed->view()) == which, "a codec recognizes its own");
  std::string twice(as_text(packed->view()));
  twice += twice;
  const auto again = io::decompress(as_bytes(std::string_view(twice)));
  fuzz::require(again && again->size() == plain.size() * 2 &&
                    same(again->view().first(plain.size()), plain) &&
                    same(again->view().subspan(plain.size()), plain),
                "what was compressed comes back");
}

/// A single member with a header of 10 bytes, checked by the other way into libdeflate.
void check_inflate(bytes source, bytes plain) {
  if (source.size() < 18 || source[3] != std::byte{0}) return;
  std::vector<std::byte> out(plain.size() + 1);
  const bytes raw = source.subspan(10, source.size() - 18);
  if (io::inflate(raw, out.data(), plain.size()))  // else there are several members
    fuzz::require(same(bytes(out).first(plain.size()), plain), "both ways inflate to the same");
  fuzz::require(!io::inflate(raw, out.data(), out.size()), "only the right size is taken");
}

void check_limits(bytes source, bytes plain) {
  const auto again = io::decompress(source, {.max_bytes = max_bytes * 2});
  fuzz::require(again && same(again->view(), plain), "a larger limit changes nothing");
  if (plain.empty()) return;
  const auto less = io::decompress(source, {.max_bytes = plain.size() - 1});
  fuzz::require(!less, "a limit that is too small refuses");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact memory(fuzz::as_text(data, size));
  const bytes source = memory.bytes();
  const io::codec which = io::codec_of_content(source);
  const std::string_view name = memory.text().substr(0, 40);
  const std::string_view stem = io::without_codec(name);
  fuzz::require(
      name.starts_with(stem) && (io::codec_of_name(name) == io::codec::none) == (name == stem),
      "a name loses the ending of its codec");
  std::byte small[64];
  (void)io::inflate(source, small, fuzz::below(memory.text(), sizeof small + 1));
  if (!io::is_supported(which)) return 0;
  const auto plain = io::decompress(source, {.max_bytes = max_bytes});
  if (!plain) {
    check_failure(plain.error(), size);
    return 0;
  }
  fuzz::require(plain->size() <= max_bytes, "a limit is kept");
  fuzz::turns turn(memory.text());
  if (turn.one_in(4)) check_limits(source, plain->view());
  if (which == io::codec::gzip) check_inflate(source, plain->view());
  for (const io::codec other : {io::codec::gzip, io::codec::zstd})  // compressors take long to make
    if (turn.one_in(64) && io::is_supported(other)) check_round_trip(plain->view(), other);
  return 0;
}
