// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "compress.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#ifdef TESSERA_HAS_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef TESSERA_HAS_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#include <tessera/core/bytes.hpp>
#endif

namespace tessera::inline TESSERA_ABI {
namespace io {
namespace {

[[nodiscard]] std::uint32_t first_word(bytes data) noexcept {
  return data.size() < 4 ? 0 : load_le<std::uint32_t>(data.data());
}

[[maybe_unused, nodiscard]] failure out_of_memory() { return {fault::system, "not enough memory"}; }

[[maybe_unused, nodiscard]] failure missing_package(std::string_view format,
                                                    std::string_view package) {
  return {fault::system, std::string(format) + " needs the package " + std::string(package) +
                             ", which this build does not have"};
}

#if defined(TESSERA_HAS_LIBDEFLATE) || defined(TESSERA_HAS_ZSTD)

/// One gzip member or zstd frame, and how decompressing it went.
struct unit {
  enum class state : std::uint8_t { ok, no_room, damaged } how;
  std::size_t consumed = 0;
  std::size_t produced = 0;
};

/// Decompresses unit after unit. A unit that doesn't fit starts over with twice the room, which at
/// most doubles the work and needs no belief in declared sizes.
template <class IsUnit, class Decompress>
[[nodiscard]] expected<content> decompress_units(bytes data, std::uint64_t declared,
                                                 std::string_view format, const limits& limit,
                                                 IsUnit&& is_unit, Decompress&& decompress) {
  const auto fail = [&](std::string what) { return failure{fault::content, std::move(what)}; };
  const std::uint64_t plausible = std::uint64_t{data.size()} * 64 + 65536;
  std::uint64_t room = std::min({declared, plausible, limit.max_bytes});
  content out;
  if (!out.reserve(std::max<std::uint64_t>(room, 1))) return out_of_memory();
  std::size_t offset = 0;
  while (offset < data.size()) {
    const bytes rest = data.subspan(offset);
    if (!is_unit(rest))
      return fail("byte " + std::to_string(offset) + ": expected the end, or more " +
                  std::string(format) + " data");
    const unit u = decompress(rest, out.end(), static_cast<std::size_t>(room) - out.size());
    switch (u.how) {
      case unit::state::ok:
        out.advance(u.produced);
        offset += u.consumed;
        break;
      case unit::state::no_room:
        if (room == limit.max_bytes)
          return fail("decompresses to more than the limit of " + std::to_string(limit.max_bytes) +
                      " bytes");
        room = std::min(std::max<std::uint64_t>(room * 2, 65536), limit.max_bytes);
        if (!out.reserve(room)) return out_of_memory();
        break;
      case unit::state::damaged:
        return fail("the " + std::string(format) + " data that starts at byte " +
                    std::to_string(offset) + " is corrupt or truncated");
    }
  }
  return out;
}

#endif

#ifdef TESSERA_HAS_LIBDEFLATE

struct free_libdeflate {
  void operator()(libdeflate_decompressor* d) const noexcept { libdeflate_free_decompressor(d); }
  void operator()(libdeflate_compressor* c) const noexcept { libdeflate_free_compressor(c); }
};

[[nodiscard]] expected<content> gunzip(bytes data, const limits& limit) {
  const std::unique_ptr<libdeflate_decompressor, free_libdeflate> engine(
      libdeflate_alloc_decompressor());
  if (!engine) return out_of_memory();
  // The last four bytes of a member are its length modulo 2^32.
  const std::uint32_t declared =
      data.size() < 4 ? 0 : load_le<std::uint32_t>(data.data() + data.size() - 4);
  const auto is_member = [](bytes rest) { return codec_of_content(rest) == codec::gzip; };
  return decompress_units(
      data, declared, "gzip", limit, is_member, [&](bytes rest, std::byte* to, std::size_t room) {
        unit u{unit::state::damaged};
        switch (libdeflate_gzip_decompress_ex(engine.get(), rest.data(), rest.size(), to, room,
                                              &u.consumed, &u.produced)) {
          case LIBDEFLATE_SUCCESS: u.how = unit::state::ok; break;
          case LIBDEFLATE_INSUFFICIENT_SPACE: u.how = unit::state::no_room; break;
          case LIBDEFLATE_BAD_DATA:
          case LIBDEFLATE_SHORT_OUTPUT: break;
        }
        return u;
      });
}

[[nodiscard]] expected<content> gzip(bytes data) {
  const std::unique_ptr<libdeflate_compressor, free_libdeflate> engine(
      libdeflate_alloc_compressor(6));
  content out;
  if (!engine || !out.reserve(libdeflate_gzip_compress_bound(engine.get(), data.size())))
    return out_of_memory();
  out.advance(
      libdeflate_gzip_compress(engine.get(), data.data(), data.size(), out.end(), out.capacity()));
  return out;
}

#else

[[nodiscard]] failure gunzip(bytes, const limits&) { return missing_package("gzip", "libdeflate"); }
[[nodiscard]] failure gzip(bytes) { return missing_package("gzip", "libdeflate"); }

#endif

#ifdef TESSERA_HAS_ZSTD

struct free_zstd {
  void operator()(ZSTD_DCtx* d) const noexcept { ZSTD_freeDCtx(d); }
  void operator()(ZSTD_CCtx* c) const noexcept { ZSTD_freeCCtx(c); }
};

[[nodiscard]] expected<content> unzstd(bytes data, const limits& limit) {
  const std::unique_ptr<ZSTD_DCtx, free_zstd> engine(ZSTD_createDCtx());
  if (!engine) return out_of_memory();
  // Unknown and broken sizes are the two largest numbers, so the plausible size takes their place.
  const std::uint64_t declared = ZSTD_getFrameContentSize(data.data(), data.size());
  const auto is_frame = [](bytes rest) {
    const bool is_skippable = (first_word(rest) & 0xfffffff0u) == ZSTD_MAGIC_SKIPPABLE_START;
    return is_skippable || codec_of_content(rest) == codec::zstd;
  };
  return decompress_units(
      data, declared, "zstd", limit, is_frame, [&](bytes rest, std::byte* to, std::size_t room) {
        unit u{unit::state::damaged};
        u.consumed = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
        if (ZSTD_isError(u.consumed) != 0) return u;
        // A whole frame into its place at once: no window is allocated, however large it claims to
        // be.
        u.produced = ZSTD_decompressDCtx(engine.get(), to, room, rest.data(), u.consumed);
        if (ZSTD_isError(u.produced) == 0)
          u.how = unit::state::ok;
        else if (ZSTD_getErrorCode(u.produced) == ZSTD_error_dstSize_tooSmall)
          u.how = unit::state::no_room;
        return u;
      });
}

[[nodiscard]] expected<content> zstd(bytes data) {
  const std::unique_ptr<ZSTD_CCtx, free_zstd> engine(ZSTD_createCCtx());
  content out;
  if (!engine || !out.reserve(ZSTD_compressBound(data.size()))) return out_of_memory();
  ZSTD_CCtx_setParameter(engine.get(), ZSTD_c_compressionLevel, 3);
  ZSTD_CCtx_setParameter(engine.get(), ZSTD_c_checksumFlag, 1);
  const std::size_t size =
      ZSTD_compress2(engine.get(), out.end(), out.capacity(), data.data(), data.size());
  if (ZSTD_isError(size) != 0) return failure{fault::system, ZSTD_getErrorName(size)};
  out.advance(size);
  return out;
}

#else

[[nodiscard]] failure unzstd(bytes, const limits&) { return missing_package("zstd", "libzstd"); }
[[nodiscard]] failure zstd(bytes) { return missing_package("zstd", "libzstd"); }

#endif

}  // namespace

codec codec_of_content(bytes data) noexcept {
  if (data.size() >= 2 && load_le<std::uint16_t>(data.data()) == 0x8b1f) return codec::gzip;
  if (first_word(data) == 0xfd2fb528u) return codec::zstd;
  return codec::none;
}

codec codec_of_name(std::string_view path) noexcept {
  if (path.ends_with(".gz")) return codec::gzip;
  if (path.ends_with(".zst")) return codec::zstd;
  return codec::none;
}

std::string_view without_codec(std::string_view path) noexcept {
  if (codec_of_name(path) != codec::none) path.remove_suffix(path.size() - path.rfind('.'));
  return path;
}

bool is_supported(codec which) noexcept {
  switch (which) {
    case codec::none: return true;
    case codec::gzip:
#ifdef TESSERA_HAS_LIBDEFLATE
      return true;
#else
      return false;
#endif
    case codec::zstd:
#ifdef TESSERA_HAS_ZSTD
      return true;
#else
      return false;
#endif
  }
  return false;
}

bool inflate(bytes from, std::byte* to, std::size_t size) noexcept {
#ifdef TESSERA_HAS_LIBDEFLATE
  const std::unique_ptr<libdeflate_decompressor, free_libdeflate> engine(
      libdeflate_alloc_decompressor());
  std::size_t consumed = 0;
  return engine &&
         libdeflate_deflate_decompress_ex(engine.get(), from.data(), from.size(), to, size,
                                          &consumed, nullptr) == LIBDEFLATE_SUCCESS &&
         consumed == from.size();
#else
  return from.empty() && to != nullptr && size == 0;
#endif
}

expected<content> decompress(bytes data, const limits& limit) {
  switch (codec_of_content(data)) {
    case codec::gzip: return gunzip(data, limit);
    case codec::zstd: return unzstd(data, limit);
    case codec::none: break;
  }
  return failure{fault::content, "byte 0: expected gzip or zstd data"};
}

expected<content> compress(bytes data, codec which) {
  return which == codec::gzip ? expected<content>(gzip(data)) : expected<content>(zstd(data));
}

expected<content> load(const std::string& path, const limits& limit, const input_rule& rule) {
  expected<content> file = read_file(path, limit, rule);
  if (!file || codec_of_content(file->view()) == codec::none) return file;
  expected<content> plain = decompress(file->view(), limit);
  if (!plain) plain.error().path = path;
  return plain;
}

expected<file_writer> stage(const std::string& path, bytes data) {
  content packed;
  if (const codec which = codec_of_name(path); which != codec::none) {
    expected<content> made = compress(data, which);
    if (!made) {
      failure why = made.error();
      why.path = path;
      return why;
    }
    packed = *std::move(made);
    data = packed.view();
  }
  expected<file_writer> out = file_writer::open(path);
  if (!out) return out;
  (void)out->put(data);  // prepare() says why
  if (expected<done> wrote = out->prepare(); !wrote) return wrote.error();
  return out;
}

expected<done> store(const std::string& path, bytes data) {
  expected<file_writer> out = stage(path, data);
  if (!out) return out.error();
  return out->finish();
}

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI
