// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Archives whose program was edited: what is an alias, weights that repeat their storage, large states.

#include "pt2/samples.hpp"
// Keeps the line above where it is.
#include <algorithm>
#include <string>

#include "tessera/nac/all.hpp"
#include "tessera/transform/import.hpp"

using namespace tessera;

namespace {

constexpr std::string_view program_json = pt2_samples::program_json;

/// What is imported of an archive; its findings go to the report.
[[nodiscard]] result<transform::imported> import_of(const std::string& source, report& found) {
  auto program = pt2::verify(pt2_samples::model(source));
  REQUIRE(program);
  return transform::import(*program, {}, &found);
}

}  // namespace

TEST_CASE("import/edited: a copy that was asked for is no alias of what is written", "[import]") {
  // x += w; aten.to.dtype(x, f32, copy)
  const auto has_alias = [](const char* copy, const char* more = "") {
    pt2_samples::archive a = pt2_samples::open("two");
    a.replace(program_json, "aten.add.Tensor", "aten.add_.Tensor");
    a.replace(program_json, "aten.relu.default", "aten.to.dtype");
    a.replace(program_json, R"({"as_tensor": {"name": "add"}}, "kind": 1}])",
              R"({"as_tensor": {"name": "add"}}, "kind": 1}, {"name": "dtype", "arg": )"
              R"({"as_scalar_type": 7}, "kind": 1}, {"name": "non_blocking", "arg": )"
              R"({"as_bool": false}, "kind": 1}, {"name": "copy", "arg": {"as_bool": )" +
                  std::string(copy) + R"(}, "kind": 1})" + more + "]");
    const std::string source = a.zip();
    report found;
    const auto made = import_of(source, found);
    REQUIRE(made);
    return std::any_of(made->parts.operations.begin(), made->parts.operations.end(),
                       [&](const nac::named_part& n) {
                         return made->parts.string(n.text) == "aten.alias.default";
                       });
  };
  CHECK(has_alias("false"));
  CHECK_FALSE(has_alias("true"));
}

TEST_CASE("import/edited: weights that repeat their storage are limited", "[import]") {
  const auto code_of = [](const std::string& sizes, const std::string& strides) {
    pt2_samples::archive a = pt2_samples::open("two");
    for (const std::string_view member : {program_json, pt2_samples::weights_json}) {
      a.replace(member, R"("sizes": [{"as_int": 3}])", "\"sizes\": [" + sizes + "]");
      a.replace(member, R"("strides": [{"as_int": 1}])", "\"strides\": [" + strides + "]");
    }
    const std::string source = a.zip();
    report found;
    const auto made = import_of(source, found);
    return made ? errc::ok : made.error().code;
  };
  const std::string large = R"({"as_int": 1099511627776})", one = R"({"as_int": 1})",
                    zero = R"({"as_int": 0})";
  CHECK(code_of(one + ", " + R"({"as_int": 3})", R"({"as_int": 3})" + (", " + one)) == errc::ok);
  CHECK(code_of(large, zero) == errc::pt2_import_limit);
  CHECK(code_of(large + ", " + one, zero + ", " + zero) == errc::pt2_import_limit);
  CHECK(code_of(one + ", " + large, zero + ", " + zero) == errc::pt2_import_limit);
}

TEST_CASE("import/edited: a state has less than 2^31 elements", "[import]") {
  // w += x, where w is a buffer of bytes, all of them the same one
  const auto code_of = [](const std::string& size) {
    pt2_samples::archive a = pt2_samples::open("two");
    a.replace(program_json, "aten.add.Tensor", "aten.add_.Tensor");
    a.replace(program_json, R"({"as_tensor": {"name": "x"}}, "kind": 1}, {"name": "other")",
              R"({"as_tensor": {"name": "p_w"}}, "kind": 1}, {"name": "other")");
    a.replace(program_json, R"({"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}})",
              R"({"buffer": {"arg": {"name": "p_w"}, "buffer_name": "w", "persistent": true}})");
    for (const std::string_view member : {program_json, pt2_samples::weights_json})
      a.replace(member,
                R"({"dtype": 7, "sizes": [{"as_int": 3}], "requires_grad": true, "device": )"
                R"({"type": "cpu", "index": null}, "strides": [{"as_int": 1}])",
                R"({"dtype": 1, "sizes": [{"as_int": )" + size +
                    R"(}], "requires_grad": false, "device": {"type": "cpu", "index": null}, )"
                    R"("strides": [{"as_int": 0}])");
    const std::string source = a.zip();
    report found;
    const auto made = import_of(source, found);
    return made ? errc::ok : made.error().code;
  };
  CHECK(code_of("7") == errc::ok);
  CHECK(code_of("2147483647") == errc::ok);
  CHECK(code_of("2147483648") == errc::pt2_import_limit);
}
