// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <string>
#include <string_view>
#include <tessera/nem/read.hpp>
#include <tessera/nem/reformat.hpp>
#include <vector>

#include "nem/generator.hpp"
#include "nem/same.hpp"
#include "nem/verbs.hpp"
#include "support/catch.hpp"

using namespace tessera;

namespace {

std::string formatted(std::string_view source) {
  INFO(source);
  auto d = nem_test::read(source);
  REQUIRE(d);
  const text t = nem::reformat(*d, source);
  return std::string(t.view());
}
/// The comments of a text, without blanks at their ends.
std::vector<std::string> comments_of(std::string_view source) {
  std::vector<std::string> all;
  bool in_string = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (in_string) {
      if (source[i] == '\\')
        ++i;
      else
        in_string = source[i] != '"';
    } else if (source[i] == '"') {
      in_string = true;
    } else if (source[i] == '#') {
      const std::size_t end = std::min(source.find('\n', i), source.size());
      std::string comment(source.substr(i, end - i));
      while (comment.back() == ' ' || comment.back() == '\r' || comment.back() == '\t')
        comment.pop_back();
      all.push_back(comment);
      i = end;
    }
  }
  return all;
}
void check_laws(std::string_view source) {
  INFO(source);
  auto d = nem_test::read(source);
  REQUIRE(d);
  const text once = nem::reformat(*d, source);
  INFO(once.view());
  auto again = nem_test::read(once);
  REQUIRE(again);
  CHECK(tests::same(*d, *again));
  CHECK(nem::reformat(*again, once) == once);
  CHECK(comments_of(once) == comments_of(source));
  CHECK(once.view().find("\n\n\n") == std::string_view::npos);
  CHECK((once.empty() || once.view().back() == '\n'));
  CHECK(once.view().find_first_of("\r\t") == std::string_view::npos);
}

}  // namespace

TEST_CASE("nem/reformat: files without constructs", "[nem]") {
  CHECK(formatted("").empty());
  CHECK(formatted("\n\n ;;\n").empty());
  CHECK(formatted("\n\n# a\n\n\n\n#b  \r\n\n") == "# a\n\n#b\n");
  CHECK(formatted("#") == "#\n");
  CHECK(formatted("\xef\xbb\xbf# a\nconst A = 1") == "# a\nconst A = 1\n");
}

TEST_CASE("nem/reformat: comments on lines of their own and at ends of lines", "[nem]") {
  CHECK(formatted("# 1\nlet   a=(1+2)   # 2\n# 3\n\n# 4\nlet b = a; let c = b;# 5\n# 6") ==
        "# 1\nlet a = 1 + 2  # 2\n# 3\n\n# 4\nlet b = a\nlet c = b  # 5\n# 6\n");
  CHECK(formatted(
            "loop i in [0..3]: # 1\n\n# 2\n  let a = \"#\" # 3\n\n\n\n   # 4\n\n endloop # 5") ==
        "loop i in [0..3]:  # 1\n  # 2\n  let a = \"#\"  # 3\n\n  # 4\nendloop  # 5\n");
  CHECK(formatted("loop i in [0..3]: # 1\n # 2\n endloop") ==
        "loop i in [0..3]:  # 1\n  # 2\nendloop\n");
  CHECK(formatted("let s = \"a # \\\" b\" # c") == "let s = \"a # \\\" b\"  # c\n");
  CHECK(formatted("; # c\nlet a = 1") == "# c\nlet a = 1\n");
}

TEST_CASE("nem/reformat: at most one blank line stays", "[nem]") {
  CHECK(formatted("\n\nlet a = 1\n\n\n\nlet b = 2\nlet c = 3\r\n\r\nlet d = 4\n\n") ==
        "let a = 1\n\nlet b = 2\nlet c = 3\n\nlet d = 4\n");
  CHECK(formatted("loop i in [0..1]:\n\nlet a = i\n\nendloop\n\nlet b = 1") ==
        "loop i in [0..1]:\n  let a = i\nendloop\n\nlet b = 1\n");
  CHECK(formatted("relu.sync\n\nin X\n\nout Y\n\naxis=1\n\n@debug") ==
        "relu.sync\n    in  X\n    out Y\n    axis=1\n    @debug\n");
}

TEST_CASE("nem/reformat: comments within a statement", "[nem]") {
  // Within a line they go before it.
  CHECK(formatted("t = transfer.async(\n dst=a, # 1\n # 2\n src=b) # 3\n") ==
        "# 1\n# 2\nt = transfer.async(dst=a, src=b)  # 3\n");
  CHECK(formatted("loop i in [0 # 1\n..3]:\n let a = [1, # 2\n2] endloop") ==
        "# 1\nloop i in [0..3]:\n  # 2\n  let a = [1, 2]\nendloop\n");
  // Between lines they stay, and with them the order of attributes.
  CHECK(formatted("c = conv2d.async # 1\n in X, # 2\n W # 3\n # 4\n out Y # 5\n strides=[1] # 6\n"
                  " # 7\n pads=[0] deps=[t]\n # 8\n @debug # 9\n # 10\nwait(c)") ==
        "c = conv2d.async  # 1\n    # 2\n    in  X, W  # 3\n    # 4\n    out Y  # 5\n"
        "    strides=[1]  # 6\n    # 7\n    pads=[0]\n    deps=[t]\n    # 8\n    @debug  # 9\n"
        "# 10\nwait(c)\n");
  CHECK(formatted("conv2d.async in X out Y strides=[1] pads=[0] deps=[t] # 1") ==
        "conv2d.async\n    in  X\n    out Y\n    deps=[t]\n    pads=[0]\n    strides=[1]  # 1\n");
  CHECK(formatted("X = region(B, 0, 4) # 1\n # 2\n shape=[4], # 3\n elem=i8 # 4\n @debug # 5") ==
        formatted("let X = region(B, 0, 4) # 1\n# 2\n# 3\nelem=i8, shape=[4] # 4\n@debug # 5"));
  CHECK(formatted("X = region(B, 0, 4) # 1\n # 2\n elem=i8, # 3\n shape=[4] # 4\n @debug # 5") ==
        "let X = region(B, 0, 4)  # 1\n    # 2\n    # 3\n    elem=i8, shape=[4]  # 4\n"
        "    @debug  # 5\n");
  // An empty list that keeps a decorator at its operand stays where it is.
  CHECK(formatted("relu.sync in X out Y @debug # one\n# two\ndeps=[] # three\n") ==
        "relu.sync\n    in  X\n    out Y @debug  # one\n    # two\n    deps=[]  # three\n");
}

TEST_CASE("nem/reformat: families and devices", "[nem]") {
  CHECK(formatted("device d { # 1\n topology { # 2\n num_engines = 1 # 3\n }  # 4\n\n # 5\n"
                  "spec_version = \"1\"\n # 6\n} # 7\n") ==
        "device d {  # 1\n  topology {  # 2\n    num_engines = 1  # 3\n  }  # 4\n\n  # 5\n"
        "  spec_version = \"1\"\n  # 6\n}  # 7\n");
  // Without comments between them, parts are put in order.
  CHECK(formatted("# 1\ndevice d { topology { num_engines = 1 } spec_version = \"1\" } # 2") ==
        "# 1\ndevice d {\n  spec_version = \"1\"\n  topology {\n    num_engines = 1\n  }\n"
        "}  # 2\n");
  CHECK(
      formatted("type_family f<T: {i8}> { # 1\n X: T # 2\n # 3\n variants: # 4\n # 5\n a: {} # 6\n"
                " # 7\n conformance: {MUST<i8> # 8\n} # 9\n\n b: {} conformance: {} # 10\n # 11\n}"
                "# 12") ==
      "type_family f<T: {i8}> {  # 1\n  X: T  # 2\n  # 3\n  variants:  # 4\n    # 5\n"
      "    a: {}  # 6\n      # 7\n      # 8\n      conformance: { MUST <i8> }  # 9\n\n"
      "    b: {}\n      conformance: {}  # 10\n  # 11\n}  # 12\n");
}

TEST_CASE("nem/reformat: constructs keep their order", "[nem]") {
  CHECK(formatted("device b {}\ntype_family f { variants: }\n\ndevice a {}") ==
        "device b {\n}\ntype_family f {\n  variants:\n}\n\ndevice a {\n}\n");
}

TEST_CASE("nem/reformat: names that look like the end of a block", "[nem]") {
  CHECK(formatted("loop i in [0..1]: let X = region(B, 0, 4) elem=i8, shape=[4], layout=endloop\n"
                  "relu.sync in X out X @endloop axis=1 attrs={ b=1 } # 1\n# 2\nendloop # 3") ==
        "loop i in [0..1]:\n  let X = region(B, 0, 4)\n      elem=i8, shape=[4], layout=endloop\n"
        "  relu.sync\n      in  X\n      out X @endloop\n      axis=1\n      b=1  # 1\n  # 2\n"
        "endloop  # 3\n");
}

TEST_CASE("nem/reformat: no blank lines within a statement", "[nem]") {
  CHECK(formatted("relu.sync in X\n\n# 1\n\n# 2\n\nout Y\n\n\n# 3\naxis=1\n\n# 4") ==
        "relu.sync\n    in  X\n    # 1\n    # 2\n    out Y\n    # 3\n    axis=1\n\n# 4\n");
}

TEST_CASE("nem/reformat: a comment before each token", "[nem]") {
  const std::string_view tokens[] = {
      "include \"a\" device d { spec_version = \"1\" topology { num_engines = 1 l2_size_bytes = 2 "
      "* 3 device_units { WDM = 1 } per_engine { NMU = 1 l1_size_bytes = 4 } } "
      "unit_characteristics { SEQ { a = 1 } } opcode . mandatory { f < i8 , i8 > . v } } program p "
      ": const A = - ( 1 + 2 ) let b = [ \"#\" , 1.5 ] buffer B : L1 [ 0 ] ( size = 1 , align = 2 "
      ") @ readonly X = region ( B , 0 , 4 ) elem = i8 , shape = [ 4 ] , quant = per_tensor ( "
      "scale = 1 , zero_point = 0 ) @ debug ( \"x\" ) loop i in [ 0 .. 3 ] @ deterministic : t = "
      "store . sync ( dst = X , src = X , deps = [ t ] ) @ resource ( DMA [ 0 ] ) ; c = conv2d . "
      "sync in X , W out Y @ debug strides = [ 1 , 1 ] attrs = { pads = [ 0 ] , a = 1 } deps = [ t "
      "] @ profile wait ( t , c ) endloop",
      "type_family g . h < T : { i8 , f16 } , U : { i8 } > { accum = f32 X : T quant = required on "
      "W variants : a : { B : absent } conformance : { MUST < i8 > MAY } b : { } conformance : { } "
      "}"};
  for (const std::string_view source : tokens) {
    check_laws(source);
    int n = 0;
    std::string all, lines;
    for (std::size_t at = 0; at <= source.size();) {
      const std::size_t end = std::min(source.find(' ', at), source.size());
      const std::string comment = "# " + std::to_string(++n) + "\n";
      all += comment + std::string(source.substr(at, end - at)) + " ";
      lines += "\n\n" + comment + "\n" + std::string(source.substr(at, end - at)) + "\n";
      // Only one comment, after a token and on a line of its own.
      check_laws(std::string(source.substr(0, end)) + " # c\n" + std::string(source.substr(end)));
      check_laws(std::string(source.substr(0, end)) + "\n\n # c\n\n" +
                 std::string(source.substr(end)));
      at = end + 1;
    }
    check_laws(all);
    check_laws(lines);
  }
}

TEST_CASE("nem/reformat: random documents", "[nem]") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    check_laws(tests::generator(seed, 0).file());
    check_laws(tests::generator(seed + 1000, 2).file());
    check_laws(tests::generator(seed + 2000, 30).file());
  }
}

TEST_CASE("nem/reformat: another source does no harm", "[nem]") {
  auto d = nem_test::read("loop i in [0..3]: let a = 1 endloop wait(a)");
  REQUIRE(d);
  for (const std::string_view source : {"", "# a\n\n} } endloop # b", "\"", "\"\\", "{{ = { } #"}) {
    const text t = nem::reformat(*d, source);
    CHECK(t.view().find("endloop") != std::string_view::npos);
  }
}
