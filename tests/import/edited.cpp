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

TEST_CASE("import/edited: the body of an autocast may have no operands", "[import]") {
  // y = relu(x + autocast(matmul(ones, ones))), whose product has elements of type bf16
  const auto instructions = [](const char* enabled) {
    pt2_samples::archive a = pt2_samples::open("two");
    const std::string ones =
        R"({"target": "torch.ops.aten.ones.default", "inputs": [{"name": "size", "arg": )"
        R"({"as_ints": [3, 3]}, "kind": 1}], "outputs": [{"as_tensor": {"name": "o"}}], )"
        R"("metadata": {}, "is_hop_single_tensor_return": null, "name": "o"})";
    const std::string product =
        R"({"target": "torch.ops.aten.mm.default", "inputs": [{"name": "self", "arg": )"
        R"({"as_tensor": {"name": "o"}}, "kind": 1}, {"name": "mat2", "arg": )"
        R"({"as_tensor": {"name": "o"}}, "kind": 1}], "outputs": [{"as_tensor": )"
        R"({"name": "mm"}}], "metadata": {}, "is_hop_single_tensor_return": null, "name": "mm"})";
    const auto meta = [](int type) {
      return "{\"dtype\": " + std::to_string(type) +
             R"(, "sizes": [{"as_int": 3}, {"as_int": 3}], "requires_grad": false, "device": )"
             R"({"type": "cpu", "index": null}, "strides": [{"as_int": 3}, {"as_int": 1}], )"
             R"("storage_offset": {"as_int": 0}, "layout": 7})";
    };
    const std::string body =
        R"({"inputs": [], "outputs": [{"as_tensor": {"name": "mm"}}], "nodes": [)" + ones + ", " +
        product + R"(], "tensor_values": {"o": )" + meta(7) + R"(, "mm": )" + meta(13) +
        R"(}, "sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": false, )"
        R"("custom_obj_values": {}, "sym_float_values": {}})";
    a.replace(program_json, R"("nodes": [)",
              R"("nodes": [{"target": "torch.ops.higher_order.wrap_with_autocast", "inputs": [)"
              R"({"name": "", "arg": {"as_string": "cpu"}, "kind": 1}, {"name": "", "arg": )"
              R"({"as_scalar_type": 13}, "kind": 1}, {"name": "", "arg": {"as_bool": )" +
                  std::string(enabled) +
                  R"(}, "kind": 1}, {"name": "", "arg": {"as_bool": false}, "kind": 1}, )"
                  R"({"name": "", "arg": {"as_graph": {"name": "submod", "graph": )" +
                  body +
                  R"(}}, "kind": 1}], "outputs": [{"as_tensors": [{"name": "product"}]}], )"
                  R"("metadata": {}, "is_hop_single_tensor_return": false, "name": "w"}, )");
    a.replace(program_json, R"("tensor_values": {"p_w")",
              R"("tensor_values": {"product": )" + meta(13) + R"(, "p_w")");
    const std::string source = a.zip();
    report found;
    const auto made = import_of(source, found);
    for (const diagnostic& d : found.diagnostics) UNSCOPED_INFO(found.text_of(d.text));
    REQUIRE(made);
    return made->parts.instructions.size();
  };
  CHECK(instructions("true") > instructions("false"));  // its operands are converted
}
