// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstdint>
#include <string_view>
#include <tessera/core/report.hpp>
#include <tessera/nem.hpp>

#include "support/catch.hpp"

using namespace tessera;

namespace {

/// A report of one finding.
struct one {
  tessera::report found;
  template <class Write>
  explicit one(errc code, tessera::place where, Write write) {
    nem::detail::findings f(&found, nem::profile::standard, 10);
    auto w = f.add(code, where);
    write(w);
  }
  [[nodiscard]] text shown(std::string_view source) const {
    const tessera::source_file file{"a.nem", source};
    const tessera::listing list(found, {&file, 1});
    return list.describe(found.diagnostics[0]);
  }
};

}  // namespace

TEST_CASE("nem/describe: the line, a range, and a note about another line", "[nem]") {
  const std::string_view source = "const N = 4\n\tconst N = 8\n";
  const one duplicate(errc::nem_con_001_duplicate, {0, 19, 5}, [](auto& w) {
    w << "duplicate constant declaration "
      << "N";
    w.note({0, 6, 1}) << "declared here first";
  });
  CHECK(duplicate.shown(source) ==
        "a.nem:2:8: error: duplicate constant declaration N [CON-001]\n"
        "   const N = 8\n"
        "         ^~~~~\n"
        "a.nem:1:7: note: declared here first\n"
        "  const N = 4\n"
        "        ^\n");
}

TEST_CASE("nem/describe: a fix is below, where it would be inserted", "[nem]") {
  const one comma(errc::nem_syn_009_comma, {0, 8, 5}, [](auto& w) {
    w << "expected ',' between type attributes";
    w.fix({0, 7, 0}) << ",";
  });
  CHECK(comma.shown("elem=i8 shape=[8]") ==
        "a.nem:1:9: error: expected ',' between type attributes [SYN-009]\n"
        "  elem=i8 shape=[8]\n"
        "          ^~~~~\n"
        "         ,\n");
}

TEST_CASE("nem/describe: ranges end with their line", "[nem]") {
  const one loop(errc::nem_syn_002_loop, {0, 0, 60000}, [](auto& w) { w << "x"; });
  CHECK(loop.shown("loop i\nin") ==
        "a.nem:1:1: error: x [SYN-002]\n"
        "  loop i\n"
        "  ^~~~~~\n");
}

TEST_CASE("nem/describe: a place at the end, in other files, and a note of no place", "[nem]") {
  const one end(errc::nem_syn_001_token, {0, 3, 0}, [](auto& w) {
    w << "expected more";
    w.note() << "because";
  });
  CHECK(end.shown("ab\n") ==
        "a.nem:2:1: error: expected more [SYN-001]\n"
        "  \n"
        "  ^\n"
        "  note: because\n");
  one other(errc::nem_dev_006_memory, {1, 3, 2}, [](auto& w) { w << "memory"; });
  other.found.files.push_back({static_cast<std::uint32_t>(other.found.characters.size()), 5});
  other.found.characters << "d.cfg";
  CHECK(other.shown("") == "d.cfg: error: memory [DEV-006]\n");
  const tessera::source_file both[] = {{"a.nem", ""}, {"d.cfg", "device d"}};
  const tessera::listing list(other.found, {both, 2});
  CHECK(list.describe(other.found.diagnostics[0]) ==
        "d.cfg:1:4: error: memory [DEV-006]\n"
        "  device d\n"
        "     ^~\n");
}

TEST_CASE("nem/describe: lines and columns are found anywhere", "[nem]") {
  const std::string_view source = "a\n\nbc\n";
  const tessera::report none;
  const tessera::source_file file{"x", source};
  const tessera::listing list(none, {&file, 1});
  for (std::uint32_t i = 0; i <= source.size(); ++i)
    CHECK(list.locate({0, i, 1}) == locate(source, i));
}

/// Findings whose places differ only where their numbers have more than 24 bits.
TEST_CASE("nem/describe: findings of several large files are distinguished", "[nem]") {
  tessera::report found;
  nem::detail::findings f(&found, nem::profile::standard, 10);
  const std::uint32_t offsets[] = {0, 1u << 24, 1u << 28, 0xffffffffu};
  for (int again = 0; again < 2; ++again)
    for (const std::uint32_t file : {0u, 1u, 16u, 4096u})
      for (const std::uint32_t offset : offsets)
        for (const errc code : {errc::nem_con_001_duplicate, errc::nem_con_002_forward})
          f.add(code, {file, offset, 1}) << "found";
  CHECK(found.errors == 4 * 4 * 2);
}
