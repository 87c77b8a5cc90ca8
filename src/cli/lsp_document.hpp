// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The documents of an editor: texts with lines, and what is known of them.
//
//   source_text text("a\nb");
//   text.offset_of({1, 0}, encoding::utf16);     // 2
//   document d(files, "file:///tiles.nem", "…", 1);
//   d.report();                                   // what is wrong, once it is asked for
//
// What is known is found out when it is asked for, and kept until the text changes. A document that has
// syntax errors has the model of what can be read.
//
// Lifetime:   a document borrows the files.
// Errors:     none: reports.
// Limits:     verify_options, and while a document is typed fewer instances and steps; models of more
//             than max_verified nodes aren't verified.
// Allocation: the text, its lines, a model or two.

#ifndef TESSERA_CLI_LSP_DOCUMENT_HPP
#define TESSERA_CLI_LSP_DOCUMENT_HPP

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lsp_transport.hpp"
#include "tessera/inspect/nem/facts.hpp"
#include "tessera/inspect/nem/symbols.hpp"
#include "tessera/nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

/// In what `character` of a position counts.
enum class encoding : std::uint8_t { utf8, utf16, utf32 };
inline constexpr std::string_view encoding_names[] = {"utf-8", "utf-16", "utf-32"};

/// A text with its lines, which end with LF, CR LF or CR.
class source_text {
 public:
  explicit source_text(std::string text = {}) : text_(std::move(text)) { find_lines(0); }

  [[nodiscard]] std::string_view view() const noexcept { return text_; }
  [[nodiscard]] position position_of(std::uint64_t offset, encoding e) const;
  /// What a range counts.
  [[nodiscard]] std::uint32_t units_of(std::uint32_t first, std::uint32_t last, encoding e) const;
  /// What is past the end of a line or of the text is at the end.
  [[nodiscard]] std::uint32_t offset_of(position p, encoding e) const;
  void apply(const text_change& c, encoding e);
  /// Where a line begins; the end of the text for lines after the last.
  [[nodiscard]] std::uint32_t line_at(std::uint32_t line) const noexcept;
  [[nodiscard]] std::size_t lines() const noexcept { return lines_.size(); }

 private:
  void find_lines(std::size_t first);
  /// The end of a line, before its LF, CR LF or CR.
  [[nodiscard]] std::uint32_t end_of(std::size_t line) const noexcept;
  /// Units of all that is before an offset, so that long lines aren't counted again and again.
  [[nodiscard]] std::uint32_t units_before(std::uint32_t offset, encoding e) const;
  /// The offset that has so many units before it, or the last before that; from `at` to `last`.
  [[nodiscard]] std::uint32_t offset_with(std::uint32_t units, std::uint32_t at, std::uint32_t last,
                                          encoding e) const;
  struct mark {
    std::uint32_t offset, units;
  };
  void make_marks(encoding e) const;

  std::string text_;
  std::vector<std::uint32_t> lines_;
  bool is_ascii_ = true;
  mutable std::vector<mark> marks_;  ///< every few hundred bytes, of one encoding
  mutable encoding marked_ = encoding::utf8;
};

/// Another form of file names; "" for URIs of no file.
[[nodiscard]] std::string path_of(std::string_view uri);
[[nodiscard]] std::string uri_of(std::string_view path);

class document;

/// The files that documents include: on the disk, or as the editor has them.
class file_table {
 public:
  explicit file_table(const lsp_options& options) : options_(options) {}

  /// A file that is open in the editor, by its id; null: it no longer is.
  void set_open(const std::string& id, document* d);
  /// Finds what `path` means in a file; `from` is its path, or its id if it was included.
  [[nodiscard]] bool open(std::string_view from, std::string_view path, nem::resolver::file& to);
  /// The device file of the options; no text where there is none, or `why`.
  [[nodiscard]] nem::resolver::file device_file(std::string& why);
  /// The text of a file that was found, by its id.
  [[nodiscard]] std::string_view text_of(std::string_view id) const;
  /// Its URI: the editor's own where it is open.
  [[nodiscard]] std::string uri_of_id(std::string_view id) const;
  [[nodiscard]] document* open_document(std::string_view id) const;
  [[nodiscard]] const lsp_options& options() const noexcept { return options_; }
  [[nodiscard]] lsp_options& options() noexcept { return options_; }
  /// Nothing that open() has given is used any more.
  void settle();
  std::string root;  ///< of the workspace; a path, or empty

 private:
  struct loaded {
    std::unique_ptr<const std::string> text;
    std::filesystem::file_time_type time;
    std::uint64_t size = 0;
  };
  /// Reads a file, unless it is known and hasn't changed.
  [[nodiscard]] const std::string* load(const std::string& id, std::string& why);

  lsp_options options_;
  std::map<std::string, document*, std::less<>> documents_;
  std::map<std::string, loaded, std::less<>> loaded_;
  std::uint64_t bytes_ = 0;                                   ///< of loaded_
  std::vector<std::unique_ptr<const std::string>> replaced_;  ///< that may still be in use
  std::string why_;
};

class document {
 public:
  document(file_table& files, std::string uri, std::string text, std::int64_t version);
  document(const document&) = delete;
  document& operator=(const document&) = delete;

  [[nodiscard]] const std::string& uri() const noexcept { return uri_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] const source_text& text() const noexcept { return text_; }
  /// Changes it, and what is known is forgotten. False where the text would be too long: it is empty
  /// from then on, until it is replaced.
  bool change(const std::vector<text_change>& all, encoding e, std::int64_t version);
  /// It, or what it includes, is being typed: from now on it is checked in part.
  void type();
  /// It has been saved, and is checked whole until it is typed in again.
  void save();
  void forget();

  std::int64_t version = 0;
  bool is_published = false;  ///< whether the client has the findings

  /// What reading and verifying found.
  [[nodiscard]] const tessera::report& report();
  /// Why the options' device can't be used; empty where it can.
  [[nodiscard]] const std::string& device_problem() const noexcept { return device_problem_; }
  /// Whether all of it reads.
  [[nodiscard]] bool is_whole();
  [[nodiscard]] bool is_unverified() const noexcept { return is_unverified_; }
  /// Whether it was changed since it was opened or saved: loops are checked in part then.
  [[nodiscard]] bool is_typed() const noexcept { return is_typed_; }
  [[nodiscard]] const nem::model& model();
  [[nodiscard]] const inspect::nem_symbols& symbols();
  [[nodiscard]] const inspect::nem_facts& facts();
  /// Null where it has errors, races aside.
  [[nodiscard]] const nem::program* program();
  /// The files that it includes, by ids, in the order of report::files.
  [[nodiscard]] std::vector<std::string> included();
  /// Whether it was verified with that file.
  [[nodiscard]] bool depends_on(std::string_view id) const;
  /// Whether it would be valid for a device, and what isn't.
  [[nodiscard]] bool verify_for(const nem::resolver::file& file, const std::string& name,
                                tessera::report& found);

 private:
  static constexpr std::size_t max_verified = 2'000'000;
  // While it is typed: some milliseconds.
  static constexpr std::uint64_t typed_instances = 20'000, typed_hazard_steps = 1u << 21;

  void read();
  void verify();
  [[nodiscard]] nem::verify_options options();
  [[nodiscard]] static bool resolve(void* self, std::string_view from, std::string_view path,
                                    nem::resolver::file& to);

  file_table& files_;
  std::string uri_, path_, id_;
  source_text text_;
  bool is_too_long_ = false, is_typed_ = false;

  bool is_read_ = false, is_whole_ = false, is_verified_ = false, is_unverified_ = false;
  bool was_tried_without_races_ = false;
  tessera::report found_;    ///< for people
  tessera::report partial_;  ///< of verifying what can be read: the files
  nem::model model_;
  std::optional<inspect::nem_symbols> symbols_;
  std::optional<inspect::nem_facts> facts_;
  std::optional<nem::program> program_;
  std::string device_name_, device_problem_;
};

}  // namespace cli::lsp
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_LSP_DOCUMENT_HPP
