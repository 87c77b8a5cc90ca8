// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The tool as its users call it: each file of cases/ is a session in a shell.
//
//   @ test -n "$has_zstd"                  unless this succeeds, the rest of the file is skipped
//   $ tessera check ok/mul.v2.json - \     a command for sh, in an empty folder of the file's own;
//   > <garbage                             it goes on in lines with a '>'
//   | ok/mul.v2.json: ok (ALIR JSON)       what it prints, line by line;
//   ! <stdin>: error: expected...          on standard error; `...` is any characters, and a line
//   ! ...                                  that is `...` is any lines
//   = 1                                    its exit status, if it isn't 0
//
// Bytes outside printable ASCII are written \xNN, a backslash is \\, and a last line without its
// newline ends in \c. Standard input is empty. ok/ and bad/ lead to tests/data/alir, in cases named
// ..._ark_... also ark/ to tests/data/ark/cli, in ..._nac_... also nac/ to tests/data/nac,
// in ..._nem_... also nem/ to tests/data/nem, in ..._genome_... also networks/, study/ and transplant/
// to those of tests/data/genome; $has_gzip and $has_zstd are set when this build has them, $has_dot when
// Graphviz is there. A line that begins with {" has to be JSON, on standard output as in files NAME.jsonl that are left behind.
//
// With TESSERA_BLESS=1 the expectations that don't hold are replaced by what was printed.

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <tessera/core/json.hpp>
#include <tessera/core/json_read.hpp>
#include <utility>
#include <vector>

#include "io/compress.hpp"
#include "support/catch.hpp"

namespace {

namespace fs = std::filesystem;
using lines = std::vector<std::string>;

std::string load(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) FAIL("cannot open " << path.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void save(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// The lines of a text, as case files write them.
lines shown(std::string_view content) {
  constexpr std::string_view digits = "0123456789abcdef";
  lines out;
  bool in_line = false;
  for (const char c : content) {
    if (!std::exchange(in_line, c != '\n')) out.emplace_back();
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\')
      out.back() += "\\\\";
    else if (byte >= ' ' && byte <= '~')
      out.back() += c;
    else if (c != '\n')
      out.back().append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  }
  if (in_line) out.back() += "\\c";
  return out;
}

/// Whether `line` is `pattern`, in which `...` is any characters.
bool matches(std::string_view pattern, std::string_view line) {
  std::size_t at = pattern.find("...");
  if (at == pattern.npos) return pattern == line;
  if (!line.starts_with(pattern.substr(0, at))) return false;
  line.remove_prefix(at);
  for (;;) {
    pattern.remove_prefix(at + 3);
    at = pattern.find("...");
    if (at == pattern.npos) return line.ends_with(pattern);
    const std::size_t found = line.find(pattern.substr(0, at));
    if (found == line.npos) return false;
    line.remove_prefix(found + at);
  }
}

bool matches(std::span<const std::string> patterns, std::span<const std::string> actual) {
  if (patterns.empty()) return actual.empty();
  if (patterns[0] != "...")
    return !actual.empty() && matches(patterns[0], actual[0]) &&
           matches(patterns.subspan(1), actual.subspan(1));
  for (std::size_t skipped = 0; skipped <= actual.size(); ++skipped)
    if (matches(patterns.subspan(1), actual.subspan(skipped))) return true;
  return false;
}

/// What a command printed and its exit status, or what it should.
struct outcome {
  lines out, err;
  int status = 0;

  void add(const std::string& line) {
    const std::string rest = line.substr(std::min<std::size_t>(2, line.size()));
    if (line[0] == '=')
      status = std::atoi(rest.c_str());
    else
      (line[0] == '|' ? out : err).push_back(rest);
  }
  [[nodiscard]] bool holds_for(const outcome& actual) const {
    return status == actual.status && matches(out, actual.out) && matches(err, actual.err);
  }
  [[nodiscard]] std::string text() const {
    std::string t;
    for (const std::string& line : out) t += line.empty() ? "|\n" : "| " + line + '\n';
    for (const std::string& line : err) t += line.empty() ? "!\n" : "! " + line + '\n';
    return status == 0 ? t : t + "= " + std::to_string(status) + '\n';
  }
};

/// A case file that is run.
class session {
 public:
  explicit session(const fs::path& file)
      : file_(file), folder_(fs::path(TESSERA_TESTS_CLI_SCRATCH) / file.stem()) {
    // A folder that a case made read-only is no obstacle to the next run.
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder_, ignored))
      if (entry.is_directory(ignored) && !entry.is_symlink(ignored))
        fs::permissions(entry.path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "work");
    const fs::path data = TESSERA_TESTS_CLI_DATA;
    fs::create_directory_symlink(data / "alir/ok", folder_ / "work/ok");
    fs::create_directory_symlink(data / "alir/bad", folder_ / "work/bad");
    if (file.stem().string().find("_pipeline") != std::string::npos)
      fs::create_directory_symlink(data / "alir/pipelines", folder_ / "work/pipelines");
    if (file.stem().string().find("_ark_") != std::string::npos)
      fs::create_directory_symlink(data / "ark/cli", folder_ / "work/ark");
    if (file.stem().string().find("_nac_") != std::string::npos)
      fs::create_directory_symlink(data / "nac", folder_ / "work/nac");
    if (file.stem().string().find("_nem_") != std::string::npos)
      fs::create_directory_symlink(data / "nem", folder_ / "work/nem");
    if (file.stem().string().find("_genome_") != std::string::npos) {
      fs::create_directory_symlink(data / "genome", folder_ / "work/genome");
      for (const std::string folder : {"networks", "study", "transplant"})
        fs::create_directory_symlink(data / "genome" / folder, folder_ / "work" / folder);
    }
    if (file.stem().string().find("_pt2_") != std::string::npos)
      fs::create_directory_symlink(data / "pt2", folder_ / "work/pt2");
  }

  void run() {
    const std::string source = load(file_);
    const bool bless = std::getenv("TESSERA_BLESS") != nullptr;
    std::string blessed;
    std::size_t commands = 0;
    bool skip = false;
    for (next_ = 0; next_ < source.size();) {
      const std::size_t start = next_;
      const std::string line = take(source);
      if (line.starts_with("@ ") && !skip && execute(line.substr(2)).status != 0) {
        skip = true;
        WARN(file_.filename().string() << ':' << number_ << ": skipped: " << line);
      }
      if (skip || !line.starts_with("$ ")) {
        blessed.append(source, start, next_ - start);
        continue;
      }
      const std::string where = file_.filename().string() + ':' + std::to_string(number_);
      std::string command = line.substr(2);
      while (source.substr(next_, 2) == "> ") command += '\n' + take(source).substr(2);
      blessed.append(source, start, next_ - start);
      const std::size_t expectation = next_;
      outcome expected;
      while (next_ < source.size() && std::string_view("|!=").find(source[next_]) != source.npos)
        expected.add(take(source));

      const outcome actual = execute(command);
      ++commands;
      const bool good = expected.holds_for(actual);
      if (good)
        blessed.append(source, expectation, next_ - expectation);
      else
        blessed += actual.text();
      if (!good && !bless)
        FAIL_CHECK(where << ": $ " << command << "\n---- expected\n"
                         << expected.text() << "---- actual\n"
                         << actual.text());
      check_json(folder_ / "stdout", where);
    }
    for (const auto& entry : fs::directory_iterator(folder_ / "work"))
      if (entry.path().extension() == ".jsonl") check_json(entry.path(), entry.path().string());
    CHECK((skip || commands > 0));
    if (bless && blessed != source) save(file_, blessed);
  }

 private:
  std::string take(const std::string& source) {
    const std::size_t end = std::min(source.find('\n', next_), source.size());
    std::string line = source.substr(next_, end - next_);
    next_ = std::min(end + 1, source.size());
    ++number_;
    return line;
  }

  [[nodiscard]] outcome execute(const std::string& command) const {
    const fs::path tool = TESSERA_TESTS_CLI_TOOL;
    const auto has = [](const char* name, tessera::io::codec which) {
      return "export " + std::string(name) + (tessera::io::is_supported(which) ? "=1\n" : "=\n");
    };
    const std::string folder = folder_.string(), tools = tool.parent_path().string();
    save(folder_ / "command", "cd '" + folder + "/work' || exit 125\nPATH='" + tools +
                                  "':$PATH\nexport PATH LC_ALL=C TERM=xterm\nunset NO_COLOR\n" +
                                  has("has_gzip", tessera::io::codec::gzip) +
                                  has("has_zstd", tessera::io::codec::zstd) +
                                  "has_dot=$(command -v dot)\nexport has_dot\n" + command + '\n');
    const std::string shell = "cd '" + folder + "' && sh command </dev/null >stdout 2>stderr";
    const int status = std::system(shell.c_str());
    return {shown(load(folder_ / "stdout")), shown(load(folder_ / "stderr")),
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
  }

  /// Lines that look like JSON objects are some.
  void check_json(const fs::path& printed, const std::string& where) const {
    const std::string content = load(printed);
    for (std::string_view rest = content; !rest.empty();) {
      const std::string line(rest.substr(0, rest.find('\n')));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (!line.starts_with("{\"")) continue;
      tessera::json::reader r(line);
      (void)r.skip();
      if (r.finish().code != tessera::errc::ok)
        FAIL_CHECK(where << ": not JSON: " << shown(line)[0]);
    }
  }

  fs::path file_;
  fs::path folder_;  ///< holds the command, what it printed, and work/, where it runs
  std::size_t next_ = 0;
  std::size_t number_ = 0;  ///< lines that were taken
};

}  // namespace

TEST_CASE("the tool does what its cases say", "[cli]") {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TESSERA_TESTS_CLI_CASES))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE_FALSE(files.empty());
  for (const fs::path& file : files) {
    DYNAMIC_SECTION(file.stem().string()) { session(file).run(); }
  }
}

TEST_CASE("wildcards of case files", "[cli]") {
  CHECK(matches("a...c...e", "abcde"));
  CHECK(matches("a...", "a"));
  CHECK_FALSE(matches("a...c", "abcd"));
  CHECK_FALSE(matches("...c...d", "abd"));
  CHECK(matches(lines{"a", "...", "b"}, lines{"a", "b"}));
  CHECK(matches(lines{"...", "b"}, lines{"a", "b", "b"}));
  CHECK_FALSE(matches(lines{"a", "..."}, lines{"b"}));
  CHECK_FALSE(matches(lines{"a"}, lines{"a", "b"}));
  CHECK(shown("a\\\n\x1b\n\nb") == lines{"a\\\\", "\\x1b", "", "b\\c"});
}
