// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Containers in another version: ids of operations by hand, refusals.

#include "nac/support.hpp"
// support.hpp comes first.
#include <utility>

#include "nac/container.hpp"

using namespace tessera;
using namespace nac_tests;

namespace {

using nac::header;

/// Instructions without arguments.
[[nodiscard]] nac::parts program(header form, std::initializer_list<int> ids,
                                 std::initializer_list<std::pair<int, std::string_view>> rows) {
  nac::parts p;
  p.form = form;
  for (const int id : ids) p.instructions.push_back({static_cast<std::uint8_t>(id), 0, {}, {}});
  for (const auto& [id, name] : rows)
    p.add_name(p.operations, static_cast<std::uint16_t>(id), name);
  return p;
}

/// "11 32 | 32=a 33=b"
[[nodiscard]] std::string listed(const nac::parts& p) {
  std::string out;
  for (const nac::instruction_part& i : p.instructions) out += std::to_string(i.a) + ' ';
  for (const nac::instruction_part& i : p.training) out += 't' + std::to_string(i.a) + ' ';
  out += '|';
  for (const nac::named_part& row : p.operations)
    out += ' ' + std::to_string(row.id) + '=' + std::string(p.string(row.text));
  return out;
}

[[nodiscard]] std::string converted(const nac::parts& p, header to) {
  const auto there = nac::convert(p, to);
  if (!there) return std::string(there.error().name()) + ' ' + std::to_string(there.error().offset);
  CHECK(there->form == to);
  const auto twice = nac::convert(*there, to);
  REQUIRE(twice);
  CHECK(listed(*twice) == listed(*there));  // a fixpoint
  CHECK(nac::write(*there));
  return listed(*there);
}

}  // namespace

TEST_CASE("nac/convert: the small files of all versions are one program", "[nac]") {
  const char* const names[] = {"mini_v16", "mini_v17", "mini_v18"};
  for (const char* from : names)
    for (int to = 0; to < 3; ++to) {
      INFO(from << " to " << names[to]);
      const auto source = hex_file(from), expected = hex_file(names[to]);
      const auto file = nac::read(bytes(source)), wanted = nac::read(bytes(expected));
      REQUIRE(file);
      REQUIRE(wanted);
      const auto there = nac::convert(nac::parts_of(*file), static_cast<header>(to));
      REQUIRE(there);
      // Id 20 of mini_v16 becomes 32, as the others have it; and 32 stays when they become 1.6.
      const auto out = nac::write(*there);
      REQUIRE(out);
      std::vector<std::byte> written(out->begin(), out->end());
      if (to == 0) {
        CHECK(written == edited(edited(expected, 118, "20"), 152, "20"));
      } else {
        CHECK(written == expected);
      }
    }
}

TEST_CASE("nac/convert: operations keep their names under ids that the version has", "[nac]") {
  const auto older = header::v1_6, newer = header::v1_8;
  // To 1.8: what it predefines loses its row; below 32 moves up to what is free.
  CHECK(converted(program(older, {11, 20, 21, 40}, {{20, "nac.mul"}, {21, "x"}, {40, "y"}}),
                  newer) == "11 20 32 40 | 32=x 40=y");
  CHECK(converted(program(older, {20, 21, 32, 33}, {{20, "a"}, {21, "b"}, {32, "c"}, {33, "d"}}),
                  newer) == "34 35 32 33 | 32=c 33=d 34=a 35=b");
  CHECK(converted(program(older, {200}, {{200, "nac.full_like"}}), newer) == "31 |");
  // To 1.6: from 20 on they need a row.
  CHECK(converted(program(newer, {19, 20, 22, 32}, {{32, "x"}}), older) ==
        "19 33 34 32 | 32=x 33=nac.mul 34=nac.matmul");
  CHECK(converted(program(newer, {20}, {}), header::v1_7) == "20 |");
  // A row that overrides a predefined id: the name counts, not the id.
  CHECK(converted(program(older, {11, 12}, {{11, "nac.sub"}, {12, "x"}}), newer) == "12 32 | 32=x");
  CHECK(converted(program(newer, {20, 21}, {{20, "nac.div"}}), older) == "32 32 | 32=nac.div");
  // Two ids of one name become one, rows that nothing uses go, the last row of an id counts.
  CHECK(converted(program(older, {50, 20, 40}, {{20, "x"}, {40, "x"}, {50, "x"}}), newer) ==
        "40 40 40 | 40=x");
  CHECK(
      converted(program(older, {20}, {{20, "x"}, {20, "y"}, {33, "z"}, {2, "<INPUT>"}, {300, "w"}}),
                newer) == "32 | 32=y");
  // System instructions are none of this; the instructions of TRNG are.
  nac::parts p = program(newer, {2, 33, 3}, {{33, "x"}, {34, "y"}});
  p.outputs = 0;
  p.has_training = true;
  p.training.push_back({34, 0, {}, {}});
  p.training.push_back({22, 0, {}, {}});
  CHECK(converted(p, header::v1_7) == "2 33 3 t34 t22 | 33=x 34=y");
}

TEST_CASE("nac/convert: what has no form in the version is refused", "[nac]") {
  const auto older = header::v1_6, newer = header::v1_8;
  nac::parts p = program(newer, {11}, {});
  p.has_training = true;
  CHECK(converted(p, older) == "nac_convert_training 0");
  CHECK(converted(p, header::v1_7) == "11 |");
  p = program(newer, {11}, {});
  p.training_flag = true;
  CHECK(converted(p, older) == "nac_convert_training 0");
  CHECK(converted(p, newer) == "11 |");
  p = program(newer, {11}, {});
  p.arrays.push_back({p.add_string("m"), nac::data_type::int8, {}, {}});
  CHECK(converted(p, older) == "nac_convert_arrays 0");
  CHECK(converted(p, header::v1_7) == "nac_convert_arrays 0");
  CHECK(converted(p, newer) == "11 |");
  for (const int variant : {4, 5}) {
    p = program(newer, {11}, {});
    const std::uint16_t id[] = {1};
    p.instructions.push_back({2, static_cast<std::uint8_t>(variant), p.add_words({id, 1}), {}});
    CHECK(converted(p, older) == "nac_convert_input 1");
    CHECK(converted(p, header::v1_7) == "11 2 |");
  }
  p = program(newer, {11, 11}, {});
  const std::uint16_t words[] = {1, 2};
  p.instructions.push_back({3, 3, p.add_words({words, 1}), p.add_words({words, 2})});
  CHECK(converted(p, older) == "nac_convert_output 2");
  CHECK(converted(p, header::v1_7) == "11 11 3 |");
  p.instructions[2] = {3, 4, {}, {0, 1}};
  CHECK(converted(p, older) == "nac_convert_output 2");

  CHECK(converted(program(older, {11, 20}, {}), newer) == "nac_convert_operation 1");
  CHECK(converted(program(older, {11, 20}, {{20, ""}}), newer) == "nac_convert_operation 1");
  CHECK(converted(program(older, {11}, {}), static_cast<header>(3)) == "nac_write_form 0");
  p = program(older, {20}, {{20, "x"}});
  p.operations[0].text.first = 2;
  CHECK(converted(p, newer) == "nac_write_range 0");
}

TEST_CASE("nac/convert: 224 operations fit above those that are predefined", "[nac]") {
  for (const int free : {0, 1}) {
    nac::parts p;
    for (int id = 32; id < 256; ++id) {
      if (free == 1 && id == 100) continue;
      p.instructions.push_back({static_cast<std::uint8_t>(id), 0, {}, {}});
      p.add_name(p.operations, static_cast<std::uint16_t>(id), "op" + std::to_string(id));
    }
    p.instructions.push_back({20, 0, {}, {}});
    p.add_name(p.operations, 20, "one more");
    const auto there = nac::convert(p, header::v1_8);
    if (free == 0) {
      CHECK(there.error() == error{errc::nac_convert_operations, 224});
    } else {
      REQUIRE(there);
      CHECK(there->instructions.back().a == 100);
      CHECK(there->operations.size() == 224);
      CHECK(there->string(there->operations[68].text) == "one more");
    }
  }
}

TEST_CASE("nac/convert: payloads stay borrowed", "[nac]") {
  const auto source = hex_file("mini_v18");
  const auto file = nac::read(bytes(source));
  REQUIRE(file);
  const auto there = nac::convert(nac::parts_of(*file), header::v1_6);
  REQUIRE(there);
  CHECK(there->tensors[0].data.borrowed == file->tensors().begin()->data.data());
}
