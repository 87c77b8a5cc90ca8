// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One of the worst texts, of size n, through every verb: tests/support/linear.cmake runs it under
// callgrind and looks at the instructions of each function measure_*.
//
//   tessera_nem_linear            the names of the texts
//   tessera_nem_linear NAME N
//   tessera_nem_linear NAME N -   writes the text

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <tessera/nem.hpp>

namespace nem = tessera::nem;

#define TESSERA_MEASURED extern "C" __attribute__((noinline, used))

namespace {

tessera::text source;
tessera::pool<nem::string> files;  // what "0", "1" … name, in `others`
tessera::text others;
tessera::result<nem::model> document = tessera::error{};
tessera::text written;
tessera::report found;
std::size_t made = 0;

using tessera::text;

/// n times what `each` writes.
template <class Each>
  requires requires(Each each) { each(source, std::size_t{}); }
void repeat(std::size_t n, Each each) {
  for (std::size_t i = 0; i < n; ++i) each(source, i);
}
void repeat(std::size_t n, std::string_view s) {
  for (std::size_t i = 0; i < n; ++i) source << s;
}
/// Two buffers, and x and y in them.
void regions() {
  source << "buffer a : L2 (size=1048576)\nbuffer b : L2 (size=1048576)\n"
            "let x = region(a, 0, 16) elem=f16, shape=[8], layout=C\n"
            "let y = region(b, 0, 16) elem=f16, shape=[8], layout=C\n";
}
template <class Each>
void file(Each each) {
  const auto first = static_cast<std::uint32_t>(others.size());
  each(others);
  files.push_back({first, static_cast<std::uint32_t>(others.size()) - first});
}

/// Either half of any row leads to the same hash: n rows make 2^n names of one.
constexpr std::string_view colliding[][2] = {
    {"P09H5b99SaQR", "QX9D9d99cTFC"}, {"SI7k9L7Jza7f", "R77Y5JK4xllW"},
    {"qD7j9jA3XZnQ", "pL7Z5d13VM7B"}, {"f22Z8I90PpIB", "eZ4zRQ92bmh1"},
    {"3S9N6X52SabZ", "099F8r90ct3i"}, {"tD2S5G15Td4A", "uL4m9WE1Zykp"},
    {"197j4OK7ZDE3", "2G7zVo77LoRB"}, {"V71m9916Jusj", "W55g5UE4xBBy"},
    {"JU2YQh25FV1P", "K74G9vD5Lafa"}, {"u81A1J67RqCN", "tP1K9D87Db2y"},
    {"uZ7U4EI9ql2G", "v27oVU99eaa6"}, {"A14F1mB4DbOE", "BW6B9m46ZuT4"}};

struct generator {
  std::string_view name;
  void (*write)(std::size_t n);
};

constexpr generator generators[] = {
    {"statements",
     [](std::size_t n) {
       repeat(n / 2, [](text& s, std::size_t i) {
         s << "buffer b" << i << " : L2 (size=64, align=16)\nlet r" << i << " = region(b" << i
           << ", 0, 64) elem=f16, shape=[4, 8], layout=NC\n";
       });
     }},
    {"constants",
     [](std::size_t n) {
       source << "const c0 = 1\n";
       repeat(n, [](text& s, std::size_t i) {
         s << "const c" << i + 1 << " = (c" << i << " + " << i << ") mod 65536\n";
       });
     }},
    {"duplicates",  // names
     [](std::size_t n) {
       repeat(n, [](text& s, std::size_t i) {
         s << (i % 2 == 0 ? "const " : "let ") << "c" << i % 5 << " = " << i << '\n';
       });
     }},
    {"lists",
     [](std::size_t n) {
       source << "let short = [";
       repeat(n, [](text& s, std::size_t i) { s << (i == 0 ? "" : ", ") << i << ".5"; });
       source << "]\nlet nested = [";
       repeat(n, [](text& s, std::size_t i) { s << (i == 0 ? "" : ", ") << "[short, \"s\"]"; });
       source << "]\n";
     }},
    {"named_lists",  // a long one that many tasks name
     [](std::size_t n) {
       regions();
       source << "let long = [";
       repeat(n, [](text& s, std::size_t i) { s << (i == 0 ? "" : ", ") << i; });
       source << "]\n";
       repeat(n / 4, "transpose.sync in x out y perm=long\npad.sync in x out y pads=long\n");
       repeat(n / 4,
              "let q = region(a, 0, 16) elem=i8, shape=[16], layout=C, "
              "quant=per_channel(axis=0, scales=long, zero_points=long)\n");
     }},
    {"sums",
     [](std::size_t n) {
       source << "const a = 1";
       repeat(n, " + 2 * 3");
       source << "\nlet x = 1.5";
       repeat(n, " - (2 / 3)");
       source << "\n";
     }},
    {"nesting",
     [](std::size_t n) {
       for (std::size_t k = 0; k < n / 250 + 1; ++k) {
         source << "let a" << k << " = ";
         repeat(250, "[");
         repeat(250, "]");
         source << "\nlet b" << k << " = ";
         repeat(250, "(1 + ");
         source << '1';
         repeat(250, ")");
         source << "\nlet c" << k << " = ";
         repeat(250, "-");
         source << "1\n";
       }
     }},
    {"nested_loops",
     [](std::size_t n) {
       for (std::size_t k = 0; k < n / 1000 + 1; ++k) {
         repeat(250, [](text& s, std::size_t i) {
           s << "loop v" << i << " in [0..0] @max_in_flight(2):\n";
         });
         source << "let z = v249\n";
         repeat(250, "endloop\n");
       }
     }},
    {"attributes",
     [](std::size_t n) {
       regions();
       source << "relu.sync in x out y";
       repeat(n, [](text& s, std::size_t i) { s << " k" << i << "=[1, 2.5, \"s\"]"; });
       source << '\n';
     }},
    {"decorators",
     [](std::size_t n) {
       regions();
       source << "buffer c : L2 (size=1048576)";
       repeat(n, " @materialized");
       source << " @readonly\nlet w = region(c, 0, 16) elem=f16, shape=[8], layout=C";
       repeat(n, [](text& s, std::size_t i) { s << " @d" << i << "(k, " << i << ')'; });
       source << '\n';
       repeat(n / 2, "transfer.sync(dst=w, src=x @materialized @materialized)\n");
       source << "relu.sync in x out w axis=1";
       repeat(n, " @resource(VPU[0])");
       source << '\n';
     }},
    {"includes",
     [](std::size_t n) {
       for (std::size_t i = 0; i < n / 2; ++i) {
         source << "include \"" << i << "\"\ninclude \"" << i << "\"\n";
         file([&](text& s) {
           s << "include \"" << i + 1 << "\"\ntype_family f" << i
             << " { X: i8 variants: default: {} conformance: { MAY } }\n";
         });
       }
     }},
    {"devices",
     [](std::size_t n) {
       source << "include \"npm_baseline_1.0.nem\"\n";
       repeat(n, [](text& s, std::size_t i) {
         s << "device d" << i << " extends ";
         if (i == 0)
           s << "npm_baseline_1_0";
         else
           s << 'd' << (i % 2 == 0 ? i - 1 : i / 2);
         s << " { unit_characteristics { SEQ { k" << i << " = 1 } }\n"
           << "opcode.extended { softmax<f32>.default nothing.default } }\n";
       });
     }},
    {"devices_that_collide",  // under FNV-1a
     [](std::size_t n) {
       source << "include \"npm_baseline_1.0.nem\"\n";
       repeat(n, [](text& s, std::size_t i) {
         s << "device ";
         for (std::size_t k = 0; k < std::size(colliding); ++k) s << colliding[k][i >> k & 1];
         s << " extends npm_baseline_1_0 { unit_characteristics { SEQ { k = 1 } } }\n";
       });
     }},
    {"cycles",
     [](std::size_t n) {
       repeat(n, [&](text& s, std::size_t i) {
         s << "device d" << i << " extends d" << (i + 1) % n << " { }\n";
       });
     }},
    {"families",
     [](std::size_t n) {
       source << "type_family f<T : {i8, f16}";
       repeat(n, [](text& s, std::size_t i) { s << ", T" << i << " : {i8}"; });
       source << "> {";
       repeat(n, [](text& s, std::size_t i) { s << " X" << i << " : T" << i; });
       source << " variants:";
       repeat(n, [](text& s, std::size_t i) { s << " v" << i << ": {} conformance: { MAY }"; });
       source << "}\ntype_family g<T : {i8, f16, f32}, U : {i8, f16, f32}> { X : T variants: v: {} "
                 "conformance: {";
       repeat(n, [](text& s, std::size_t i) {
         s << (i % 2 == 0 ? " MAY<i8, f16>" : " MUST<f32, i8>");
       });
       source << "} }\ndevice d { opcode.mandatory {";
       repeat(n, [](text& s, std::size_t i) { s << " f<i8>.v" << i; });
       source << "} }\n";
     }},
    {"chain",  // tasks that each depend on the one before
     [](std::size_t n) {
       regions();
       source << "t0 = transfer.async(dst=x, src=y)\n";
       repeat(n, [](text& s, std::size_t i) {
         s << 't' << i + 1 << " = transfer.async(dst=" << (i % 2 == 0 ? 'y' : 'x')
           << ", src=" << (i % 2 == 0 ? 'x' : 'y') << ", deps=[t" << i << "])\n";
       });
     }},
    {"hazards",  // all tasks race
     [](std::size_t n) {
       regions();
       repeat(n,
              [](text& s, std::size_t i) { s << "t" << i << " = transfer.async(dst=x, src=y)\n"; });
     }},
    {"conflicts",  // many small accesses, and wide ones
     [](std::size_t n) {
       regions();
       repeat(n, [](text& s, std::size_t i) {
         s << "transfer.async(dst=region(a, " << 64 * (i * 7 % 8192) << ", 16), src=region(b, "
           << 64 * (i * 5 % 8192) << ", 16))\n";
         if (i % 1024 == 99)
           s << "transfer.async(dst=region(a, 0, 524288), src=region(b, 0, 524288))\n";
       });
     }},
    {"deps",
     [](std::size_t n) {
       regions();
       repeat(n, [](text& s, std::size_t i) {
         s << "t" << i << " = transfer.async(dst=region(a, " << 16 * i << ", 16), src=x)\n";
       });
       for (const std::string_view all : {"relu.async in x out y deps=[", "wait("}) {
         source << all;
         repeat(n, [](text& s, std::size_t i) { s << (i == 0 ? "t" : ", t") << i; });
         repeat(n, ", t0, nothing");
         source << (all.back() == '[' ? "]\n" : ")\n");
       }
       repeat(n, "wait(t0, t1)\n");
     }},
    {"operands",
     [](std::size_t n) {
       regions();
       source << "concat.sync in x";
       repeat(n, ", x");
       source << " out y axis=0\nsplit.sync in x out y";
       repeat(n, ", x");
       source << " axis=0 split_sizes=[1";
       repeat(n, ", 1");
       source << "]\n";
     }},
    {"shapes",
     [](std::size_t n) {
       source << "buffer a : L2 (size=64)\n";
       for (const std::string_view type : {"shape=[1", "strides=[1"}) {
         source << "let x" << (type.size() == 8 ? 0 : 1) << " = region(a, 0, 64) elem=i8, ";
         if (type.size() != 8) {
           source << "shape=[2";
           repeat(n, ", 1");
           source << "], ";
         }
         source << type;
         repeat(n, ", 1");
         source << "]\n";
       }
       repeat(n / 2, "relu.sync in x0 out x1\nreshape.sync in x1 out x0 target_shape=[1]\n");
     }},
    {"loops",
     [](std::size_t n) {
       regions();
       source << "loop i in [0.." << n - 1 << "] @max_in_flight(4):\n"
              << "let r = region(a, i mod 4 * 16, 16) elem=f16, shape=[8], layout=C\n"
              << "t = transfer.async(dst=r, src=x)\nu = relu.async in r out y deps=[t]\n"
              << "let l = [i, i + 1, i * 2]\nwait(t)\nendloop\n";
       repeat(n / 4, "loop i in [0..3]:\nt = transfer.async(dst=y, src=x)\nendloop\n");
       source << "loop i in [0.." << n << "] @max_in_flight(16):\n"
              << "t = transfer.async(dst=y, src=x)\nendloop\n";
     }},
    {"comments",
     [](std::size_t n) {
       repeat(n, "# c\n\n\n");
       source << "let x = [";
       repeat(n, " # in a line\n 1,");
       source << " 2] # last\nrelu.sync in";
       repeat(n, " # in front\n");
       source << " a out b\n";
       repeat(n, "endloop_ = # c \n # d\n relu.sync in a out b @debug(x) # e\n");
     }},
    {"strings",
     [](std::size_t n) {
       repeat(n, [](text& s, std::size_t i) {
         s << "let s" << i << " = \"\\n\\q\xc3\xa9" << i << "\"\n";
       });
       source << "let s = \"";
       repeat(n, "\\\\\\q");
       source << "\"\n";
     }},
    {"errors",  // of reading
     [](std::size_t n) {
       repeat(n, "let = 1\nloop in\n}]) const x = * \"\n\xff\nrelu.async in in out\ndevice {\n");
     }},
    {"repeated",  // errors of reading that search for what was first
     [](std::size_t n) {
       regions();
       source << "relu.sync in x out y";
       repeat(n, [](text& s, std::size_t i) { s << " k" << i << "=1"; });
       repeat(n, [](text& s, std::size_t i) { s << " k" << i << "=1"; });
       source << "\ndevice d { unit_characteristics { SEQ {";
       repeat(n, [](text& s, std::size_t i) { s << " k" << i << "=1"; });
       repeat(n, [](text& s, std::size_t i) { s << " k" << i << "=1"; });
       source << " } } }\n";
     }},
    {"findings",  // of verification
     [](std::size_t n) {
       source << "buffer b"
              << std::string_view(
                     "_with_a_name_that_is_somewhat_longer_than_names_of_buffers_need_to_be")
              << " : L2 ()\n";
       repeat(n, [](text& s, std::size_t i) {
         s << "let r" << i << " = region(nothing, 0, no + " << i << ")\ntrelu.sync in r" << i
           << " out q @bogus(1)\n";
       });
     }},
};

struct resolver {
  static bool open(void*, std::string_view, std::string_view path, nem::resolver::file& to) {
    std::size_t i = 0;
    for (const char c : path) {
      if (c < '0' || c > '9') return false;
      i = i * 10 + static_cast<std::size_t>(c - '0');
    }
    if (i >= files.size()) return false;
    to = {path, {others.data() + files[i].first, files[i].size}};
    return true;
  }
};

}  // namespace

TESSERA_MEASURED void measure_read() { document = nem::read(source); }
TESSERA_MEASURED void measure_read_all() {
  tessera::report all;
  nem::read_options options;
  options.max_errors = 1000;
  if (nem::read(source, options, &all)) ++made;
  made += all.errors;
}
TESSERA_MEASURED void measure_print() { written = nem::print(*document); }
TESSERA_MEASURED void measure_reformat() { written = nem::reformat(*document, source); }
TESSERA_MEASURED void measure_write_json() { written = nem::write_json(*document); }
TESSERA_MEASURED void measure_verify() {
  nem::verify_options options;
  options.resolver = {resolver::open, nullptr};
  options.max_include_depth = 5000;
  if (nem::verify(*std::move(document), options, &found)) ++made;
  made += found.errors;
}
TESSERA_MEASURED void measure_describe() {
  const tessera::source_file main{"main", source};
  const tessera::listing list(found, {&main, 1});
  for (const tessera::diagnostic& d : found.diagnostics) made += list.describe(d).size();
}

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const generator& g : generators) {
    if (argc < 3) std::printf("%.*s\n", static_cast<int>(g.name.size()), g.name.data());
    if (g.name != name || argc < 3) continue;
    // What n of them are is nearly a megabyte in some texts: the smaller ones show as much.
    g.write(std::strtoul(argv[2], nullptr, 10) / 4);
    if (argc > 3) {
      std::fwrite(source.data(), 1, source.size(), stdout);
      return 0;
    }
    measure_read();
    measure_read_all();
    if (!document) continue;
    measure_print();
    measure_reformat();
    measure_write_json();
    measure_verify();
    measure_describe();
  }
  return made == ~std::size_t{0} ? 1 : 0;
}
