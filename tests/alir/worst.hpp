// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Inputs that cost the most for their size: shortest rows, empty tables, lists of zeros. Each is
// made of n of them.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     n below 2^20.
// Allocation: strings.

#ifndef TESSERA_TESTS_ALIR_WORST_HPP
#define TESSERA_TESTS_ALIR_WORST_HPP

#include "alir.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>

namespace worst {

struct generator {
  std::string_view name;
  bool is_bytecode;
  std::string (*make)(std::size_t n);
};

[[nodiscard]] inline std::string repeated(const std::string& part, std::size_t n) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i) (all += i == 0 ? "" : ",") += part;
  return all;
}
[[nodiscard]] inline std::string json(const std::string& out_idxs, const std::string& rows,
                                      const std::string& tables, int version) {
  return R"({"model":[[1,0],[0],[)" + out_idxs + "],[],[],[" + rows + "],0,0,[" + tables +
         R"(]],"meta":"ALIRModel","spec_version":)" + std::to_string(version) + "}";
}
[[nodiscard]] inline std::string words(std::initializer_list<std::size_t> list) {
  std::string all;
  for (const std::size_t v : list) {
    char raw[4];
    tessera::store_le(raw, static_cast<std::uint32_t>(v));
    all.append(raw, sizeof raw);
  }
  return all;
}
/// Members with different keys, each after `before`.
[[nodiscard]] inline std::string members(std::size_t n, const std::string& before) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i)
    (((all += i == 0 ? "\"" : ",\"") += before) += std::to_string(i)) += "\":0";
  return all;
}

inline constexpr generator generators[] = {
    {"rows_2", false,
     [](std::size_t n) { return json("", repeated("[0,-1,-1,0,[0,0,1],0,0]", n), "", 2); }},
    {"short_rows_2", false,
     [](std::size_t n) { return json("", repeated("[0,0,7,0,[0,0,1],0,0]", n), "", 2); }},
    {"rows_4", false,
     [](std::size_t n) { return json("", repeated("[[],5,[0],[0,0,1],0,0]", n), "", 4); }},
    {"lookups", false,
     [](std::size_t n) {
       return json("", "[0,-1,-1,0,[0,0,1],0,0]," + repeated("[0,-1,8,0,[0,0,1],0,0]", n),
                   R"({"table":[0]})", 2);
     }},
    {"lookups_and_tables", false,
     [](std::size_t n) {
       std::string rows = "[0,-1,-1,0,[0,0,1],0,0]";
       for (std::size_t i = 0; i < n; ++i)
         rows += ",[0,-1,8," + std::to_string(i) + ",[0,0,1],0,0]";
       return json("", rows, repeated(R"({"table":[0]})", n), 2);
     }},
    {"tables", false,
     [](std::size_t n) { return json("", "", repeated(R"({"table":[]})", n), 2); }},
    {"tables_with_spec", false,
     [](std::size_t n) {
       return json(
           "", "",
           repeated(
               R"({"table":[0],"spec":{"hash":"a","out_qint":{"min":0,"max":0,"step":1},"inp_width":0}})",
               n),
           2);
     }},
    {"table_entries", false,
     [](std::size_t n) { return json("", "", R"({"table":[)" + repeated("0", n) + "]}", 2); }},
    {"out_idxs", false, [](std::size_t n) { return json(repeated("0", n), "", "", 2); }},
    {"sum_of_many", false,
     [](std::size_t n) {
       return json("",
                   "[[],-1,[0],[0,1,1],0,0],[[" + repeated("0", n) + "],11,[" +
                       repeated("0", 2 * n) + "],[0,0,1],0,0]",
                   "", 4);
     }},
    {"empty_sums", false,
     [](std::size_t n) { return json("", repeated("[[],11,[],[0,0,1],0,0]", n), "", 4); }},
    {"too_much_data", false,
     [](std::size_t n) {
       return json("", "[[],5,[" + repeated("0", n) + "],[0,0,1],0,0]", "", 4);
     }},
    {"unknown_keys", false, [](std::size_t n) { return "{" + members(n, "") + "}"; }},
    {"unknown_escaped_keys", false, [](std::size_t n) { return "{" + members(n, "\\n") + "}"; }},
    {"unknown_keys_inside", false,
     [](std::size_t n) { return "{\"x\":{" + members(n, "") + "}}"; }},
    {"unknown_objects", false, [](std::size_t n) { return "{\"x\":[" + repeated("{}", n) + "]}"; }},
    {"b2_rows", true,
     [](std::size_t n) {
       std::string all = words({2, 0, 0, 0, n, 0});
       for (std::size_t i = 0; i < n; ++i) all += words({5, UINT32_MAX, UINT32_MAX, 0, 0, 0, 1, 0});
       return all;
     }},
    {"b2_outputs", true,
     [](std::size_t n) {
       return words({2, 0, 0, n, 0, 0}) + std::string(12 * n, '\0');
     }},
    {"b2_empty_tables", true,
     [](std::size_t n) {
       return words({2, 0, 0, 0, 0, n}) + std::string(4 * n, '\0');
     }},
    {"b2_tables", true,
     [](std::size_t n) {
       std::string all = words({2, 0, 0, 0, 0, n});
       for (std::size_t i = 0; i < 2 * n; ++i) all += words({1});
       return all;
     }},
    {"b4_rows", true,
     [](std::size_t n) {
       return "ALIR" + words({4, 0, 0, n, 0}) + std::string(8 * n, '\0');
     }},
    {"b4_empty_sums", true,
     [](std::size_t n) {
       std::string all = "ALIR" + words({4, 0, 0, n, 0});
       for (std::size_t i = 0; i < n; ++i) all += words({0x1000b, 0});
       return all;
     }},
    {"b4_outputs", true,
     [](std::size_t n) {
       return "ALIR" + words({4, 0, n, 0, 0}) + std::string(9 * n, '\0');
     }},
    {"b4_empty_tables", true,
     [](std::size_t n) {
       return "ALIR" + words({4, 0, 0, 0, n}) + std::string(4 * n, '\0');
     }},
};

}  // namespace worst

#endif  // TESSERA_TESTS_ALIR_WORST_HPP
