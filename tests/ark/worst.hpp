// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Inputs that cost the most for their size: the shortest objects of each kind, Ids and keys chosen
// to collide, lists of nothing. Each is made of n of them.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     n below 2^20.
// Allocation: strings.

#ifndef TESSERA_TESTS_ARK_WORST_HPP
#define TESSERA_TESTS_ARK_WORST_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace ark_worst {

struct generator {
  std::string_view name;
  std::string (*make)(std::size_t n);
};

template <class Part>
[[nodiscard]] std::string repeated(std::size_t n, Part part) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i) (all += i == 0 ? "" : ",") += part(i);
  return all;
}
[[nodiscard]] inline std::string file(const std::string& nodes, const std::string& more = "") {
  return R"({"Rank":0,"WorldSize":1,"Nodes":[)" + nodes + "]" + more + "}";
}
[[nodiscard]] inline std::string op(const std::string& reads, const std::string& args = "{}",
                                    const std::string& more = "") {
  return R"({"Type":"","Name":"","IsVirtual":false,"ReadTensors":[)" + reads +
         R"(],"WriteTensors":[],"ResultTensors":[],"Args":)" + args + more + "}";
}
[[nodiscard]] inline std::string node(std::size_t id, const std::string& held,
                                      const std::string& edges = "") {
  return R"({"Id":)" + std::to_string(id) + R"(,"ProducerNodeIds":[],"ConsumerNodeIds":[)" + edges +
         "]," + held + "}";
}
[[nodiscard]] inline std::string one(const std::string& operation) {
  return file(node(0, "\"Op\":" + operation));
}
[[nodiscard]] inline std::string tensor(std::uint64_t id, std::uint64_t buffer,
                                        const std::string& shape = "[]",
                                        const std::string& tags = "[]",
                                        const std::string& more = "") {
  const std::string zeros = shape == "[]" ? "[]" : "[0]";
  return R"({"Id":)" + std::to_string(id) + R"(,"DataType":"FP32","Shape":)" + shape +
         R"(,"Strides":)" + shape + R"(,"Offsets":)" + zeros + R"(,"PaddedShape":)" + shape +
         R"(,"Buffer":{"Id":)" + std::to_string(buffer) +
         R"(,"Rank":-1,"SendTags":[],"RecvTags":)" + tags + "}" + more + "}";
}

/// Another short key for each number.
[[nodiscard]] inline std::string key(std::size_t i) {
  constexpr std::string_view digits =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string all = "\"";
  for (; i > 0; i /= digits.size()) all += digits[i % digits.size()];
  return all + '"';
}

inline constexpr generator generators[] = {
    {"nodes",
     [](std::size_t n) {
       return file(repeated(n, [](std::size_t i) { return node(i, "\"Op\":" + op("")); }));
     }},
    {"operations",
     [](std::size_t n) {
       return file(node(0, "\"Ops\":[" + repeated(n, [](std::size_t) { return op(""); }) + "]"));
     }},
    {"edges",
     [](std::size_t n) {
       return file(node(0, "\"Op\":" + op(""), repeated(n, [](std::size_t) { return "0"; })));
     }},
    {"edges_of_many",
     [](std::size_t n) {
       return file(repeated(n, [n](std::size_t i) {
         return node(n - i, "\"Op\":" + op(""), std::to_string(i + 1));
       }));
     }},
    {"tensors",
     [](std::size_t n) {
       return one(op(repeated(n, [](std::size_t i) { return tensor(i, i); })));
     }},
    {"tensors_far_apart",
     [](std::size_t n) {
       return one(op(repeated(n, [](std::size_t i) {
         return tensor(std::uint64_t{i} << 40, std::uint64_t{i} << 40);
       })));
     }},
    // Ids that share their low bits after the mixing of the graph's table of Ids.
    {"tensors_that_collide",
     [](std::size_t n) {
       return one(op(repeated(n, [](std::size_t i) {
         constexpr std::uint64_t inverse = 0xf1de83e19937733d;  // of the odd factor
         return tensor((std::uint64_t{i} * inverse) >> 1, 0);
       })));
     }},
    {"tensor_with_two_shapes",
     [](std::size_t n) {
       return one(
           op(repeated(n, [](std::size_t i) { return tensor(0, 0, i % 2 == 0 ? "[1]" : "[2]"); })));
     }},
    {"layouts",
     [](std::size_t n) {
       return one(op(repeated(
           n, [](std::size_t i) { return tensor(i, 0, "[" + std::to_string(i + 1) + "]"); })));
     }},
    {"tags",
     [](std::size_t n) {
       return one(
           op(tensor(0, 0, "[]", "[" + repeated(n, [](std::size_t) { return "[1,1]"; }) + "]")));
     }},
    // The same buffer again and again, each time with all of its tags.
    {"tags_of_one_buffer",
     [](std::size_t n) {
       std::string tags = "[" + repeated(64, [](std::size_t) { return "[1,1]"; }) + "]";
       return one(op(repeated(n / 16, [&](std::size_t i) { return tensor(i, 0, "[]", tags); })));
     }},
    {"arguments",
     [](std::size_t n) {
       return one(op("", "{" + repeated(n, [](std::size_t i) {
                           return "\"" + std::to_string(i) + R"(":{"INT":1})";
                         }) + "}"));
     }},
    {"arguments_of_no_type",
     [](std::size_t n) {
       return one(op("", "{" + repeated(n, [](std::size_t i) { return key(i) + ":1"; }) + "}"));
     }},
    {"arguments_backwards",
     [](std::size_t n) {
       return one(op("", "{" + repeated(n, [n](std::size_t i) {
                           return "\"" + std::to_string(10 * n - i) + R"(":[])";
                         }) + "}"));
     }},
    {"arguments_tensor",
     [](std::size_t n) {
       return one(op(tensor(0, 0), "{" + repeated(n, [](std::size_t i) {
                                     return "\"" + std::to_string(i) + R"(":{"TENSOR":)" +
                                            tensor(i, i) + "}";
                                   }) + "}"));
     }},
    {"members",
     [](std::size_t n) {
       return file("", "," + repeated(n, [](std::size_t i) { return key(i) + ":0"; }));
     }},
    {"members_of_tensors",
     [](std::size_t n) {
       return one(
           op(repeated(n, [](std::size_t i) { return tensor(i, 0, "[]", "[]", R"(,"":0)"); })));
     }},
    {"members_of_one_tensor",
     [](std::size_t n) {
       const std::string more =
           "," + repeated(16, [](std::size_t i) { return "\"" + std::to_string(i) + "\":0"; });
       return one(op(repeated(n / 4, [&](std::size_t) { return tensor(0, 0, "[]", "[]", more); })));
     }},
    {"deep_member",
     [](std::size_t n) {
       return file("", ",\"\":[" + repeated(n, [](std::size_t) { return "[[[[]]]]"; }) + "]");
     }},
    {"long_name",
     [](std::size_t n) {
       return one(R"({"Type":"","Name":")" + std::string(8 * n, 'x') + op("").substr(19));
     }},
    {"long_escapes",
     [](std::size_t n) {
       std::string name;
       for (std::size_t i = 0; i < n; ++i) name += "\\u0001";
       return one(R"({"Type":"","Name":")" + name + op("").substr(19));
     }},
};

}  // namespace ark_worst

namespace worst = ark_worst;  // there is another one in the same program

#endif  // TESSERA_TESTS_ARK_WORST_HPP
