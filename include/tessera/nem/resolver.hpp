// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Where the files come from that a NEM program includes: texts that the caller has, a folder, or
// whatever else finds a file by its path.
//
//   const nem::named_text texts[] = {{"npu.nem", device_text}, {"lib/families.nem", family_text}};
//   nem::text_files files(texts);                 // or nem::folder_files files("models");
//   nem::verify_options options;
//   options.resolver = files.resolver();
//   options.id = "main.nem";                      // where the program itself lies among them
//   auto program = nem::verify(std::move(*model), options, &found);
//   // Findings name included files by report::files: "lib/families.nem".
//
// A path is looked for beside the file that names it, then from the top. Its parts are separated by
// '/' or '\'; "." and ".." mean what they do in file systems, and nothing above the top is opened,
// nor is an absolute path.
//
// Lifetime:   text_files borrows its texts, folder_files owns them; both must outlive verification,
//             and a resolver borrows them.
// Errors:     a file that isn't there is INC-001, with the reason where there is one.
// Limits:     folder_files: files of `max_bytes`.
// Allocation: the paths, and the texts of a folder's files, each read once.

#ifndef TESSERA_NEM_RESOLVER_HPP
#define TESSERA_NEM_RESOLVER_HPP

#include <cstdint>
#include <string_view>

#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// Finds the files that models name.
///
/// Called as open(context, from, path, file): `from` is file::id of the file that names `path`, or
/// verify_options::id for the model that is verified. Returns false where there is no such file, or
/// none that may be included; then `why` may say so.
/// What `file` points to must last until verification ends.
struct resolver {
  /// What `open` found.
  struct file {
    std::string_view id;        ///< the same for the same file, however it is named
    std::string_view text;      ///< its whole text
    std::string_view why = {};  ///< what is wrong with the path, in words
  };
  /// Finds a file, as explained above; without it there are none.
  bool (*open)(void* context, std::string_view from, std::string_view path, file& to) = nullptr;
  void* context = nullptr;  ///< passed to `open`
};

/// A text and its path from the top, such as "lib/families.nem".
struct named_text {
  std::string_view path, text;  ///< its path from the top; all of its characters
};

/// A table of texts as files.
class text_files {
 public:
  /// Makes files of the texts, which it borrows.
  explicit text_files(view<named_text> texts) noexcept : texts_(texts) {}
  template <std::size_t Count>
  /// Makes files of the texts, which it borrows.
  explicit text_files(const named_text (&texts)[Count]) noexcept : texts_{texts, Count} {}
  text_files(const text_files&) = delete;
  text_files& operator=(const text_files&) = delete;

  /// A resolver that finds these files, and borrows them.
  [[nodiscard]] nem::resolver resolver() noexcept { return {open, this}; }

 private:
  static bool open(void* self, std::string_view from, std::string_view path,
                   nem::resolver::file& to);

  view<named_text> texts_;
  text id_;
};

/// The files of a folder, and of folders in it. Links are followed, and a named pipe is waited for:
/// a program that a stranger wrote should meet a folder of plain files.
class folder_files {
 public:
  /// The current folder where the path is empty.
  explicit folder_files(std::string_view path, std::uint64_t max_bytes = std::uint64_t{1} << 32)
      : folder_(path), max_bytes_(max_bytes) {}
  folder_files(const folder_files&) = delete;
  folder_files& operator=(const folder_files&) = delete;
  ~folder_files();

  /// A resolver that finds these files, and borrows them.
  [[nodiscard]] nem::resolver resolver() noexcept { return {open, this}; }
  /// The text of a file that was opened, by its path from the folder; else empty.
  [[nodiscard]] std::string_view text_of(std::string_view id) const noexcept;

 private:
  struct loaded {
    text id, content;
    loaded* before = nullptr;
  };
  static bool open(void* self, std::string_view from, std::string_view path,
                   nem::resolver::file& to);
  /// Reads the file of `id_`. Null where there is none, or `why` says what is wrong with it.
  [[nodiscard]] const loaded* load(std::string_view& why);

  text folder_, id_;
  std::uint64_t max_bytes_;
  loaded* last_ = nullptr;
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/device/resolver.hpp"
#endif

#endif  // TESSERA_NEM_RESOLVER_HPP
