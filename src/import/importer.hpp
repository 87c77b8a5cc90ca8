// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// From an exported program to a container: one walk over the nodes.
//
//   importer(program, options, &found).run();
//
//   pt2.cpp        the nodes and the outputs
//   arguments.cpp  what an argument of a node is in a container
//   aliases.cpp    which results are views of others, where a program writes in place
//   weights.cpp    inputs, parameters, and the buffers that keep their value
//   bodies.cpp     nodes with graphs of their own
//   repeated.cpp   while_loop
//   autocast.cpp   bodies in which operands are cast
//
// Lifetime:   borrows the program.
// Errors:     pt2_import_*, in the report.
// Limits:     those of the format.
// Allocation: linear in the nodes, those of loops as often as they run.

#ifndef TESSERA_IMPORT_IMPORTER_HPP
#define TESSERA_IMPORT_IMPORTER_HPP

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/container.hpp"
#include "import/views.hpp"
#include "tessera/core/findings.hpp"
#include "tessera/transform/import.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

[[nodiscard]] constexpr bool is_complex(pt2::element_type t) noexcept {
  return t == pt2::element_type::complex64 || t == pt2::element_type::complex128;
}
/// The type of the parts of complex elements, or of other elements.
[[nodiscard]] constexpr pt2::element_type parts_type(pt2::element_type t) noexcept {
  return t == pt2::element_type::complex64    ? pt2::element_type::float32
         : t == pt2::element_type::complex128 ? pt2::element_type::float64
                                              : t;
}

class importer : container_builder {
 public:
  importer(const pt2::program& p, const import_options& options, report* found);
  [[nodiscard]] result<imported> run();

 private:
  using instructions = std::vector<std::uint32_t>;
  static constexpr std::uint64_t most_unrolled = 1u << 22;  // nodes of bodies, as often as they run

  // ---- what is refused

  /// Begins a finding about a node: its name, its operation, its module, its line of Python.
  detail::findings::writer refuse(errc code, const pt2::node& n);
  void refuse_count(std::string_view what, std::uint64_t most);
  /// Refuses more of anything than a container can number.
  void check_counts();

  // ---- nodes (pt2.cpp)

  /// The type of a value that is a tensor; unknown for numbers.
  [[nodiscard]] pt2::element_type type_of_value(std::uint32_t v) const;
  [[nodiscard]] bool is_used(std::uint32_t v) const { return p_.definition_of(v).uses != 0; }
  std::uint32_t take(std::uint32_t list, std::size_t element);
  void nodes_of(const pt2::graph& g);
  void node(const pt2::node& n);
  /// Whether an operation only checks what holds for every run, or says what is known of it.
  [[nodiscard]] static bool is_assertion(std::string_view target) noexcept;
  /// What a container calls an operation.
  [[nodiscard]] const std::string& canonical(std::string_view target);
  /// The results of an instruction: one, or elements of a list.
  void bind_outputs(const pt2::node& n, std::uint32_t instruction);
  void bind_all(const pt2::node& n, std::uint32_t instruction);
  /// Whether OUTPUT has an operand for it: for tensors and numbers, not for None.
  [[nodiscard]] bool is_operand(const pt2::output_spec& o) const;
  void output(nac::output variant, const instructions& results);
  void outputs();

  // ---- arguments (arguments.cpp)

  /// All arguments of a node by position. False: reported.
  [[nodiscard]] bool append_all(const pt2::node& n, operands& to);
  /// Appends what an argument is in a container: one operand, or one for each element of a list of
  /// results. False: reported.
  [[nodiscard]] bool append(const pt2::node& n, const pt2::argument& a, operands& to);
  [[nodiscard]] bool append_result(const pt2::node& n, const pt2::argument& a, operands& to);
  [[nodiscard]] bool append_positioned(const pt2::node& n, const pt2::argument& a, bool is_last,
                                       operands& to);
  void append_integers(const pt2::argument& a, operands& to);
  void append_complex(const pt2::node& n, const pt2::argument& a, operands& to);
  void append_reals(const pt2::argument& a, operands& to);
  void append_booleans(const pt2::argument& a, operands& to);
  /// What a parameter is where it isn't given.
  void append_default(const pt2::parameter& p, operands& to);
  [[nodiscard]] bool cannot(const pt2::node& n, const pt2::argument& a);
  /// The instruction of a result or a constant.
  [[nodiscard]] std::uint32_t instruction_of(const operand& o);
  [[nodiscard]] operand stacked(const operands& numbers);
  /// A constant that is a number; letter 'T' for others.
  [[nodiscard]] operand number_of(const pt2::argument& a);
  [[nodiscard]] operand list_of(const std::vector<std::uint32_t>& values);
  [[nodiscard]] operand name_of(pt2::element_type t);
  [[nodiscard]] operand whole(std::int64_t v) { return {'i', none, integer(v)}; }

  // ---- what shares elements (aliases.cpp)

  /// Which values share elements with others, and which buffers and values are written.
  void find_writes();
  void share_base(const pt2::argument& o, std::uint32_t of);
  /// Makes a node that may give a view what it is, if something writes to its elements.
  [[nodiscard]] bool settled_alias(const pt2::node& n);

  // ---- inputs, parameters, states (weights.cpp)

  struct changed_state {
    std::uint32_t value;        ///< of the program's input
    std::uint32_t instruction;  ///< INPUT 2
    std::string_view buffer;
    pt2::element_type type;  ///< of the elements or, where those are complex, of their parts
    std::uint32_t length;    ///< how many numbers of 32 bits
  };
  void inputs();
  void user_input(std::uint32_t v);
  [[nodiscard]] std::uint32_t complex_of_pairs(std::uint32_t pairs, pt2::element_type type);
  [[nodiscard]] std::uint32_t pairs_of_complex(std::uint32_t value, pt2::element_type type);
  void parameter(std::uint32_t input, const pt2::input_spec& s, std::uint32_t v);
  /// The shape of a weight. A view may repeat its storage, but not without end: false, reported.
  [[nodiscard]] bool shape_of(const pt2::stored_tensor& stored, std::vector<std::uint32_t>& shape);
  /// A buffer's value: that of the run before or, in the first one, of the archive.
  [[nodiscard]] std::uint32_t state(std::uint32_t v, std::uint32_t initial, std::string_view buffer,
                                    const std::vector<std::uint32_t>& shape);
  /// Keeps what the buffers hold at the end of a run.
  void keep_states();

  // ---- bodies (bodies.cpp, repeated.cpp, autocast.cpp)

  [[nodiscard]] const pt2::graph& body(const pt2::argument& a) const {
    return m_.graphs[static_cast<std::size_t>(a.integer)];
  }
  void with_bodies(const pt2::node& n, std::string_view name);
  /// The instructions that give arguments, without None. False: reported.
  [[nodiscard]] bool results_of(const pt2::node& n, view<pt2::argument> given, instructions& out);
  [[nodiscard]] bool results_of(const pt2::node& n, const pt2::argument& list, instructions& out);
  /// What a body gives for operands. False: reported.
  [[nodiscard]] bool run_body(const pt2::node& n, const pt2::graph& g, const instructions& given,
                              instructions& out);
  void bind(const pt2::node& n, const instructions& results);
  /// Whether a node's first arguments are of these kinds; reported if not.
  [[nodiscard]] bool expect_kinds(const pt2::node& n,
                                  std::initializer_list<pt2::argument_kind> kinds,
                                  std::string_view expected);
  /// Whether an operation with effects only checks something.
  [[nodiscard]] bool is_effect_an_assertion(const pt2::node& n) const;
  void inlined(const pt2::node& n);
  void conditional(const pt2::node& n);
  void branch(const pt2::node& n, const pt2::graph& g, const instructions& given);
  [[nodiscard]] std::optional<std::uint64_t> steps_of(const pt2::node& n,
                                                      const pt2::argument& list);
  void count_step(std::uint64_t nodes);
  void select_all(const instructions& from, std::uint64_t place, instructions& to);
  [[nodiscard]] std::uint32_t joined(const instructions& all, bool is_stack);
  void mapped(const pt2::node& n);
  void scanned(const pt2::node& n);
  void loop(const pt2::node& n, const pt2::graph& g, instructions carried,
            const pt2::argument& over, const pt2::argument& same);
  void repeated(const pt2::node& n);
  void autocast(const pt2::node& n);
  /// What a node's floating-point operands are cast to within an autocast; unknown: nothing.
  [[nodiscard]] pt2::element_type cast_of(const pt2::node& n) const;

  const pt2::program& p_;
  const pt2::model& m_;
  const import_options& options_;
  detail::findings found_;
  std::shared_ptr<gathered_views> views_;
  std::vector<std::uint32_t> at_;  // by value: the instruction that gives it
  std::map<std::string, std::uint32_t> parameters_;
  std::map<std::string_view, std::string> names_;  // of operations in a container
  std::set<std::string_view> changed_;             // names of buffers
  std::vector<std::uint32_t> base_;  // by value: the first one that may have the same elements
  std::set<std::uint32_t> written_;  // those that forms in place write to
  std::vector<changed_state> states_;
  std::size_t user_outputs_ = 0;  // operands of OUTPUT
  std::uint64_t unrolled_ = 0;
  std::uint16_t last_state_ = 0;
  bool has_refused_count_ = false;
  // Within an autocast: its type, and what operands are cast to.
  pt2::element_type autocast_ = pt2::element_type::unknown;
  pt2::element_type cast_ = pt2::element_type::unknown;
};

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IMPORT_IMPORTER_HPP
