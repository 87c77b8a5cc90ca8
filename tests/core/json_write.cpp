// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <tessera/core/digits.hpp>
#include <tessera/core/json.hpp>
#include <tessera/core/shortest.hpp>
#include <vector>

#include "../support/catch.hpp"

using namespace tessera;

namespace {

template <class Write>
std::string written(const json::layout& how, Write write) {
  text out;
  json::writer w(out, how);
  write(w);
  return std::string(out.view());
}

/// One of everything that the layouts treat differently.
void sample(json::writer& w) {
  w.begin_object();
  w.key("a").begin_array().integer(1).integer(2).end();
  w.key("b").begin_object().end();
  w.key("c").begin_array().end();
  w.key("d").begin_object().key("e").null().key("f").boolean(true).end();
  w.key("g").string("h").key("i").number(0.5).key("j").raw("1e2");
  w.key("k").begin_array().begin_array().integer(3).end().begin_object().end().end();
  w.end();
}

std::string quoted(std::string_view s) {
  text out;
  json::append_quoted(out, s);
  return std::string(out.view());
}

/// A JSON value, for round trips.
struct value {
  json::kind kind = json::kind::null;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  bool integral = false;
  std::string string;
  std::vector<std::string> names;  // of an object's members
  std::vector<value> members;
  bool operator==(const value& other) const {
    return kind == other.kind && boolean == other.boolean && integer == other.integer &&
           std::bit_cast<std::uint64_t>(number) == std::bit_cast<std::uint64_t>(other.number) &&
           integral == other.integral && string == other.string && names == other.names &&
           members == other.members;
  }
};

class generator {
 public:
  explicit generator(unsigned seed) : random_(seed) {}

  value make(unsigned depth) {
    value v;
    switch (random_() % (depth == 0 ? 5 : 7)) {
      case 0: break;
      case 1:
        v.kind = json::kind::boolean;
        v.boolean = random_() % 2 == 0;
        break;
      case 2:
        v.kind = json::kind::number;
        v.integral = true;
        v.integer = static_cast<std::int64_t>(random_()) >> (random_() % 64);
        break;
      case 3:
        v.kind = json::kind::number;
        v.number = std::bit_cast<double>(random_());
        if ((std::bit_cast<std::uint64_t>(v.number) >> 52 & 0x7ff) == 0x7ff) v.number = -0.0;
        break;
      case 4:
        v.kind = json::kind::string;
        v.string = make_string();
        break;
      case 5:
        v.kind = json::kind::array;
        for (auto n = random_() % 4; n > 0; --n) v.members.push_back(make(depth - 1));
        break;
      default:
        v.kind = json::kind::object;
        for (auto n = random_() % 4; n > 0; --n) {
          v.names.push_back(std::to_string(n) + make_string());  // the number keeps them apart
          v.members.push_back(make(depth - 1));
        }
    }
    return v;
  }
  bool coin() { return random_() % 2 == 0; }

 private:
  std::string make_string() {
    text out;
    for (auto n = random_() % 6; n > 0; --n) {
      auto c = static_cast<std::uint32_t>(random_() >> (11 + random_() % 21)) % 0x110000;
      if (c >= 0xd800 && c <= 0xdfff) c = 0x7f;
      if (random_() % 3 == 0)
        c = static_cast<std::uint32_t>(random_() % 48);  // controls and quotes
      out.advance(utf8_encode(c, out.prepare(4)));
    }
    return std::string(out.view());
  }
  std::mt19937_64 random_;
};

void write(json::writer& w, const value& v, generator& g) {
  switch (v.kind) {
    case json::kind::none:
    case json::kind::null: w.null(); break;
    case json::kind::boolean: w.boolean(v.boolean); break;
    case json::kind::number:
      if (v.integral)
        w.integer(v.integer);
      else
        w.number(v.number);
      break;
    case json::kind::string: w.string(v.string); break;
    case json::kind::array:
      w.begin_array(g.coin());
      for (const value& m : v.members) write(w, m, g);
      w.end();
      break;
    case json::kind::object:
      w.begin_object(g.coin());
      for (std::size_t i = 0; i < v.members.size(); ++i) write(w.key(v.names[i]), v.members[i], g);
      w.end();
      break;
  }
}

value read(json::reader& in) {
  value v;
  v.kind = in.peek();
  std::string_view key;
  switch (v.kind) {
    case json::kind::none:
    case json::kind::null: in.null(); break;
    case json::kind::boolean: v.boolean = in.boolean(); break;
    case json::kind::number: {
      const std::string token(in.skip());
      json::reader number(token), integer(token);
      const json::number n = number.number();
      v.integral = n.integral;
      if (n.integral)
        v.integer = integer.int64();
      else
        v.number = n.value;
      break;
    }
    case json::kind::string: v.string = in.string(); break;
    case json::kind::array:
      for (in.array(); in.element();) v.members.push_back(read(in));
      break;
    case json::kind::object:
      for (in.object(); in.key(key);) {
        v.names.emplace_back(key);
        v.members.push_back(read(in));
      }
      break;
  }
  return v;
}

}  // namespace

TEST_CASE("json/write: compact has no white space", "[core]") {
  CHECK(
      written(json::compact, sample) ==
      R"({"a":[1,2],"b":{},"c":[],"d":{"e":null,"f":true},"g":"h","i":0.5,"j":1e2,"k":[[3],{}]})");
}

TEST_CASE("json/write: spaced is one line with spaces", "[core]") {
  CHECK(written(json::spaced, sample) ==
        R"({"a": [1, 2], "b": {}, "c": [], "d": {"e": null, "f": true}, "g": "h", "i": 0.5, )"
        R"("j": 1e2, "k": [[3], {}]})");
}

TEST_CASE("json/write: indented has one member a line and leaves empty containers closed",
          "[core]") {
  CHECK(written(json::indented, sample) == R"({
  "a": [
    1,
    2
  ],
  "b": {},
  "c": [],
  "d": {
    "e": null,
    "f": true
  },
  "g": "h",
  "i": 0.5,
  "j": 1e2,
  "k": [
    [
      3
    ],
    {}
  ]
})");
}

TEST_CASE("json/write: values without a container", "[core]") {
  for (const json::layout& how : {json::compact, json::spaced, json::indented}) {
    CHECK(written(how, [](json::writer& w) { w.integer(-7); }) == "-7");
    CHECK(written(how, [](json::writer& w) { w.begin_array().end(); }) == "[]");
    CHECK(written(how, [](json::writer& w) { w.begin_object(true).end(); }) == "{}");
  }
}

TEST_CASE("json/write: integers and doubles keep their ends", "[core]") {
  CHECK(written(json::compact, [](json::writer& w) {
          w.begin_array().integer(INT64_MIN).integer(UINT64_MAX).number(1e15).number(-0.0).end();
        }) == "[-9223372036854775808,18446744073709551615,1000000000000000.0,-0.0]");
  json::layout other = json::compact;
  other.doubles = double_style::json15;
  CHECK(written(other, [](json::writer& w) { w.number(1e15); }) == "1e+15");
}

// The ARK serializer: two spaces a level down to the members of an operation; tensors, arguments
// and lists of numbers on one line without spaces; doubles with exponents from 1e15 on.
TEST_CASE("json/write: a document laid out as the ARK serializer does", "[core]") {
  json::layout ark = json::indented;
  ark.doubles = double_style::json15;
  const auto tensor = [](json::writer& w, int id) {
    w.begin_object(true).key("Id").integer(id).key("DataType").string("FP32");
    w.key("Shape").begin_array().integer(2).integer(3).end();
    w.key("Buffer").begin_object().key("Id").integer(id).key("SendTags").begin_array().end().end();
    w.end();
  };
  CHECK(written(ark, [&](json::writer& w) {
          w.begin_object().key("Rank").integer(0).key("WorldSize").integer(1);
          w.key("Nodes").begin_array();
          w.begin_object().key("Id").integer(1);
          w.key("ProducerNodeIds").begin_array(true).integer(0).integer(7).end();
          w.key("ConsumerNodeIds").begin_array(true).end();
          w.key("Op").begin_object();
          w.key("Type").string("ScalarAdd").key("IsVirtual").boolean(false);
          w.key("ReadTensors").begin_array();
          tensor(w, 3);
          tensor(w, 4);
          w.end();
          w.key("WriteTensors").begin_array().end();
          w.key("Args").begin_object();
          w.key("Axis").begin_object(true).key("INT").integer(1).end();
          w.key("Factor").begin_object(true).key("FLOAT").number(static_cast<double>(0.1f)).end();
          w.key("Pad").begin_object(true).key("FLOAT").number(1e15).end();
          w.end().end().end().end().end();
        }) == R"({
  "Rank": 0,
  "WorldSize": 1,
  "Nodes": [
    {
      "Id": 1,
      "ProducerNodeIds": [0,7],
      "ConsumerNodeIds": [],
      "Op": {
        "Type": "ScalarAdd",
        "IsVirtual": false,
        "ReadTensors": [
          {"Id":3,"DataType":"FP32","Shape":[2,3],"Buffer":{"Id":3,"SendTags":[]}},
          {"Id":4,"DataType":"FP32","Shape":[2,3],"Buffer":{"Id":4,"SendTags":[]}}
        ],
        "WriteTensors": [],
        "Args": {
          "Axis": {"INT":1},
          "Factor": {"FLOAT":0.10000000149011612},
          "Pad": {"FLOAT":1e+15}
        }
      }
    }
  ]
})");
}

TEST_CASE("json/write: one_line changes nothing where all is one line", "[core]") {
  const auto lists = [](json::writer& w) {
    w.begin_object(true).key("a").begin_array(true).integer(1).integer(2).end().key("b").null();
    w.end();
  };
  CHECK(written(json::compact, lists) == R"({"a":[1,2],"b":null})");
  CHECK(written(json::spaced, lists) == R"({"a": [1, 2], "b": null})");
  CHECK(written(json::indented, lists) == R"({"a":[1,2],"b":null})");
}

TEST_CASE("json/write: records are values, compact in any layout", "[core]") {
  const auto records = [](json::writer& w) {
    w.begin_array();
    for (const int i : {7, -1234567})
      w.record(3 * json::number_capacity, [i](json::cursor to) {
        return to.literal("[").integer(i).literal(",").number(i / 4.0).literal("]");
      });
    w.begin_object().key("a");
    w.record(2 * json::number_capacity,
             [](json::cursor to) { return to.number(1e15).literal(""); });
    w.end().end();
  };
  CHECK(written(json::compact, records) ==
        R"([[7,1.75],[-1234567,-308641.75],{"a":1000000000000000.0}])");
  CHECK(written(json::spaced, records) ==
        R"([[7,1.75], [-1234567,-308641.75], {"a": 1000000000000000.0}])");
  json::layout other = json::indented;
  other.doubles = double_style::json15;
  CHECK(written(other, records) ==
        "[\n  [7,1.75],\n  [-1234567,-308641.75],\n  {\n    \"a\": 1e+15\n  }\n]");
}

TEST_CASE("json/write: a record fills no more than its room", "[core]") {
  for (const double v : {-1.7976931348623157e+308, -1234567.12345678, -9007199254740991.0,
                         -0.00012345678901234567, -5e-324, 0.0}) {
    std::string room(json::number_capacity, '#');
    room += "guard";
    const json::cursor end = json::cursor(room.data(), double_style::python).number(v);
    CHECK(end.place() <= room.data() + 24);
    CHECK(room.substr(json::number_capacity) == "guard");
  }
  std::string room(integer_capacity, '#');
  room += "guard";
  CHECK(put_integer(room.data(), INT64_MIN) == room.data() + 20);
  CHECK(put_integer(room.data(), UINT64_MAX) == room.data() + 20);
  CHECK(room.substr(integer_capacity) == "guard");
}

TEST_CASE("json/write: strings escape what JSON requires and nothing else", "[core]") {
  CHECK(quoted("") == R"("")");
  CHECK(quoted("plain / 'text' \x7f") == "\"plain / 'text' \x7f\"");
  CHECK(quoted("\"\\\b\f\n\r\t") == R"("\"\\\b\f\n\r\t")");
  CHECK(quoted(std::string_view("\0\x01\x0b\x1f", 4)) == R"("\u0000\u0001\u000b\u001f")");
  CHECK(quoted("caf\xc3\xa9 \xf0\x9f\x98\x80") == "\"caf\xc3\xa9 \xf0\x9f\x98\x80\"");
  CHECK(quoted("a\nb") == R"("a\nb")");
  CHECK(quoted("\n") == R"("\n")");
  CHECK(written(json::compact, [](json::writer& w) {
          w.begin_object().key("\"\n").string("\\").end();
        }) == R"({"\"\n":"\\"})");
}

TEST_CASE("json/write: reading what was written gives the same value", "[core]") {
  generator g(5);
  unsigned wrong = 0, values = 0;
  for (int i = 0; i < 2000; ++i) {
    const value v = g.make(5);
    for (const json::layout& how : {json::compact, json::spaced, json::indented})
      for (const double_style style : {double_style::python, double_style::json15}) {
        json::layout layout = how;
        layout.doubles = style;
        text out;
        json::writer w(out, layout);
        write(w, v, g);
        json::reader in(out);
        const value back = read(in);
        if (in.finish().code != errc::ok || !(back == v)) ++wrong;
        ++values;
      }
  }
  CHECK(wrong == 0);
  CHECK(values == 12000);
}

TEST_CASE("json/copy: unknown members survive in another layout", "[core]") {
  const std::string_view source =
      R"( {"a" : [1, 2.50, {"b\u0041":null}], "e":{}, "c" : "é\n\"", "d":[] , "n":-0.0e-5} )";
  tessera::json::reader in(source);
  tessera::text out;
  tessera::json::writer compact(out);
  tessera::json::copy(in, compact);
  CHECK(in.finish() == tessera::error{});
  CHECK(out.view() == R"({"a":[1,2.50,{"bA":null}],"e":{},"c":"é\n\"","d":[],"n":-0.0e-5})");

  tessera::json::reader again(out);
  tessera::text pretty;
  tessera::json::writer indented(pretty, tessera::json::indented);
  tessera::json::copy(again, indented);
  CHECK(again.finish() == tessera::error{});
  CHECK(pretty.view().substr(0, 24) == "{\n  \"a\": [\n    1,\n    2.");

  tessera::json::reader broken("[1,{\"a\":tru}]");
  tessera::text rest;
  tessera::json::writer partial(rest);
  tessera::json::copy(broken, partial);
  CHECK(broken.finish() == tessera::error{tessera::errc::json_bad_literal, 8});
}
