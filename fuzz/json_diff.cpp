// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Our JSON reader against simdjson's DOM and On-Demand: the same texts are JSON, and hold the same
// values. The lawful differences, each of which is checked for what it is:
//
//   - Byte order mark: we skip one; simdjson 3.0 leaves that to its caller, so it is cut off.
//   - Duplicate keys: we refuse them and simdjson gives all, so that its DOM must show one. We
//     notice when the object ends, and what follows goes unchecked.
//   - Depth: both have limits, counted differently. Ours is set below simdjson's, and texts beyond
//     it aren't compared.
//   - Large integers: beyond int64 and uint64 we read them as doubles where a number is allowed.
//     simdjson's DOM refuses them, and reads the same digits when e0 follows.
//   - Many digits: On-Demand 3.0 is wrong about some doubles of more than 19 digits and refuses
//     exponents of more than 18. They are left to the DOM, which is right.
//   - Minus zero: the integer -0 is 0 in the DOM; as a number it is -0.0 with us.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json.hpp>
#include <vector>

#include <simdjson.h>

#include "require.hpp"

namespace {

namespace dom = simdjson::dom;
namespace ondemand = simdjson::ondemand;
using tessera::errc;
using tessera::json::kind;
using tessera::json::reader;

constexpr tessera::limits limit{.max_depth = 1000};

/// A number's token, read as everything it may be read as.
struct number {
  explicit number(std::string_view token) {
    reader in(token);
    const tessera::json::number n = in.number();
    value = n.value;
    integral = n.integral;
    reader again(token);
    pattern = again.int64_pattern(above_int64);
    large = integral && again.failed();
  }
  double value = 0;
  std::int64_t pattern = 0;
  bool integral = false, above_int64 = false, large = false;
};

[[nodiscard]] bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether a number has more digits than On-Demand is right about.
[[nodiscard]] bool has_many_digits(std::string_view token) {
  return std::count_if(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; }) >
         18;
}

/// A value whose error the caller has ruled out.
template <class T>
T taken(simdjson::simdjson_result<T> r) {
  T value;
  fuzz::require(std::move(r).get(value) == simdjson::SUCCESS, "both read the same kinds of values");
  return value;
}

/// Reads over one value, and notes where its large integers end.
void find_large(reader& in, std::vector<std::size_t>& ends) {
  std::string_view key;
  switch (in.peek()) {
    case kind::object:
      for (in.object(); in.key(key);) find_large(in, ends);
      return;
    case kind::array:
      for (in.array(); in.element();) find_large(in, ends);
      return;
    case kind::number: {
      const std::uint64_t at = in.offset();
      const std::string_view token = in.skip();
      if (number(token).large) ends.push_back(static_cast<std::size_t>(at) + token.size());
      return;
    }
    case kind::string:
    case kind::boolean:
    case kind::null:
    case kind::none: in.skip();
  }
}

void compare_number(const number& ours, dom::element theirs) {
  switch (theirs.type()) {
    case dom::element_type::INT64:
      fuzz::require(ours.integral && !ours.large && !ours.above_int64, "int64 is an integer");
      fuzz::require(ours.pattern == taken(theirs.get_int64()), "int64 is exact");
      fuzz::require(ours.value == static_cast<double>(ours.pattern), "integers round as numbers");
      return;
    case dom::element_type::UINT64:
      fuzz::require(ours.integral && !ours.large && ours.above_int64, "uint64 is an integer");
      fuzz::require(static_cast<std::uint64_t>(ours.pattern) == taken(theirs.get_uint64()),
                    "uint64 is exact");
      fuzz::require(ours.value == static_cast<double>(static_cast<std::uint64_t>(ours.pattern)),
                    "integers round as numbers");
      return;
    default:
      fuzz::require(!ours.integral || ours.large, "a double has a fraction or an exponent");
      fuzz::require(same_bits(ours.value, taken(theirs.get_double())), "doubles round alike");
  }
}

void compare(reader& in, dom::element theirs) {
  switch (in.peek()) {
    case kind::object: {
      std::string_view key;
      in.object();
      for (const dom::key_value_pair member : taken(theirs.get_object())) {
        fuzz::require(in.key(key), "objects have as many members");
        fuzz::require(key == member.key, "keys are the same");
        compare(in, member.value);
      }
      fuzz::require(!in.key(key), "objects have no more members");
      return;
    }
    case kind::array:
      in.array();
      for (const dom::element value : taken(theirs.get_array())) {
        fuzz::require(in.element(), "arrays have as many elements");
        compare(in, value);
      }
      fuzz::require(!in.element(), "arrays have no more elements");
      return;
    case kind::string:
      return fuzz::require(in.string() == taken(theirs.get_string()), "strings are the same");
    case kind::number: return compare_number(number(in.skip()), theirs);
    case kind::boolean:
      return fuzz::require(in.boolean() == taken(theirs.get_bool()), "booleans are the same");
    case kind::null: in.null(); return fuzz::require(theirs.is_null(), "null is null");
    case kind::none: fuzz::require(false, "what reads has a kind");
  }
}

void compare(reader& in, ondemand::value theirs) {
  switch (in.peek()) {
    case kind::object: {
      std::string_view key;
      in.object();
      ondemand::object object = taken(theirs.get_object());
      for (simdjson::simdjson_result<ondemand::field> got : object) {
        ondemand::field member = taken(std::move(got));
        fuzz::require(in.key(key), "objects have as many members");
        fuzz::require(key == taken(member.unescaped_key()), "keys are the same");
        compare(in, member.value());
      }
      fuzz::require(!in.key(key), "objects have no more members");
      return;
    }
    case kind::array: {
      in.array();
      ondemand::array array = taken(theirs.get_array());
      for (simdjson::simdjson_result<ondemand::value> got : array) {
        fuzz::require(in.element(), "arrays have as many elements");
        compare(in, taken(std::move(got)));
      }
      fuzz::require(!in.element(), "arrays have no more elements");
      return;
    }
    case kind::string:
      return fuzz::require(in.string() == taken(theirs.get_string()), "strings are the same");
    case kind::number: {
      const std::string_view token = in.skip();
      if (has_many_digits(token)) return;
      return fuzz::require(same_bits(number(token).value, taken(theirs.get_double())),
                           "doubles round alike");
    }
    case kind::boolean:
      return fuzz::require(in.boolean() == taken(theirs.get_bool()), "booleans are the same");
    case kind::null: in.null(); return fuzz::require(taken(theirs.is_null()), "null is null");
    case kind::none: fuzz::require(false, "what reads has a kind");
  }
}

/// Whether any object of the document has a key twice.
[[nodiscard]] bool has_duplicate(dom::element e) {
  if (e.is_array())
    for (const dom::element value : taken(e.get_array()))
      if (has_duplicate(value)) return true;
  if (!e.is_object()) return false;
  std::vector<std::string_view> keys;
  for (const dom::key_value_pair member : taken(e.get_object())) {
    keys.push_back(member.key);
    if (has_duplicate(member.value)) return true;
  }
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

void compare_accepted(std::string_view source) {
  std::vector<std::size_t> ends;
  reader finder(source, limit);
  find_large(finder, ends);
  fuzz::require(finder.finish().code == errc::ok, "reading is deterministic");

  thread_local dom::parser parser;
  dom::element root;
  if (!ends.empty())
    fuzz::require(parser.parse(simdjson::padded_string(source)).get(root) != simdjson::SUCCESS,
                  "simdjson refuses large integers");
  std::string suffixed(source);
  for (std::size_t i = ends.size(); i-- > 0;) suffixed.insert(ends[i], "e0");
  const simdjson::padded_string padded(suffixed);
  fuzz::require(parser.parse(padded).get(root) == simdjson::SUCCESS, "simdjson accepts what we do");
  fuzz::require(!has_duplicate(root), "we accept no duplicate keys");
  reader in(source, limit);
  compare(in, root);
  fuzz::require(in.finish().code == errc::ok, "both end at the same place");

  if (!root.is_object() && !root.is_array()) return;  // On-Demand has another type for these
  thread_local ondemand::parser lazy;
  ondemand::document document = taken(lazy.iterate(padded));
  reader again(source, limit);
  compare(again, taken(document.get_value()));
}

void compare_refused(std::string_view source, errc code) {
  if (code == errc::json_depth) return;
  thread_local dom::parser parser;
  dom::element root;
  const bool accepted =
      parser.parse(simdjson::padded_string(source)).get(root) == simdjson::SUCCESS;
  if (code == errc::json_duplicate_key)
    fuzz::require(!accepted || has_duplicate(root), "simdjson shows the duplicate key");
  else
    fuzz::require(!accepted, "simdjson refuses what we do");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  reader in(source, limit);
  in.skip();
  const tessera::error e = in.finish();
  const std::size_t mark = source.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
  if (e.code == errc::ok) {
    compare_accepted(source.substr(mark));
  } else {
    fuzz::require_error(e, size);
    compare_refused(source.substr(mark), e.code);
  }
  return 0;
}
