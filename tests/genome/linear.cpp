// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One of the worst registries with a stream, of size n, through every verb: tests/support/linear.cmake
// runs it under callgrind and looks at the instructions of each function measure_*.
//
//   tessera_genome_linear            the names of the worst
//   tessera_genome_linear NAME N

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <tessera/genome.hpp>
#include <utility>

namespace genome = tessera::genome;

#define TESSERA_MEASURED extern "C" __attribute__((noinline, used))

namespace {

using tessera::text;

genome::registry made_registry;
genome::stream made_stream;

text json, base64;
tessera::pool<std::byte> raw;
tessera::result<genome::registry> registry = tessera::error{};
tessera::result<genome::library> library = tessera::error{};
tessera::result<genome::stream> stream = tessera::error{};
tessera::result<genome::program> program = tessera::error{};
tessera::result<genome::program> flat_program = tessera::error{};
tessera::result<genome::stream> flat = tessera::error{};
std::size_t made = 0;

// ---- what all of them have

constexpr std::uint8_t relu = 10, add = 11, arange = 12;

void begin() {
  genome::registry& r = made_registry;
  r.add_operation(relu, "aten.relu.default:node_args(1):kwargs()");
  r.add_operation(add, "aten.cat.default:node_args(255):kwargs()");
  r.add_operation(arange, "aten.arange.default:node_args(0):kwargs()");
  r.add_variation(10, "in0");
  r.add_variation(11, "in0,in1");
  r.add_constant(10, "int", "1");
  r.add_constant(11, "list", "[1,2]");
  made_stream.add({.a = 2, .b = 1}, {});
}
void add_relu(genome::stream& s, std::int32_t of, std::int16_t c = 0) {
  s.add({.a = relu, .b = 10, .c = c}, {of});
}
[[nodiscard]] std::int32_t last() { return static_cast<std::int32_t>(made_stream.size()) - 1; }
[[nodiscard]] std::int16_t half(std::uint32_t id) {
  return static_cast<std::int16_t>(id & 0xff00u);
}
void call(genome::stream& s, std::uint32_t pattern, std::int32_t of) {
  s.add({.a = 6, .b = static_cast<std::uint8_t>(pattern), .c = half(pattern)}, {of});
}

struct generator {
  std::string_view name;
  void (*make)(std::size_t n);
};

constexpr generator generators[] = {
    {"chain",
     [](std::size_t n) {
       for (std::size_t i = 0; i < n; ++i) add_relu(made_stream, last());
     }},
    {"wide",
     [](std::size_t n) {
       tessera::pool<std::int32_t> d;
       d.resize(255);
       for (std::size_t i = 0; i < n / 50 + 1; ++i) made_stream.add({.a = add, .b = 1}, d);
     }},
    {"calls",  // of one pattern
     [](std::size_t n) {
       genome::stream p;
       for (int i = 0; i < 10; ++i) add_relu(p, -1);
       made_registry.add_pattern(10, p);
       for (std::size_t i = 0; i < n; ++i) call(made_stream, 10, last());
     }},
    {"nested",  // patterns that each hold the one before, all as long as there is room for
     [](std::size_t n) {
       genome::stream p;
       add_relu(p, -1);
       made_registry.add_pattern(10, p);
       for (std::uint32_t i = 11; i < n; ++i) {
         genome::stream q;
         call(q, i - 1, -1);
         add_relu(q, -1);
         made_registry.add_pattern(i, q);
       }
       for (std::size_t i = 0; i < n; ++i) add_relu(made_stream, last());
     }},
    {"prefixes",  // patterns that differ at their ends, and a stream that is all beginnings
     [](std::size_t n) {
       for (std::uint32_t i = 10; i < n; ++i) {
         genome::stream p;
         for (std::uint32_t k = 0; k < 8; ++k)
           add_relu(p, -1, static_cast<std::int16_t>((i >> k & 1) == 0 ? 0 : 10));
         made_registry.add_pattern(i, p);
       }
       for (std::size_t i = 0; i < n; ++i) add_relu(made_stream, last());
     }},
    {"long_pattern",  // that nearly matches everywhere
     [](std::size_t n) {
       genome::stream p;
       for (std::size_t i = 0; i < n / 2; ++i) add_relu(p, -1);
       add_relu(p, -1, 10);
       made_registry.add_pattern(10, p);
       for (std::size_t i = 0; i < n; ++i) add_relu(made_stream, last());
     }},
    {"taken",  // matches of which something else is taken than the result
     [](std::size_t n) {
       genome::stream p;
       for (int i = 0; i < 8; ++i) add_relu(p, -1);
       made_registry.add_pattern(10, p);
       for (std::size_t i = 0; i < n; ++i) add_relu(made_stream, last());
       for (std::size_t i = 0; i < n; ++i)
         made_stream.add({.a = relu, .b = 10, .c = 10}, {static_cast<std::int32_t>(i * 7 % n)});
     }},
    {"copies",
     [](std::size_t n) {
       for (std::size_t i = 0; i < n; ++i) {
         made_stream.add({.a = 7, .b = arange, .c = 5}, {1, 10});
         add_relu(made_stream, last());
       }
     }},
    {"blocks",  // inside one another
     [](std::size_t n) {
       const std::size_t depth = n < 8000 ? n : 8000;
       for (std::size_t i = 0; i < depth; ++i) {
         const auto then = static_cast<std::int32_t>(2 * (depth - 1 - i) + 1);
         made_stream.add({.a = 8, .b = 1}, {then, 1, 0});
       }
       for (std::size_t i = 0; i < depth + 1; ++i)
         made_stream.add({.a = arange, .b = 1, .c = 10}, {});
     }},
    {"loops",
     [](std::size_t n) {
       for (std::size_t i = 0; i < n; ++i) {
         const std::int32_t before = last();
         made_stream.add({.a = 8, .b = 2}, {1, 2, before});
         add_relu(made_stream, before);
         add_relu(made_stream, before);
         add_relu(made_stream, -1);
         add_relu(made_stream, before + 1);
       }
     }},
    {"names",
     [](std::size_t n) {
       for (std::uint32_t i = 12; i < n + 12 && i < 32000; ++i) {
         text name("p_"), group("arg1=");
         name << i;
         group << i;
         made_registry.add_parameter(i, name);
         made_registry.add_constant(i, "int", name.view().substr(2));
         made_registry.add_group(i, group);
         made_stream.add({.a = 5, .b = 1, .c = static_cast<std::int16_t>(i)}, {});
         made_stream.add(
             {.a = relu, .b = 10, .c = static_cast<std::int16_t>(-1 - static_cast<int>(i))},
             {last()});
       }
     }},
    {"long_group",  // that every node names
     [](std::size_t n) {
       text group, list("[1");
       for (std::size_t i = 0; i < n; ++i) {
         group << (i == 0 ? "a" : ";a") << 10000 + i << "=11";
         list << ",1";
       }
       list << ']';
       made_registry.add_constant(12, "list", list);
       made_registry.add_group(10, group);
       for (std::size_t i = 0; i < n; ++i) {
         add_relu(made_stream, last(), -11);
         add_relu(made_stream, last(), 12);
       }
     }},
};

}  // namespace

TESSERA_MEASURED void measure_write_registry() {
  if (auto out = genome::write_registry(made_registry)) json = std::move(*out);
}
TESSERA_MEASURED void measure_read_registry() { registry = genome::read_registry(json); }
TESSERA_MEASURED void measure_verify_registry() { library = genome::verify(std::move(*registry)); }
TESSERA_MEASURED void measure_print_registry() { made += genome::print(*library).size(); }
TESSERA_MEASURED void measure_write() {
  if (auto out = genome::write(made_stream)) raw = std::move(*out);
}
TESSERA_MEASURED void measure_write_base64() {
  if (auto out = genome::write_base64(made_stream)) base64 = std::move(*out);
}
TESSERA_MEASURED void measure_read() { stream = genome::read({raw.data(), raw.size()}); }
TESSERA_MEASURED void measure_read_base64() { stream = genome::read_base64(base64); }
TESSERA_MEASURED void measure_verify() { program = genome::verify(std::move(*stream), *library); }
TESSERA_MEASURED void measure_print() { made += genome::print(*program).size(); }
TESSERA_MEASURED void measure_expand() { flat = genome::expand(*program); }
TESSERA_MEASURED void measure_compress() {
  if (const auto out = genome::compress(*flat_program)) made += out->size();
}

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const generator& g : generators) {
    if (argc < 3) std::printf("%s\n", g.name.data());
    if (g.name != name || argc < 3) continue;
    begin();
    g.make(std::strtoul(argv[2], nullptr, 10));
    measure_write_registry();
    measure_read_registry();
    if (!registry) std::abort();
    measure_verify_registry();
    if (!library) std::abort();
    measure_print_registry();
    measure_write();
    measure_write_base64();
    measure_read();
    measure_read_base64();
    if (!stream) std::abort();
    measure_verify();
    if (!program) std::abort();
    measure_print();
    measure_expand();
    if (!flat) std::abort();
    flat_program = genome::verify(std::move(*flat), *library);
    if (!flat_program) std::abort();
    measure_compress();
  }
  return 0;
}
