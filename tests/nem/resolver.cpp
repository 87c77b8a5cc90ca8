// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "nem/nem.hpp"
#include "support/catch.hpp"

using namespace tessera;

namespace {

namespace fs = std::filesystem;

/// "id: text", or why a file isn't opened, or "-" without a reason.
std::string open(const nem::resolver& r, std::string_view from, std::string_view path) {
  nem::resolver::file f;
  if (!r.open(r.context, from, path, f)) return f.why.empty() ? "-" : std::string(f.why);
  return std::string(f.id) + ": " + std::string(f.text);
}

constexpr nem::named_text texts[] = {
    {"top.nem", "1"}, {"lib/a.nem", "2"}, {"lib/b.nem", "3"}, {"lib/deep/a.nem", "4"}};

void write_file(const fs::path& path, std::string_view content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

/// A folder that is gone in the end.
class scratch_folder {
 public:
  scratch_folder() : path_(fs::temp_directory_path() / "tessera_nem_resolver") {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~scratch_folder() { fs::remove_all(path_); }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

/// What holds of both kinds of files.
void check_paths(const nem::resolver& r) {
  CHECK(open(r, {}, "top.nem") == "top.nem: 1");
  CHECK(open(r, {}, "./lib//a.nem") == "lib/a.nem: 2");
  CHECK(open(r, {}, "lib\\deep\\..\\b.nem") == "lib/b.nem: 3");
  // Beside the file that names it, and then from the top.
  CHECK(open(r, "lib/b.nem", "a.nem") == "lib/a.nem: 2");
  CHECK(open(r, "lib/deep/a.nem", "a.nem") == "lib/deep/a.nem: 4");
  CHECK(open(r, "lib/deep/a.nem", "../a.nem") == "lib/a.nem: 2");
  CHECK(open(r, "lib/b.nem", "top.nem") == "top.nem: 1");
  CHECK(open(r, "lib/b.nem", "lib/b.nem") == "lib/b.nem: 3");
  CHECK(open(r, "lib/b.nem", "../top.nem") == "top.nem: 1");
  // Nothing above the top.
  CHECK(open(r, {}, "../top.nem") == "it is above the top folder");
  CHECK(open(r, "lib/b.nem", "../../top.nem") == "it is above the top folder");
  CHECK(open(r, {}, "/top.nem") == "it is an absolute path");
  CHECK(open(r, {}, "\\top.nem") == "it is an absolute path");
  CHECK(open(r, {}, "C:top.nem") == "it is an absolute path");
  CHECK(open(r, {}, "none.nem") == "-");
  CHECK(open(r, {}, "top.nem/none.nem") == "-");
  CHECK(open(r, {}, "") == "-");
  CHECK(open(r, {}, ".") == "-");
  CHECK(open(r, {}, "lib/..") == "-");
}

}  // namespace

TEST_CASE("nem/resolver: a table of texts", "[nem]") {
  nem::text_files files(texts);
  check_paths(files.resolver());
  CHECK(open(files.resolver(), {}, "lib") == "-");
}

TEST_CASE("nem/resolver: a folder", "[nem]") {
  const scratch_folder scratch;
  for (const nem::named_text& t : texts) write_file(scratch.path() / t.path, t.text);
  nem::folder_files files(scratch.path().string());
  check_paths(files.resolver());
  CHECK(open(files.resolver(), {}, "lib") == "it can't be read");
  CHECK(files.text_of("lib/a.nem") == "2");
  CHECK(files.text_of("a.nem").empty());
  // A file is read once.
  write_file(scratch.path() / "top.nem", "changed");
  CHECK(open(files.resolver(), {}, "top.nem") == "top.nem: 1");
  CHECK(open(files.resolver(), {}, std::string_view("lib/b.nem\0.txt", 14)) == "-");

  nem::folder_files again((scratch.path() / "").string(), 7);
  CHECK(open(again.resolver(), {}, "top.nem") == "top.nem: changed");
  nem::folder_files small(scratch.path().string(), 6);
  CHECK(open(small.resolver(), {}, "top.nem") == "it is too large");
}

TEST_CASE("nem/resolver: findings name the files", "[nem]") {
  constexpr nem::named_text table[] = {{"lib/npu.nem", "include \"families.nem\"\n"},
                                       {"lib/families.nem", "type_family f {"}};
  nem::text_files files(table);
  nem::verify_options options;
  options.resolver = files.resolver();
  options.id = "main.nem";
  const auto first_of = [&options](std::string_view source, report& found) {
    auto d = nem::read(source);
    REQUIRE(d);
    CHECK_FALSE(nem::verify(*std::move(d), options, &found));
    REQUIRE(found.diagnostics.size() == 1);
    return std::string(found.text_of(found.diagnostics[0].text));
  };
  report found;
  CHECK(first_of("include \"lib/npu.nem\"\n", found) == "the file isn't a valid document");
  REQUIRE(found.files.size() == 2);
  CHECK(found.text_of(found.files[1]) == "lib/families.nem");
  report missing, outside, itself;
  CHECK(first_of("include \"lib/gpu.nem\"\n", missing) == "can't find \"lib/gpu.nem\"");
  CHECK(first_of("include \"../gpu.nem\"\n", outside) ==
        "can't find \"../gpu.nem\": it is above the top folder");
  constexpr nem::named_text circle[] = {{"main.nem", "include \"main.nem\"\n"}};
  nem::text_files main_file(circle);
  options.resolver = main_file.resolver();
  CHECK(first_of(circle[0].text, itself) == "\"main.nem\" includes itself");
}
