// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Networks of PyTorch and models of the format's own serializer, converted and compared.

#include "ark/samples.hpp"
// Keeps the line above where it is.
#include "converted.hpp"
#include "import/recorded.hpp"

using namespace convert_tests;

namespace {

/// The recorded inputs of a network, as arrays and forms.
struct recorded_inputs {
  std::vector<array> arrays;
  std::vector<transform::input_form> forms;
};
[[nodiscard]] recorded_inputs inputs_of(const nac::program& p, const std::string& name,
                                        const import_tests::expectations& all) {
  recorded_inputs out;
  for (std::size_t i = 0; i < p.inputs().size(); ++i) {
    const auto in = all.find(name + ".in" + std::to_string(i));
    if (!in) break;
    const std::vector<std::int64_t> shape = import_tests::shape_of(*in);
    out.arrays.push_back({in->type, shape, {in->data.begin(), in->data.end()}});
    out.forms.push_back({std::string(p.inputs()[i].name), in->type, shape});
  }
  return out;
}

}  // namespace

TEST_CASE("transform/conversion_samples: networks of PyTorch become models, and back",
          "[transform]") {
  const import_tests::expectations all;
  std::size_t converted = 0;
  for (const std::string& name : import_tests::networks()) {
    INFO(name);
    const import_tests::imported made(import_tests::data("networks/" + name + ".pt2"));
    REQUIRE(made);
    const transform_tests::container better = transform_tests::optimize(made.program());
    const recorded_inputs given = inputs_of(better.program(), name, all);
    tessera::report found;
    if (!transform::to_ark(better.program(), {.inputs = given.forms}, &found)) {
      REQUIRE(found.errors != 0);
      continue;
    }
    ++converted;
    // Rounds to 16 bits on its way to float32.
    round_trip(better.program(), given.forms, given.arrays, name == "autocast" ? 500 : 5);
  }
  CHECK(converted >= 30);
}

TEST_CASE("transform/conversion_samples: ranks that don't communicate become containers",
          "[transform]") {
  for (const ark_samples::upstream_file& f : ark_samples::upstream()) {
    INFO(f.name);
    auto model = ark_test::read(f.content);
    REQUIRE(model);
    bool communicates = false;
    for (const ark::op& o : model->ops)
      communicates = communicates || info(o.type).kind == ark::op_kind::communication;
    if (communicates) {
      auto p = ark_test::verify(std::move(*model), {.hazards = false});
      REQUIRE(p);
      tessera::report found;
      const auto made = transform::to_nac(*p, {}, &found);
      REQUIRE(!made);
      CHECK(made.error().code == errc::ark_to_nac_operation);
      continue;
    }
    const ark_case from(std::move(*model), f.content);
    const transform_tests::container to = to_nac(from);
    REQUIRE(to.program().inputs().size() <= from.ends().inputs().size());
    if (to.program().inputs().size() != from.ends().inputs().size()) continue;  // whole buffers
    const std::vector<array> in = from.random_inputs(7);
    bool are_alike = true;  // a whole buffer may be given in another shape than it is read
    for (std::size_t i = 0; i < in.size(); ++i)
      are_alike =
          are_alike &&
          to.program().inputs()[i].name ==
              't' + std::to_string(from.program().model().tensors[from.ends().inputs()[i]].id);
    if (are_alike) compare(from.run(in), run_nac(to.program(), in), 2.5);
  }
}
