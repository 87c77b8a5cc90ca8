// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One of the worst containers, of size n, through every verb: tests/support/linear.cmake runs it under
// callgrind and looks at the instructions of each function measure_*.
//
//   tessera_nac_linear            the names of the containers
//   tessera_nac_linear NAME N

#include "nac.hpp"
// Keeps the line above where it is.
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace nac = tessera::nac;

#define TESSERA_MEASURED extern "C" __attribute__((noinline, used))

namespace {

tessera::pool<std::byte> content;
tessera::result<nac::model> file = tessera::error{};
nac::parts parts;
tessera::text listing;
std::size_t made = 0;

[[nodiscard]] tessera::bytes source() { return {content.data(), content.size()}; }

/// What the containers hold n of; ids repeat.
struct generator {
  std::string_view name;
  void (*add)(nac::parts& p, std::size_t i);
};

constexpr generator generators[] = {
    {"instructions",
     [](nac::parts& p, std::size_t i) {
       p.instructions.push_back({static_cast<std::uint8_t>(32 + i % 224), 0, {}, {}});
       if (i >= 224) return;
       tessera::text name;
       name << 'b' << (i % 2 == 0 ? 0 : i);
       p.add_name(p.operations, static_cast<std::uint16_t>(32 + i), name);
     }},
    {"constants",
     [](nac::parts& p, std::size_t i) {
       constexpr auto type = nac::constant_type::null;
       p.constants.push_back({static_cast<std::uint16_t>(i & 0x7fff), type, 0, {}});
       p.plan_constants.push_back({1, type, 0, {}});
     }},
    {"code",
     [](nac::parts& p, std::size_t i) {
       if (i == 0) {
         p.add_name(p.signatures, 1, "Ti");
         p.instructions.push_back({nac::op_input, 0, {}, {}});
       }
       const auto id = static_cast<std::uint16_t>(i & 0x7fff);
       p.constants.push_back({id, nac::constant_type::int64, i * 0x9e3779b97f4a7c15, {}});
       const std::uint16_t c[] = {id}, d[] = {0xffff, 0};
       const nac::range constants = p.add_words({c, 1});
       p.instructions.push_back({11, 1, constants, p.add_words({d, 2})});
     }},
    {"lists",
     [](nac::parts& p, std::size_t) {
       const std::uint32_t one = 1;
       const nac::range r = p.add_numbers({&one, 1});
       p.constants.push_back({1, nac::constant_type::int32_list, 0, r});
       nac::tensor_part t;
       t.shape = r;
       p.tensors.push_back(t);
     }},
    {"names",
     [](nac::parts& p, std::size_t i) {
       p.add_name(p.operations, static_cast<std::uint16_t>(i & 0xff), "");
       p.add_name(p.signatures, static_cast<std::uint16_t>(i & 0xff), "T");
       p.add_name(p.parameters, 1, "w");
       p.add_name(p.input_names, 1, "w");
     }},
    {"schedule",
     [](nac::parts& p, std::size_t) {
       p.schedule.push_back({0, {static_cast<std::uint32_t>(p.commands.size()), 1}});
       p.commands.push_back({});
     }},
    {"tensors", [](nac::parts& p, std::size_t) { p.tensors.push_back({}); }},
    {"files",
     [](nac::parts& p, std::size_t) {
       p.resources.push_back({});
       p.arrays.push_back({});
     }},
};

}  // namespace

TESSERA_MEASURED void measure_read() { file = nac::read(source()); }
TESSERA_MEASURED void measure_parts() { parts = nac::parts_of(*file); }
TESSERA_MEASURED void measure_check() { made += nac::check(parts).offset; }
TESSERA_MEASURED void measure_write() {
  if (const auto out = nac::write(parts)) made += out->size();
}
TESSERA_MEASURED void measure_convert() {
  if (const auto to = nac::convert(parts, nac::header::v1_7)) made += to->operations.size();
}
TESSERA_MEASURED void measure_print() { listing = nac::print(*file, {.schedule_beside = true}); }
TESSERA_MEASURED void measure_assemble() {
  if (const auto again = nac::assemble(listing)) made += again->words.size();
}

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const generator& g : generators) {
    if (argc < 3) std::printf("%.*s\n", static_cast<int>(g.name.size()), g.name.data());
    if (g.name != name || argc < 3) continue;
    nac::parts p;
    p.form = nac::header::v1_8;
    for (std::size_t i = 0, n = std::strtoul(argv[2], nullptr, 10); i < n; ++i) g.add(p, i);
    auto written = nac::write(p);
    if (!written) return 1;
    content = *std::move(written);
    measure_read();
    if (!file) return 1;
    measure_parts();
    measure_check();
    measure_write();
    measure_convert();
    measure_print();
    measure_assemble();
  }
  return made == ~std::size_t{0} ? 1 : 0;
}
