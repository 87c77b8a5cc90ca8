// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What authors write who come from other languages: each message with its place, its note and its fix.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "tessera/nem/format.hpp"
#include "tessera/nem/read.hpp"
#include "tessera/nem/rule.hpp"

namespace nem = tessera::nem;

namespace {

std::string shown(const tessera::report& r, const tessera::diagnostic& d) {
  const auto at = [](const tessera::place& p) {
    return std::to_string(p.offset) + '+' + std::to_string(p.length) + ' ';
  };
  std::string out = std::string(nem::rule(d.code).id()) + '@' + at(d.where);
  out += r.text_of(d.text);
  if (d.has_note) {
    out += d.related.length != 0 ? " | " + at(d.related) : " | ";
    out += r.text_of(d.note);
  }
  if (d.has_fix) out += " | " + at(d.fix) + '\'' + std::string(r.text_of(d.replacement)) + '\'';
  return out;
}
std::string shown(std::string_view source) {
  tessera::report r;
  (void)nem::read(source, {}, &r);
  std::string out;
  for (const tessera::diagnostic& d : r.diagnostics) out += (out.empty() ? "" : "\n") + shown(r, d);
  return out;
}

struct mistake {
  std::string_view source, expected;
};
const mistake mistakes[] = {
    // keywords, other languages' and misspelt ones
    {"progam p:",
     "SYN-008@0+6 expected a declaration, a task or a loop, got 'progam' | did you mean program? | "
     "0+6 'program'"},
    {"Program p:",
     "SYN-008@0+7 expected a declaration, a task or a loop, got 'Program' | did you mean program? "
     "| 0+7 'program'"},
    {"module p:",
     "SYN-008@0+6 expected a declaration, a task or a loop, got 'module' | did you mean program? | "
     "0+6 'program'"},
    {"bufer A : L2 (size=64)",
     "SYN-008@0+5 expected a declaration, a task or a loop, got 'bufer' | did you mean buffer? | "
     "0+5 'buffer'"},
    {"alloc A : L2 (size=64)",
     "SYN-008@0+5 expected a declaration, a task or a loop, got 'alloc' | did you mean buffer? | "
     "0+5 'buffer'"},
    {"CONST N = 4",
     "SYN-008@0+5 expected a declaration, a task or a loop, got 'CONST' | did you mean const? | "
     "0+5 'const'"},
    {"int N = 4",
     "SYN-008@0+3 expected a declaration, a task or a loop, got 'int' | did you mean const? | 0+3 "
     "'const'"},
    {"define N = 4",
     "SYN-008@0+6 expected a declaration, a task or a loop, got 'define' | did you mean const? | "
     "0+6 'const'"},
    {"var x = 3",
     "SYN-008@0+3 expected a declaration, a task or a loop, got 'var' | did you mean let? | 0+3 "
     "'let'"},
    {"Let R = region(A, 0, 8)",
     "SYN-008@0+3 expected a declaration, a task or a loop, got 'Let' | did you mean let? | 0+3 "
     "'let'"},
    {"lop i in [0..3]:\nendloop",
     "SYN-008@0+3 expected a declaration, a task or a loop, got 'lop' | did you mean loop? | 0+3 "
     "'loop'"},
    {"for i in [0..3]:\nendloop",
     "SYN-008@0+3 expected a declaration, a task or a loop, got 'for' | did you mean loop? | 0+3 "
     "'loop'"},
    {"for (i = 0; i < 4; i++) {\n}",
     "SYN-008@0+3 expected a declaration, a task or a loop, got 'for' | did you mean loop?"},
    {"for i in range(4):\n  let y = 3\nendloop",
     "SYN-008@0+3 expected a declaration, a task or a loop, got 'for' | did you mean loop?"},
    {"while x:",
     "SYN-008@0+5 expected a declaration, a task or a loop, got 'while': the only control flow is "
     "a loop over a range"},
    {"loop i in [0..3]:\nend",
     "SYN-008@18+3 expected a declaration, a task or a loop, got 'end' | did you mean endloop? | "
     "18+3 'endloop'"},
    {"loop i in [0..3]:\nend loop",
     "SYN-008@18+3 expected a declaration, a task or a loop, got 'end' | did you mean endloop? | "
     "18+8 'endloop'"},
    {"loop i in [0..3]:\nend_loop",
     "SYN-008@18+8 expected a declaration, a task or a loop, got 'end_loop' | did you mean "
     "endloop? | 18+8 'endloop'"},
    {"devise \"a.cfg\"",
     "SYN-008@0+6 expected a declaration, a task or a loop, got 'devise' | did you mean device? | "
     "0+6 'device'"},
    {"import \"a.nem\"",
     "SYN-008@0+6 expected a declaration, a task or a loop, got 'import' | did you mean include? | "
     "0+6 'include'"},
    {"include a.nem",
     "SYN-001@8+1 expected the path of a file, a string, got 'a' | for example: include "
     "\"npm_lite.cfg\""},
    {"device a.cfg",
     "SYN-001@8+1 expected a program, got '.': the names of files are in quotes | for example: "
     "device \"npm_lite.cfg\""},
    {"await(t)",
     "SYN-008@0+5 expected a declaration, a task or a loop, got 'await' | did you mean wait? | 0+5 "
     "'wait'"},
    {"while x",
     "SYN-008@0+5 expected a declaration, a task or a loop, got 'while': the only control flow is "
     "a loop over a range"},
    {"relu.sync in a out b attrs={axis=}",
     "SYN-001@33+1 expected an expression, got '}' | for example: t = relu.async in X out Y "
     "deps=[u]"},
    {"relu.sync in a out b attrs={deps=3}",
     "SYN-001@33+1 expected '[', got '3' | for example: deps=[t, u]"},
    {"print(\"x\")", "SYN-008@0+5 expected a declaration, a task or a loop, got 'print'"},
    // comments and marks
    {"/* a\n   let c = 3 4\n*/",
     "SYN-008@0+1 expected a declaration, a task or a loop, got '/': comments begin with '#'"},
    {"const N = 4 /* four */",
     "SYN-001@13+1 expected an expression, got '*': comments begin with '#' | for example: const N "
     "= 4"},
    {"// one\n// two",
     "SYN-008@0+1 expected a declaration, a task or a loop, got '/': comments begin with '#' | 0+2 "
     "'#'\nSYN-008@7+1 expected a declaration, a task or a loop, got '/': comments begin with '#' "
     "| 7+2 '#'"},
    {"/* a */ const N = 4",
     "SYN-008@0+1 expected a declaration, a task or a loop, got '/': comments begin with '#'"},
    {"const N = 4 ^ 2",
     "LEX-001@12+1 the character '^' is allowed only in comments and strings: expressions have + - "
     "* / mod"},
    {"const N = 1 << 6",
     "SYN-008@12+1 expected a declaration, a task or a loop, got '<': expressions have + - * / "
     "mod"},
    {"const N = 2**6",
     "SYN-001@12+1 expected an expression, got '*': there is no operator for powers | for example: "
     "const N = 4"},
    {"const N = .5",
     "SYN-001@10+1 expected an expression, got '.': numbers have digits on both sides of their "
     "point | for example: const N = 4"},
    {"const N = 1.",
     "SYN-008@11+1 expected a declaration, a task or a loop, got '.': numbers have digits on both "
     "sides of their point"},
    {"let x = 4KB", "LEX-004@8+3 malformed number '4KB': sizes are in bytes, without a unit"},
    {"let x = 1_000", "LEX-004@8+5 malformed number '1_000': digits aren't separated"},
    {"const N = 4, M = 5",
     "SYN-008@11+1 expected a declaration, a task or a loop, got ',': statements aren't separated "
     "by commas"},
    {"@main",
     "SYN-008@0+1 expected a declaration, a task or a loop, got '@': decorators follow what they "
     "apply to"},
    // declarations
    {"const N 4", "SYN-001@8+1 expected '=', got '4' | 7+0 ' ='"},
    {"const N := 4", "SYN-001@8+1 expected '=', got ':' | 8+2 '='"},
    {"const N : 4", "SYN-001@8+1 expected '=', got ':' | 8+1 '='"},
    {"const N: int = 4", "SYN-001@7+1 expected '=', got ':' | for example: const N = 4"},
    {"const int N = 4", "SYN-001@10+1 expected '=', got 'N' | for example: const N = 4"},
    {"const N = [1, 2]",
     "SYN-001@10+1 expected an expression, got '[': lists and strings are declared with let | for "
     "example: const N = 4"},
    {"N = 4",
     "SYN-008@0+1 expected a declaration, a task or a loop, got 'N': only regions and tasks are "
     "assigned without const or let | 0+0 'let '"},
    {"buffer A : L1(0)",
     "SYN-001@14+1 expected size= or align=, got '0': the index of an engine is in brackets, as in "
     "L1[0] (size=64) | for example: buffer B : L1[0] (size=64, align=16)"},
    {"buffer A : L1(0) (size=64)",
     "SYN-001@14+1 expected size= or align=, got '0': the index of an engine is in brackets, as in "
     "L1[0] (size=64) | 13+3 '[0]'"},
    {"buffer A : L2(64)",
     "SYN-001@14+2 expected size= or align=, got '64': as in (size=64, align=16) | for example: "
     "buffer B : L1[0] (size=64, align=16)"},
    {"buffer A : l2 (size=64)", "SYN-001@11+2 expected DDR, L2 or L1, got 'l2' | 11+2 'L2'"},
    {"buffer A : SRAM (size=64)",
     "SYN-001@11+4 expected DDR, L2 or L1, got 'SRAM' | for example: buffer B : L1[0] (size=64, "
     "align=16)"},
    {"buffer A : L2[0] (size=64)",
     "SYN-001@13+1 expected '(', got '[': only L1 has an index, which is its engine's | for "
     "example: buffer B : L1[0] (size=64, align=16)"},
    {"buffer A = L2 (size=64)", "SYN-001@9+1 expected ':', got '=' | 9+1 ':'"},
    {"buffer A ; L2 (size=64)", "SYN-001@9+1 expected ':', got ';' | 9+1 ':'"},
    {"buffer A : L2 size=64",
     "SYN-001@14+4 expected '(', got 'size' | for example: buffer B : L1[0] (size=64, align=16)"},
    {"buffer A : L2 (size: 64)", "SYN-001@19+1 expected '=', got ':' | 19+1 '='"},
    {"buffer A : L2 (bytes=64)",
     "SYN-001@15+5 expected size= or align=, got 'bytes' | 15+5 'size'"},
    {"buffer A : L2 (size=64 KB)",
     "SYN-001@23+2 expected ')', got 'KB': sizes are in bytes, without a unit | 14+1 to match this "
     "'('"},
    {"program p;", "SYN-001@9+1 expected ':', got ';' | 9+1 ':'"},
    // regions
    {"let R = region(A, 0, 8) elem=f16, shape[2, 2], layout=NK",
     "SYN-001@34+5 expected '=' after 'shape', got '[': as in shape=[2, 2] | 39+0 '='"},
    {"let R = region(A, 0, 8) elem: f16, shape=[4], layout=C",
     "SYN-001@24+4 expected '=' after 'elem', got ':': as in elem=f16 | 28+1 '='"},
    {"let R = region(A, 0, 8) elem=f16, shape=(2, 2), layout=NK",
     "SYN-001@40+1 expected '[', got '(' | for example: shape=[2, 2]"},
    {"let R = region(A, 0, 8) elem=\"f16\", shape=[4], layout=C",
     "SYN-001@29+5 expected an element type, got '\"f16\"' | for example: elem=f16"},
    {"let R = region(A, 0, 8) elem=i8, shape=[8], layout=C, quant=per_tensor(0.5, 0)",
     "SYN-001@71+3 expected a field of the descriptor, got '0.5' | for example: "
     "quant=per_tensor(scale=0.5, zero_point=0)"},
    {"let R = region(A, 0, 8), elem=f16, shape=[4], layout=C",
     "SYN-008@23+1 expected a type attribute or a statement, got ',': type attributes follow "
     "region(...) directly | 23+1 ''"},
    {"let R = region(A, 0, 8) : elem=f16, shape=[4], layout=C",
     "SYN-008@24+1 expected a type attribute or a statement, got ':': type attributes follow "
     "region(...) directly | 24+1 ''"},
    {"let R = region(A, 0, 8) dtype=f16, shape=[4], layout=C",
     "SYN-008@24+5 expected a declaration, a task or a loop, got 'dtype': element types are "
     "written as elem=..."},
    {"let R = region(A, 0:8)",
     "SYN-001@19+1 expected ',', got ':' | for example: region(B, 0, 8) elem=f16, shape=[2, 2], "
     "layout=NK"},
    {"let R = A[0:8]",
     "SYN-008@9+1 expected a declaration, a task or a loop, got '[': bytes of a buffer are written "
     "as region(B, 0, 8)"},
    {"let R = Region(A, 0, 8)",
     "SYN-008@14+1 expected a declaration, a task or a loop, got '(' | did you mean region? | 8+6 "
     "'region'"},
    {"let R = region(A, 0, 8) elem=i8, shape=[8], layout=Nregion(A, 8, 8)",
     "SYN-008@58+1 expected a declaration, a task or a loop, got '('"},
    {"const R = Region(A, 0, 8)", "SYN-008@16+1 expected a declaration, a task or a loop, got '('"},
    {"region R = (A, 0, 8)",
     "SYN-008@0+6 expected a declaration, a task or a loop, got 'region' | for example: let X = "
     "region(B, 0, 8) elem=f16, shape=[2, 2], layout=NK"},
    {"R : region(A, 0, 8)",
     "SYN-008@0+1 expected a declaration, a task or a loop, got 'R': names are assigned with '=' | "
     "2+1 '='"},
    // loops
    {"loop i in range(4):\nendloop",
     "SYN-001@10+5 expected '[', got 'range' | for example: loop i in [0..3] @max_in_flight(2):"},
    {"loop i in [0:3]:\nendloop",
     "SYN-001@12+1 expected '..', got ':': as in [0..3], where 0 and 3 are included | for example: "
     "loop i in [0..3] @max_in_flight(2):"},
    {"loop i in [0...3]:\nendloop",
     "SYN-001@14+1 expected an expression, got '.': as in [0..3], where 0 and 3 are included | "
     "14+1 ''"},
    {"loop i in [0..=3]:\nendloop",
     "SYN-001@14+1 expected an expression, got '=': as in [0..3], where 0 and 3 are included | "
     "14+1 ''"},
    {"loop i in [0..<3]:\nendloop",
     "SYN-001@14+1 expected an expression, got '<': as in [0..3], where 0 and 3 are included | for "
     "example: loop i in [0..3] @max_in_flight(2):"},
    {"loop i in [0..9 step 2]:\nendloop",
     "SYN-001@16+4 expected ']', got 'step': loops count up by 1 | 10+1 to match this '['"},
    {"loop i in [0..3];\nendloop", "SYN-001@16+1 expected ':', got ';' | 16+1 ':'"},
    {"loop i in [0..3] max_in_flight(2):\nendloop",
     "SYN-001@17+13 expected ':', got 'max_in_flight': decorators are written as @max_in_flight | "
     "17+0 '@'"},
    {"loop i in [0..3] @max_in_flight=2:\nendloop",
     "SYN-008@31+1 expected '(' after @max_in_flight, got '=': as in @max_in_flight(2) | 31+2 "
     "'(2)'"},
    {"loop i in [0..3] @max_in_flight 2:\nendloop",
     "SYN-008@32+1 expected '(' after @max_in_flight, got '2': as in @max_in_flight(2) | 31+2 "
     "'(2)'"},
    // tasks
    {"transfer(dst=Y, src=X)",
     "SYN-001@8+1 expected '.async' or '.sync', got '(': as in transfer.async(dst=Y, src=X)"},
    {"t = store(dst=Y, src=X)",
     "SYN-001@9+1 expected '.async' or '.sync', got '(': as in store.async(dst=Y, src=X)"},
    {"t = transfer.Async(dst=Y, src=X)",
     "SYN-001@13+5 expected async or sync, got 'Async' | 13+5 'async'"},
    {"t := transfer.async(dst=Y, src=X)",
     "SYN-008@0+1 expected a declaration, a task or a loop, got 't': names are assigned with '=' | "
     "2+2 '='"},
    {"let t = transfer.async(dst=Y, src=X)",
     "SYN-001@8+8 expected an expression, got 'transfer': tokens are assigned without const or let "
     "| 0+4 ''"},
    {"const t = relu.async in X out Y",
     "SYN-001@10+4 expected an expression, got 'relu': tokens are assigned without const or let | "
     "0+6 ''"},
    {"t = copy.async(dst=Y, src=X)",
     "SYN-001@14+1 expected 'in', got '(': only transfer and store take parentheses | did you mean "
     "transfer? | 4+4 'transfer'"},
    {"Transfer.async(dst=Y, src=X)",
     "SYN-001@14+1 expected 'in', got '(': only transfer and store take parentheses | did you mean "
     "transfer? | 0+8 'transfer'"},
    {"t = relu.async(X, Y)",
     "SYN-001@14+1 expected 'in', got '(': only transfer and store take parentheses | for example: "
     "t = relu.async in X out Y deps=[u]"},
    {"t = relu(X)",
     "SYN-008@0+1 expected a declaration, a task or a loop, got 't': relu is written as relu.async "
     "or .sync | for example: t = relu.async in X out Y deps=[u]"},
    {"relu X, Y",
     "SYN-008@0+4 expected a declaration, a task or a loop, got 'relu': relu is written as "
     "relu.async or .sync | for example: t = relu.async in X out Y deps=[u]"},
    {"t = softmax.async X, Y",
     "SYN-001@18+1 expected 'in', got 'X' | for example: t = softmax.async in X out Y axis=1 "
     "deps=[u]"},
    {"t = relu.async in X, out Y", "SYN-001@21+3 expected a region, got 'out' | 19+1 ''"},
    {"t = softmax.async in X out Y, axis=-1",
     "SYN-008@34+1 expected a declaration, a task or a loop, got '=': attributes are separated by "
     "blanks | 28+1 ''"},
    {"t = relu.async in X,out Y", "SYN-001@20+3 expected a region, got 'out' | 19+1 ' '"},
    {"t = softmax.async in X out Y,axis=-1",
     "SYN-008@33+1 expected a declaration, a task or a loop, got '=': attributes are separated by "
     "blanks | 28+1 ' '"},
    {"t = mha.async in X out Y num_heads=2,axis=-1",
     "SYN-001@36+1 expected an attribute or a statement, got ',': attributes are separated by "
     "blanks "
     "| 36+1 ' '"},
    {"t = softmax.async in X out Y axis:1",
     "SYN-008@29+4 expected a declaration, a task or a loop, got 'axis': attributes are written as "
     "axis=..."},
    {"t = relu.async in X out Y deps[t]",
     "SYN-008@26+4 expected a declaration, a task or a loop, got 'deps': as in deps=[t, u]"},
    {"wait t", "SYN-001@5+1 expected '(', got 't' | for example: wait(t, u)"},
    {"wait[t]", "SYN-001@4+1 expected '(', got '[' | for example: wait(t, u)"},
    // arguments
    {"transfer.async(X, Y)",
     "SYN-001@15+1 expected dst=, src= or deps=, got 'X': arguments are named, as in dst=Y, src=X "
     "| for example: t = transfer.async(dst=Y, src=X, deps=[u])"},
    {"transfer.async(dest=Y, src=X)",
     "SYN-001@15+4 expected dst=, src= or deps=, got 'dest' | did you mean dst? | 15+4 'dst'"},
    {"transfer.async(from=X, to=Y)",
     "SYN-001@15+4 expected dst=, src= or deps=, got 'from' | did you mean src? | 15+4 "
     "'src'\nSYN-001@23+2 expected dst=, src= or deps=, got 'to' | did you mean dst? | 23+2 'dst'"},
    {"transfer.async(dst: Y, src=X)", "SYN-001@18+1 expected '=', got ':' | 18+1 '='"},
    {"transfer.async(dst=Y, src=X, deps=t)",
     "SYN-001@34+1 expected '[', got 't': deps is a list of tokens | 34+1 '[t]'"},
    {"transfer.async(dst=Y, src=X, deps=(t))",
     "SYN-001@34+1 expected '[', got '(': deps is a list of tokens | 34+3 '[t]'"},
    {"transfer.async(dst=Y, src=X, deps[t])", "SYN-001@33+1 expected '=', got '[' | 33+0 '='"},
    {"transfer.async(dst=Y, src=X, deps=[\"t\"])",
     "SYN-001@35+3 expected the name of a token, got '\"t\"': tokens are names, without quotes | "
     "35+3 't'"},
    {"transfer.async(dst=Y, src=X, deps=[t,])",
     "SYN-001@37+1 expected the name of a token, got ']' | 36+1 ''"},
    {"transfer.async(dst=Y, src=X) deps=[t]",
     "SYN-008@29+4 expected a declaration, a task or a loop, got 'deps': deps belongs in the "
     "parentheses of transfer and store"},
    {"transfer.async(dst=Y[0], src=X)",
     "SYN-001@20+1 expected ')', got '[': bytes of a buffer are written as region(B, 0, 8) | 14+1 "
     "to match this '('"},
    {"transfer.async(dst=region(B, 0, 8), elem=f16, shape=[4], src=X)",
     "SYN-001@36+4 expected dst=, src= or deps=, got 'elem': no comma precedes the type attributes "
     "of a region | for example: t = transfer.async(dst=Y, src=X, deps=[u])"},
    // decorators
    {"transfer.async(dst=Y, src=X) @resource[DMA[0]]",
     "SYN-008@38+1 expected '(' after @resource, got '[': as in @resource(CSTL[0]) | 38+8 "
     "'(DMA[0])'"},
    {"transfer.async(dst=Y, src=X) @resource DMA[0]",
     "SYN-008@39+3 expected '(' after @resource, got 'DMA': as in @resource(CSTL[0]) | 38+7 "
     "'(DMA[0])'"},
    {"transfer.async(dst=Y, src=X) @resource=DMA[0]",
     "SYN-008@38+1 expected '(' after @resource, got '=': as in @resource(CSTL[0]) | 38+7 "
     "'(DMA[0])'"},
    {"transfer.async(dst=Y, src=X) @resource(DMA 0)",
     "SYN-001@43+1 expected ')', got '0': as in @resource(CSTL[0]) | 38+1 to match this '('"},
    {"transfer.async(dst=Y, src=X) @memmove()",
     "SYN-001@38+1 expected an expression, got ')': it takes no argument | 37+2 ''"},
    {"transfer.async(dst=Y, src=X) memmove",
     "SYN-008@29+7 expected a declaration, a task or a loop, got 'memmove': decorators are written "
     "as @memmove | 29+0 '@'"},
    // names of MLIR
    {"%0 = relu.async in X out Y",
     "LEX-001@0+1 the character '%' is allowed only in comments and strings: names have no '%'"},
    {"t = relu.async in %x out Y",
     "LEX-001@18+1 the character '%' is allowed only in comments and strings: names have no '%' | "
     "18+1 ''"},
    // the end of the file in a mark
    {"/* a */ /",
     "SYN-008@0+1 expected a declaration, a task or a loop, got '/': comments begin with "
     "'#'\nSYN-008@8+1 expected a declaration, a task or a loop, got '/'"},
    {"/* a *//",
     "SYN-008@0+1 expected a declaration, a task or a loop, got '/': comments begin with "
     "'#'\nSYN-008@7+1 expected a declaration, a task or a loop, got '/': comments begin with '#'"},
};

}  // namespace

TEST_CASE("nem/mistakes: what ends with the file", "[nem]") {
  CHECK(shown("/* never") ==
        "SYN-008@0+1 expected a declaration, a task or a loop, got '/': comments begin with '#'");
  CHECK(shown("layernorm.sync in a out b epsilon=") ==
        "SYN-001@34+0 expected an expression, got the end of the file | for example: t = "
        "layernorm.async in X out Y axis=1 epsilon=0.5 deps=[u]");
  CHECK(shown("argmax.sync in a out b keepdims=") ==
        "SYN-001@32+0 expected an expression, got the end of the file | for example: t = "
        "argmax.async in X out Y axis=1 keepdims=true deps=[u]");
}

TEST_CASE("nem/mistakes: messages, places, examples and fixes", "[nem]") {
  for (const mistake& m : mistakes) {
    INFO(m.source);
    CHECK(shown(m.source) == m.expected);
  }
}

TEST_CASE("nem/mistakes: where all have a fix, the fixed text is read", "[nem]") {
  std::size_t fixed = 0;
  for (const mistake& m : mistakes) {
    tessera::report r;
    CHECK_FALSE(nem::read(m.source, {}, &r));
    std::string text(m.source);
    bool all = true;
    for (std::size_t i = r.diagnostics.size(); i-- != 0;) {  // the last one first
      const tessera::diagnostic& d = r.diagnostics[i];
      all = all && d.has_fix;
      if (d.has_fix) text.replace(d.fix.offset, d.fix.length, r.text_of(d.replacement));
    }
    if (!all) continue;
    CAPTURE(m.source, text);
    CHECK(nem::read(text));
    ++fixed;
  }
  CHECK(fixed > 50);
}

TEST_CASE("nem/mistakes: what follows a mistake is read", "[nem]") {
  // Further mistakes are found in statements of each kind, also in those that begin with a misspelt word.
  const std::string_view others[] = {"const LAST = 4 4", "bufer LAST : L2 (size=4)", "last : 3",
                                     "t = transfer(dst=a, src=b)", "wait t"};
  for (const mistake& m : mistakes)
    for (const std::string_view other : others) {
      const std::string source = std::string(m.source) + '\n' + std::string(other) + '\n';
      tessera::report alone, both;
      (void)nem::read(m.source, {}, &alone);
      (void)nem::read(source, {}, &both);
      CAPTURE(source);
      CHECK(both.errors == alone.errors + 1);
      CHECK(both.diagnostics.back().where.offset > m.source.size());
    }
}

TEST_CASE("nem/mistakes: what follows a family's braces is read, on its line too", "[nem]") {
  for (const std::string_view between : {" ", "\n", "; "}) {
    const std::string source = "type_family f { 1 }" + std::string(between) + "last : 3";
    CAPTURE(source);
    tessera::report r;
    CHECK_FALSE(nem::read(source, {}, &r));
    REQUIRE(r.errors == 2);
    CHECK(r.diagnostics[0].where.offset == 16);
    CHECK(r.diagnostics[1].where.offset == source.find("last"));
  }
}

TEST_CASE("nem/mistakes: lines that belong to the statement with the error begin none", "[nem]") {
  // Attributes, arguments and operands on lines of their own, indented or not.
  for (const std::string_view source :
       {"relu.async in X, in\n  out Y\n  axis=1\n  deps=[t]", "relu.async X\nin X\nout Y\naxis=1",
        "transfer.async(dst=,\nsrc=X,\ndeps=[t]\n)",
        "let R = region(B, 0) elem=f16,\nshape=[4],\nlayout=C", "buffer B : L2 (\nsize=,\nalign=4)",
        "const N = (1 +\n2 2\n+ M)",
        "let R = region(B, 0, 8) elem=i8, shape=[8], quant=per_tensor(scale=,\nscale=1, "
        "zero_point=0)"}) {
    tessera::report r;
    CHECK_FALSE(nem::read(source, {}, &r));
    CAPTURE(source);
    CHECK(r.errors == 1);
  }
}

TEST_CASE("nem/mistakes: an example is of the statement, or of what is wrong in it", "[nem]") {
  const auto note = [](std::string_view source) {
    tessera::report r;
    (void)nem::read(source, {}, &r);
    REQUIRE(r.diagnostics.size() == 1);
    return std::string(r.text_of(r.diagnostics[0].note));
  };
  const std::string prefix = "for example: ";
  CHECK(note("include") == prefix + "include \"npm_lite.cfg\"");
  CHECK(note("device") == prefix + "device \"npm_lite.cfg\"");
  CHECK(note("program :") == prefix + "program p:");
  CHECK(note("const =") == prefix + "const N = 4");
  CHECK(note("let =") == prefix + "let N = 4");
  CHECK(note("store.async") == prefix + "t = store.async(dst=Y, src=X, deps=[u])");
  CHECK(note("t = store.async") == prefix + "t = store.async(dst=Y, src=X, deps=[u])");
  CHECK(note("concat.async in") == prefix + "t = concat.async in X, ... out Y axis=1 deps=[u]");
  CHECK(note("conv2d.sync out") ==
        prefix +
            "t = conv2d.async in X, W out Y pads=[...] strides=[...] dilations=[...] "
            "accum_type=f32 deps=[u]");
  CHECK(note("unknown.sync out") == prefix + "t = relu.async in X out Y deps=[u]");
  CHECK(note("transfer.async(dst=region(B))") ==
        prefix + "region(B, 0, 8) elem=f16, shape=[2, 2], layout=NK");
  CHECK(note("transfer.async(dst=region(B, 0, 8) elem=1)") == prefix + "elem=f16");
  CHECK(note("type_family f").empty());
}

TEST_CASE("nem/mistakes: long lines take linear time", "[nem]") {
  // 1000 errors on one line of a megabyte; a step for each character of it, for each, were 10^9.
  nem::read_options all;
  all.max_errors = 1000;
  std::string source;
  for (int i = 0; i < 1000; ++i) source += "; x (" + std::string(1000, ' ');
  tessera::report r;
  CHECK_FALSE(nem::read(source, all, &r));
  CHECK(r.errors == 1000);
}
