// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One of the worst archives, of size n, through every verb: tests/support/linear.cmake runs it under
// callgrind and looks at the instructions of each function measure_*.
//
//   tessera_pt2_linear            the names of the archives
//   tessera_pt2_linear NAME N

#include "pt2.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/support/zip.hpp"

namespace pt2 = tessera::pt2;

#define TESSERA_MEASURED extern "C" __attribute__((noinline, used))

using test_zip::put;
using test_zip::zip;

namespace {

std::string source;
tessera::result<pt2::model> model = tessera::error{};
std::size_t made = 0;

constexpr std::string_view meta =
    R"({"dtype": 7, "sizes": [{"as_int": 1}], "requires_grad": false, "device": {"type": "cpu"}, )"
    R"("strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7})";

/// What an archive has n of. Each appends the i-th one.
struct parts {
  std::string nodes, values, weights, inputs, specs, list, pickle;
  zip members, storages;

  static void comma(std::string& s) {
    if (!s.empty()) s += ", ";
  }
  void add_value(const std::string& name) {
    comma(values);
    (values += '"' + name + "\": ") += meta;
  }
  void add_node(const std::string& name, const std::string& from) {
    comma(nodes);
    nodes += R"({"target": "torch.ops.aten.add.Tensor", "inputs": [{"name": "self", "arg": )"
             R"({"as_tensor": {"name": ")" +
             from +
             R"("}}}, {"name": "other", "arg": )"
             R"({"as_float": 0.1}}], "outputs": [{"as_tensor": {"name": ")" +
             name + R"("}}], "metadata": {"stack_trace": "a\nb"}})";
  }
};

/// "X", the size and a text; the opcodes of one float of the storage `key`.
[[nodiscard]] std::string pickled_text(const std::string& s) {
  std::string out = "X";
  put(out, s.size(), 4);
  return out + s;
}
[[nodiscard]] std::string pickled_tensor(const std::string& key) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + pickled_text("storage") +
         "ctorch\nFloatStorage\n" + pickled_text(key) + pickled_text("cpu") + "K\1tQM" +
         std::string(2, '\0') +
         "K\1\x85K\1\x85\x89"
         "ccollections\nOrderedDict\n)RtR";
}

struct generator {
  std::string_view name;
  void (*add)(parts& p, std::size_t i);
};
constexpr generator generators[] = {
    {"nodes",
     [](parts& p, std::size_t i) {
       p.add_value("v" + std::to_string(i));
       p.add_node("v" + std::to_string(i), i == 0 ? "x" : "v" + std::to_string(i - 1));
     }},
    {"weights",
     [](parts& p, std::size_t i) {
       const std::string n = std::to_string(i);
       p.members.add("m/data/weights/weight_" + n, "1234");
       parts::comma(p.weights);
       (p.weights += '"' + n + R"(": {"path_name": "weight_)" + n +
                     R"(", "is_param": true, "use_pickle": false, "tensor_meta": )") += meta;
       p.weights += '}';
       p.add_value("p" + n);
       p.inputs += R"(, {"as_tensor": {"name": "p)" + n + R"("}})";
       p.specs += R"(, {"parameter": {"arg": {"name": "p)" + n + R"("}, "parameter_name": ")" + n +
                  R"("}})";
     }},
    {"list",
     [](parts& p, std::size_t) {
       parts::comma(p.list);
       p.list += R"({"as_name": "y"}, {"as_int": 1})";
     }},
    {"pickled_weights",
     [](parts& p, std::size_t i) {
       const std::string n = std::to_string(i);
       p.storages.add("archive/data/" + n, "1234");
       p.pickle += pickled_text(n) + pickled_tensor(n) + "s";
     }},
    {"unknown_values", [](parts& p, std::size_t i) { p.add_node("w" + std::to_string(i), "z"); }},
};

void make(const generator& g, std::size_t n) {
  parts p;
  p.add_value("x");
  for (std::size_t i = 0; i < n; ++i) g.add(p, i);
  if (!p.list.empty()) {
    parts::comma(p.nodes);
    p.nodes += R"({"target": "mine", "inputs": [{"name": "", "arg": {"as_sym_ints": [)" + p.list +
               R"(]}}], "outputs": [], "metadata": {}})";
  }
  const std::string leaf = R"({\"type\": null, \"context\": null, \"children_spec\": []})";
  const std::string program =
      R"({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}})" + p.inputs +
      R"(], "outputs": [], "nodes": [)" + p.nodes + R"(], "tensor_values": {)" + p.values +
      R"(}, "sym_int_values": {"y": {"as_int": 1}}, "sym_bool_values": {}}, "signature": )"
      R"({"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}})" +
      p.specs +
      R"(], "output_specs": []}, "module_call_graph": [{"fqn": "", "signature": {"inputs": [], )"
      R"("outputs": [], "in_spec": "[1, )" +
      leaf + R"(]", "out_spec": "[1, )" + leaf +
      R"(]"}}]}, "opset_version": {}, "range_constraints": {}, "schema_version": )"
      R"({"major": 8, "minor": 20}})";
  if (!p.pickle.empty()) {
    zip none;
    p.storages.add("archive/data.pkl", "\x80\x02}" + p.pickle + ".");
    none.add("archive/data.pkl", "\x80\x02}.");
    p.members.add("serialized_exported_program.json", program);
    p.members.add("serialized_state_dict.pt", p.storages.finish());
    p.members.add("serialized_constants.pt", none.finish());
    p.members.add("version", "8.20");
    source = p.members.finish();
    return;
  }
  p.members.add("m/models/model.json", program);
  p.members.add("m/data/weights/model_weights_config.json", R"({"config": {)" + p.weights + "}}");
  p.members.add("m/data/constants/model_constants_config.json", R"({"config": {}})");
  p.members.add("m/archive_format", "pt2");
  p.members.add("m/archive_version", "0");
  source = p.members.finish();
}

}  // namespace

TESSERA_MEASURED void measure_read() { model = pt2::read(source); }
TESSERA_MEASURED void measure_print() { made += pt2::print(*model).size(); }
TESSERA_MEASURED void measure_write() {
  if (const auto out = pt2::write(*model)) made += out->size();
}
TESSERA_MEASURED void measure_verify() {
  tessera::report found;
  made += pt2::verify(std::move(*model), {}, &found) ? 1u : found.diagnostics.size();
}

int main(int count, char** arguments) {
  if (count != 3) {
    for (const generator& g : generators) std::printf("%s ", std::string(g.name).c_str());
    return 0;
  }
  for (const generator& g : generators)
    if (g.name == arguments[1]) {
      make(g, std::strtoul(arguments[2], nullptr, 10));
      measure_read();
      if (!model) {
        std::fprintf(stderr, "%s\n", std::string(model.error().name()).c_str());
        return 1;
      }
      measure_print();
      measure_write();
      measure_verify();
      return made == 0 ? 1 : 0;
    }
  return 1;
}
