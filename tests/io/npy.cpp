// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "io/npy.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <tessera/core/bytes.hpp>

#include "../support/allocations.hpp"
#include "../support/catch.hpp"
#include "../support/guard_page.hpp"
#include "support.hpp"

using namespace tessera;
using tessera_tests::data_path;
using tessera_tests::message_of;
using tessera_tests::slurp;

namespace {

[[nodiscard]] io::expected<io::matrix> read(std::string_view file, std::uint64_t columns,
                                            const limits& limit = {}) {
  return io::read_npy(as_bytes(file), columns, limit);
}

[[nodiscard]] std::string recorded(std::string_view name) {
  const std::string out = slurp(data_path(name));
  REQUIRE(!out.empty());
  return out;
}

/// A version 1.0 file, without padding.
[[nodiscard]] std::string npy(std::string_view dictionary, std::string_view elements) {
  std::string out("\x93NUMPY\1\0", 8);
  out += static_cast<char>(dictionary.size() & 0xff);
  out += static_cast<char>(dictionary.size() >> 8);
  return out.append(dictionary).append(elements);
}
[[nodiscard]] std::string npy(std::string_view type, std::string_view shape,
                              std::string_view elements) {
  return npy("{'descr': '" + std::string(type) +
                 "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }",
             elements);
}

/// Bit for bit, so that -0.0 and NaN count.
[[nodiscard]] std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> out;
  for (const double v : values) out.push_back(std::bit_cast<std::uint64_t>(v));
  return out;
}
void check_file(const std::string& name, std::uint64_t columns, const std::vector<double>& values) {
  INFO(name);
  const auto m = read(recorded(name), columns);
  REQUIRE(message_of(m) == "");
  CHECK(m->columns == columns);
  CHECK(m->rows == values.size() / columns);
  CHECK(bits_of(m->values) == bits_of(values));
}

constexpr double inf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("npy: floats of every width and byte order", "[io]") {
  for (const char* type : {"f2", "f4", "f8"})
    for (const char* order : {"le_", "be_"})
      check_file(order + std::string(type) + ".npy", 3, {0, 1, -2, 3.5, -0.0, 100});
  for (const char* name : {"version2_f8.npy", "version3_f8.npy"})
    check_file(name, 3, {0, 1, -2, 3.5, -0.0, 100});
}

TEST_CASE("npy: integers of every width, sign and byte order", "[io]") {
  struct row {
    const char* type;
    double least, most;
  };
  for (const auto& [type, least, most] :
       {row{"u1", 0, 255}, row{"i1", -128, 127}, row{"u2", 0, 65535}, row{"i2", -32768, 32767},
        row{"u4", 0, 4294967295.0}, row{"i4", -0x1p31, 2147483647}, row{"u8", 0, 0x1p62},
        row{"i8", -0x1p63, 0x1p62}}) {
    check_file("le_" + std::string(type) + ".npy", 3, {0, 1, 2, 3, least, most});
    if (type[1] != '1')
      check_file("be_" + std::string(type) + ".npy", 3, {0, 1, 2, 3, least, most});
  }
  check_file("b1.npy", 3, {0, 1, 1, 1, 0, 0});
}

TEST_CASE("npy: columns before rows", "[io]") {
  check_file("fortran_f8.npy", 3, {0, 1, -2, 3.5, -0.0, 100});
  check_file("fortran_be_i2.npy", 3, {1, 2, 3, 4, 5, -6});
  const auto flat = read(npy("{'shape': (2,), 'fortran_order': True, 'descr': '|u1'}", "\1\2"), 2);
  REQUIRE(flat);
  CHECK(flat->values == std::vector<double>{1, 2});
}

TEST_CASE("npy: the ends of the floats", "[io]") {
  const auto special = [](std::string_view name, double least, double most) {
    const auto m = read(recorded(name), 3);
    REQUIRE(m);
    CHECK(std::isnan(m->values[0]));
    CHECK(m->values[1] == inf);
    CHECK(m->values[2] == -inf);
    CHECK(m->values[3] == least);
    CHECK(m->values[4] == most);
    CHECK(std::signbit(m->values[5]));
  };
  special("special_f8.npy", 5e-324, 1.7976931348623157e308);
  special("special_f4.npy", 0x1p-149, 3.4028234663852886e38);
  special("special_f2.npy", 0x1p-24, 65504);
}

TEST_CASE("npy: one dimension is rows after each other", "[io]") {
  check_file("rank1_f4.npy", 1, {0, 1, 2, 3, 4, 5});
  check_file("rank1_f4.npy", 2, {0, 1, 2, 3, 4, 5});
  check_file("rank1_f4.npy", 6, {0, 1, 2, 3, 4, 5});
  CHECK(message_of(read(recorded("rank1_f4.npy"), 4)) ==
        "byte 60: expected a multiple of 4 elements, found 6");
  CHECK(message_of(read(recorded("rank1_f4.npy"), 0)) ==
        "byte 60: expected a multiple of 0 elements, found 6");
}

TEST_CASE("npy: no rows, no columns", "[io]") {
  const auto rows = read(recorded("no_rows.npy"), 3);
  REQUIRE(rows);
  CHECK(rows->rows == 0);
  CHECK(rows->columns == 3);
  const auto columns = read(npy("<f8", "(5, 0)", ""), 0);
  REQUIRE(columns);
  CHECK(columns->rows == 5);
  CHECK(columns->values.empty());
  const auto neither = read(npy("<f8", "(0,)", ""), 0);
  REQUIRE(neither);
  CHECK(neither->rows == 0);
  CHECK(message_of(read(npy("<f8", "(100, 0)", ""), 0, {.max_items = 99})) ==
        "byte 60: more than the limit of 99 elements");
}

TEST_CASE("npy: other ranks and types are refused", "[io]") {
  CHECK(message_of(read(recorded("rank0.npy"), 1)) ==
        "byte 60: expected an array of rank 1 or 2, found rank 0");
  CHECK(message_of(read(recorded("rank3.npy"), 3)) ==
        "byte 60: expected an array of rank 1 or 2, found rank 3");
  for (const char* name :
       {"complex.npy", "text.npy", "object.npy", "datetime.npy", "structured.npy"}) {
    INFO(name);
    const auto refused = read(recorded(name), 3);
    CHECK(message_of(refused) ==
          "byte 20: expected a dtype of f2, f4, f8, i1 to i8, u1 to u8 or b1, with its byte order");
    CHECK(refused.error().kind == io::fault::content);
  }
  for (const char* type : {"f8", "=f8", "|f8", "<f16", "<f1", "<i3", "|b2", "<", "", "<f8 "}) {
    INFO(type);
    CHECK(message_of(read(npy(type, "(1,)", "12345678"), 1)).starts_with("byte 20: "));
  }
}

TEST_CASE("npy: the shape must have the caller's columns", "[io]") {
  CHECK(message_of(read(recorded("le_f8.npy"), 2)) == "byte 60: expected 2 columns, found 3");
  CHECK(message_of(read(recorded("le_f8.npy"), 6)) == "byte 60: expected 6 columns, found 3");
}

TEST_CASE("npy: an integer that no double is equal to is an error", "[io]") {
  CHECK(message_of(read(recorded("too_fine_i8.npy"), 3)) ==
        "byte 144: a double can't represent this integer exactly");
  CHECK(message_of(read(recorded("too_fine_u8.npy"), 3)) ==
        "byte 128: a double can't represent this integer exactly");
  const auto i8 = [](std::int64_t v) {
    std::string bytes8(8, '\0');
    store_le(bytes8.data(), v);
    return read(npy("<i8", "(1,)", bytes8), 1);
  };
  const std::int64_t exact = std::int64_t{1} << 53;
  for (const std::int64_t sign : {1, -1}) {
    CHECK(i8(sign * exact)->values[0] == static_cast<double>(sign) * 0x1p53);
    CHECK(!i8(sign * (exact + 1)));
    CHECK(i8(sign * (exact + 2))->values[0] == static_cast<double>(sign) * (0x1p53 + 2));
    CHECK(i8(sign * (exact - 1)));
  }
  CHECK(!i8(std::numeric_limits<std::int64_t>::max()));
  CHECK(i8(std::numeric_limits<std::int64_t>::min())->values[0] == -0x1p63);
  CHECK(message_of(read(npy("|b1", "(3,)", std::string("\0\1\2", 3)), 3)) ==
        "byte 69: expected a boolean of 0 or 1");
}

TEST_CASE("npy: headers may be laid out in other ways", "[io]") {
  for (const char* dictionary :
       {"{'descr':'|u1','fortran_order':False,'shape':(2,1)}",
        "{\"shape\" : ( 2 , 1 , ) , \"descr\" : \"<u1\" , \"fortran_order\" : False , } \n",
        " {'fortran_order': True, 'shape': (2,1), 'descr': '>u1'}\n\n",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}"}) {
    INFO(dictionary);
    const auto m = read(npy(dictionary, "\5\6"), 1);
    REQUIRE(message_of(m) == "");
    CHECK(m->values == std::vector<double>{5, 6});
  }
}

TEST_CASE("npy: broken headers are errors with their byte", "[io]") {
  const std::string once = "expected 'descr', 'fortran_order' and 'shape', each once";
  const auto check = [](std::string_view dictionary, const std::string& expected) {
    INFO(dictionary);
    CHECK(message_of(read(npy(dictionary, "12345678"), 1)) == expected);
  };
  check("", "byte 10: expected '{' in the header");
  check("[]", "byte 10: expected '{' in the header");
  check("{", "byte 11: expected a key in quotes");
  check("{}", "byte 12: " + once);
  check("{'descr'}", "byte 18: expected ':' in the header");
  check("{'descr: '<f8'}", "byte 20: expected ':' in the header");
  check("{'descr': '<f8', 'shape': (1,)}", "byte 41: " + once);
  check("{'descr': '<f8', 'descr': '<f8'}", "byte 27: " + once);
  check("{'descr': '<f8', 'extra': 1}", "byte 27: " + once);
  check("{'descr': '<f8' 'shape': (1,)}", "byte 26: expected '}' in the header");
  check("{'fortran_order': 0}", "byte 28: expected True or False");
  check("{'shape': 1}", "byte 20: expected '(' in the header");
  check("{'shape': (1)}",
        "byte 20: expected a tuple such as (3,): a single extent is followed by ','");
  check("{'shape': (1 2)}", "byte 23: expected ',' or ')' in the shape");
  check("{'shape': (,)}", "byte 21: expected an extent");
  check("{'shape': (-1,)}", "byte 21: expected an extent");
  check("{'shape': (1,,2)}", "byte 23: expected an extent");
  check("{'shape': (1,", "byte 23: expected an extent");
  check("{'shape': (18446744073709551616,)}", "byte 21: the extent doesn't fit 64 bits");
  check("{'shape': (99999999999999999999,)}", "byte 21: the extent doesn't fit 64 bits");
  check("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x",
        "byte 68: expected only blanks after the header");
}

TEST_CASE("npy: broken files are errors with their byte", "[io]") {
  CHECK(message_of(read("", 1)) == "byte 0: expected \\x93NUMPY, the start of a .npy file");
  CHECK(message_of(read("\x93NUMPX\1\0\0\0", 1)).starts_with("byte 0: "));
  std::string file = recorded("le_f8.npy");
  file[6] = 4;
  CHECK(message_of(read(file, 3)) == "byte 6: expected .npy version 1.0, 2.0 or 3.0, found 4.0");
  file[6] = 1, file[7] = 1;
  CHECK(message_of(read(file, 3)) == "byte 6: expected .npy version 1.0, 2.0 or 3.0, found 1.1");
  CHECK(message_of(read(std::string("\x93NUMPY\2\0\0\0\0", 11), 3)) ==
        "byte 11: the file ends inside its header: 11 bytes; expected at least 12");
  CHECK(message_of(read(recorded("le_f8.npy") + "x", 3)) ==
        "byte 176: expected the end of the file after the last element, found bytes: 1");
  CHECK(message_of(read(npy("<f8", "(4294967296, 4294967296)", ""), 4294967296)) ==
        "byte 87: the file ends after 0 bytes of elements; the shape needs more");
  CHECK(message_of(read(npy("<f8", "(2305843009213693952,)", ""), 1)) ==
        "byte 85: the file ends after 0 bytes of elements; the shape needs more");
}

TEST_CASE("npy: a header of all bytes that are left, and of one more", "[io]") {
  const std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }";
  const auto file = [&](int major, std::size_t size) {
    std::string out("\x93NUMPY", 6);
    out += {static_cast<char>(major), '\0', static_cast<char>(size), '\0'};
    if (major != 1) out.append(2, '\0');
    return out + dictionary;
  };
  for (const int major : {1, 2, 3}) {
    INFO(major);
    CHECK(message_of(read(file(major, dictionary.size()), 1)) == "");
    CHECK(message_of(read(file(major, dictionary.size() + 1), 1)) ==
          "byte 8: the header has 58 bytes but only 57 are left");
    const std::string start = file(major, 57).substr(0, major == 1 ? 10 : 12);
    CHECK(message_of(read(start, 1)) == "byte 8: the header has 57 bytes but only 0 are left");
  }
}

TEST_CASE("npy: every proper prefix is an error", "[io]") {
  for (const char* name : {"le_f8.npy", "version2_f8.npy", "rank1_f4.npy"}) {
    const std::string file = recorded(name);
    tessera_tests::guard_page memory(file.size());
    for (std::size_t size = 0; size < file.size(); ++size) {
      INFO(name << " " << size);
      CHECK(!io::read_npy(memory.place(as_bytes(file).first(size)), 3));
    }
    CHECK(io::read_npy(memory.place(as_bytes(file)), 3));
  }
}

TEST_CASE("npy: a changed byte never does harm", "[io]") {
  const std::string file = recorded("fortran_be_i2.npy");
  tessera_tests::guard_page memory(file.size());
  for (std::size_t i = 0; i < file.size(); ++i)
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = file;
      changed[i] = static_cast<char>(byte);
      const auto m = io::read_npy(memory.place(as_bytes(changed)), 3);
      if (m) REQUIRE(m->values.size() == 6);
    }
}

TEST_CASE("npy: a limit of n elements takes n and refuses n + 1", "[io]") {
  CHECK(read(recorded("le_f8.npy"), 3, {.max_items = 6}));
  CHECK(message_of(read(recorded("le_f8.npy"), 3, {.max_items = 5})) ==
        "byte 60: more than the limit of 5 elements");
}

TEST_CASE("npy: nothing is reserved for what a header only claims", "[io]") {
  const std::string file = npy("|u1", "(100000000,)", "12345678");
  const tessera_tests::allocations used;
  CHECK(!read(file, 1));
  CHECK(used.peak() < 10000);
}

TEST_CASE("npy: what is written is what NumPy writes", "[io]") {
  for (const char* name : {"le_f8.npy", "special_f8.npy"}) {
    const std::string file = recorded(name);
    const auto m = read(file, 3);
    REQUIRE(m);
    CHECK(io::write_npy(*m) == file);
  }
  CHECK(io::write_npy({0, 3, {}}) == recorded("no_rows.npy"));
  // The header grows by 64 bytes where its blanks run out.
  for (const std::uint64_t columns : {std::uint64_t{1}, std::uint64_t{1000000000000}}) {
    const text file = io::write_npy({0, columns, {}});
    CHECK(file.size() % 64 == 0);
    CHECK(read(file.view(), columns));
  }
}

TEST_CASE("npy: every double comes back bit for bit", "[io]") {
  io::matrix m{512, 4};
  std::uint64_t state = 1;
  for (int i = 0; i < 2048; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    m.values.push_back(std::bit_cast<double>(state ^ state >> 29));
  }
  const text file = io::write_npy(m);
  const auto again = read(file.view(), 4);
  REQUIRE(again);
  CHECK(again->rows == 512);
  CHECK(bits_of(again->values) == bits_of(m.values));
}

TEST_CASE("npy: arrays of any shape keep their elements as they are", "[io]") {
  const auto load = [](const std::string& file, const limits& limit = {}) {
    return io::read_npy_array(as_bytes(std::string_view(file)), limit);
  };
  const std::string six("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
  auto a = load(npy("<u2", "(1, 2, 3)", six));
  REQUIRE(message_of(a) == "");
  CHECK(a->type == io::element_kind{'u', 2});
  CHECK(a->shape == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(as_text(bytes{a->data.data(), a->data.size()}) == six);
  const text written = io::write_npy_array(*a);
  const auto again = load(std::string(written.view()));
  REQUIRE(again);
  CHECK(again->data == a->data);

  // The other byte order, and the other order of elements: (2, 3) by columns.
  a = load(npy(">u2", "(6,)", std::string("\0\1\0\2\0\3\0\4\0\5\0\6", 12)));
  REQUIRE(a);
  CHECK(as_text(bytes{a->data.data(), a->data.size()}) == six);
  a = load(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "adbecf"));
  REQUIRE(a);
  CHECK(as_text(bytes{a->data.data(), a->data.size()}) == "abcdef");

  // No dimensions are one element, an extent of 0 none.
  CHECK(load(npy("<f4", "()", std::string(4, '\0'))));
  CHECK_FALSE(load(npy("<f4", "(0, 99999999999999999999)", "")));
  CHECK(load(npy("<f4", "(0, 18446744073709551615, 9)", "")));
  CHECK_FALSE(load(npy("<f4", "(4294967296, 4294967296)", "")));
  CHECK_FALSE(load(npy("<u2", "(1, 2, 3)", six.substr(1))));
  CHECK_FALSE(load(npy("<u2", "(1, 2, 3)", six + '\0')));
  CHECK(load(npy("<u2", "(1, 2, 3)", six), {.max_items = 6}));
  CHECK_FALSE(load(npy("<u2", "(1, 2, 3)", six), {.max_items = 5}));
  std::string shape = "(";
  for (std::size_t d = 0; d < io::max_npy_rank; ++d) shape += "1,";
  CHECK(load(npy("|i1", shape + ")", "x")));
  CHECK_FALSE(load(npy("|i1", shape + "1)", "x")));
}
