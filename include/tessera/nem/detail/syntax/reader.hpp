// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reader of NEM: recursive descent, whose members are the productions of
// the grammar.
//
//   result<model> m = nem::detail::reader(source, options, &found).read();
//
// A production takes its tokens and appends its nodes:
//
//   const std::uint32_t n = put(node_kind::size, 0, at_);
//   take_word(w);
//   if (!expect('=') || !expression()) return false;     // reported
//   finish(n);
//
// It returns false once it reported an error that it can't go on from; what
// called it returns false in turn, up to the statement, after which reading
// resumes. Nothing recurses on the source: loops, expressions and lists keep
// what is open in arrays as long as the nesting limit allows.
//
// Bodies: read.hpp (documents, statements), read_program.hpp (declarations,
// loops, tasks), read_value.hpp (expressions, lists, regions), read_config.hpp
// (type families, devices), read_token.hpp (nodes, errors, numbers, strings)
// and read_mistakes.hpp (what authors write who come from other languages, and
// where reading resumes).
//
// Lifetime:   borrows the source.
// Errors:     LEX-*, SYN-*, TYP-001, OPC-007, DEV-011 and DEV-012, into the report.
// Limits:     limits::max_items nodes; 256 nested loops, and parentheses, signs and lists.
// Allocation: the model.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READER_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/error.hpp"
#include "../../../core/pool.hpp"
#include "../../../core/text.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "../../read.hpp"
#include "../../rule.hpp"
#include "lexer.hpp"
#include "read_names.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// How many nested constructs of one kind a file may have.
inline constexpr std::uint32_t max_nesting = 256;
/// How many diagnostics a report keeps.
inline constexpr std::size_t max_findings = 1000;

/// The place of a region, which decides what may follow it.
enum class region_place : std::uint8_t { declaration, argument, operand };

class reader : private lexer {
 public:
  reader(std::string_view source, const read_options& options, tessera::report* found);

  /// All statements of the source.
  result<model> read();

 private:
  // --- what productions keep ---

  /// The fields of something that are given so far, each at most once.
  struct fields {
    std::uint32_t seen = 0;  ///< bit n is field n
    std::uint32_t first[8] = {};
    std::uint16_t length[8] = {};
  };
  /// An operator or parenthesis whose right side is being read.
  struct open_operator {
    node_kind kind = node_kind::expression;  ///< of a parenthesis
    std::uint8_t precedence = 0;
    const char* first = nullptr;  ///< of its left operand, or of itself
  };
  struct open_loop {
    std::uint32_t loop, body;
  };
  enum type_field : std::uint8_t { f_elem, f_shape, f_layout, f_strides, f_quant, f_none };
  /// The word and the `=` of a type attribute.
  struct type_word {
    word name;
    type_field field;
    const char* equals;
  };
  enum device_item : std::uint8_t {
    item_spec_version,
    item_topology,
    item_characteristics,
    item_opcode,
    item_extended,
    item_none
  };
  static constexpr std::uint32_t none = 0xffffffff;  ///< no offset

  // --- documents: read.hpp ---

  [[gnu::cold]] void report_progress();
  /// A directive, a declaration, a task, `loop` or `endloop`.
  bool statement();
  /// include "path"
  bool include(word w);
  /// program name:
  bool header(word w);
  /// device name, device "path", or device name { … }
  bool device_or_directive(word w);
  [[nodiscard]] static bool is_extends(word w) noexcept {
    return w.size == 7 && w.key == make_key("extends");
  }
  [[gnu::cold]] void bad_directive(word w);
  [[gnu::cold]] void note_first(findings::writer out, std::uint32_t first, std::string_view text);
  /// Notes that the file is a program.
  void begin_statement() {
    if (first_statement_ == none) [[unlikely]]
      begin_first_statement();
  }
  [[gnu::cold]] void begin_first_statement();
  /// Notes that the file has a family; after what belongs in a program that is
  /// an error.
  [[gnu::cold]] void begin_family();
  /// What belongs in a program, after families or several devices.
  void mix_with_config();
  [[gnu::cold]] void mixed(std::string_view text, std::uint32_t first, std::string_view note);

  // --- declarations, loops and tasks: read_program.hpp ---

  /// const N = e
  [[gnu::cold]] bool constant_statement(word start);
  /// let N = v, or let N = region(…) …
  bool let_statement(word start);
  bool region_declaration(word start, std::uint32_t i);
  /// buffer N : L1[e] (size=e, align=e)
  [[gnu::cold]] bool buffer_statement(word start);
  [[gnu::cold]] bool buffer_properties(std::uint32_t buffer);

  /// loop v in [lo..hi]:
  [[gnu::cold]] bool loop_statement(word start);
  [[gnu::cold]] bool loop_header(std::uint32_t i);
  /// Ends the innermost loop; at_ is at `endloop`.
  [[gnu::cold]] void end_loop(word w);
  /// At the end of the file.
  void check_loops();

  /// X = region(…) … or X = task, at the name.
  bool assigned_statement(word w, keyword k, const char* equals);
  bool task(const char* first, std::uint32_t token_name, word callee, keyword k);
  /// transfer.async(dst=…, src=…, deps=[…])
  bool transfer(node_kind kind, const char* first, std::uint32_t token_name, word callee);
  /// wait(a, b)
  bool wait(const char* first, std::uint32_t token_name, word callee);
  /// relu.async in X out Y axis=1 deps=[…]
  bool compute(const char* first, std::uint32_t token_name, word callee);
  /// .async or .sync
  bool mode_of(std::uint32_t i);
  /// in X, Y or out X, Y
  bool operands(node_kind kind, std::string_view expected);
  [[nodiscard]] bool at_word_out() const noexcept { return peek_word().key == make_key("out"); }
  /// A name or a region, then decorators.
  bool operand(region_place where);
  /// deps=[a, b] at the word.
  bool deps(const char* equals);
  bool tokens();

  bool attribute_of_task(word w, keyword k, const char* equals);
  bool named_attribute(word w, keyword k, const char* equals);
  /// attrs={ k=v, … }, which leaves no trace.
  bool attributes_in_braces(const char* equals);
  /// Finds attributes that are given twice.
  void note_attribute(word w, std::uint32_t name_index);
  [[gnu::cold]] void repeated_attribute(word w, std::uint32_t name_index);
  /// Marks a name; whether it is marked already since next_marks().
  bool mark(std::uint32_t name_index);
  void next_marks() noexcept { ++mark_; }
  void grow_marks() { marks_.resize(2 * d_.names.size()); }

  [[nodiscard]] static bool is_of_task(const node& n) noexcept;
  /// Without attributes, decorators of a task follow its last operand: they
  /// become the task's.
  void hoist(std::uint32_t output);
  /// The decorators from node `first` on: those of the operand before those of
  /// the task.
  [[gnu::cold]] void partition(std::uint32_t first);

  /// Takes a comma; reports one that is missing before a field and its `=`.
  bool comma_before(bool (*is_field)(word));
  [[nodiscard]] static unsigned argument_of(word w) noexcept;
  [[gnu::cold]] void missing_arguments(std::uint32_t i, std::uint32_t seen);
  // --- mistakes: read_mistakes.hpp ---

  /// After an error in the statement at `first`: an example of its right form,
  /// and then to where the next statement begins.
  [[gnu::cold]] void after_error(const char* first);
  /// Adds an example of what has an error, where the error has no note and no
  /// fix.
  [[gnu::cold]] void note_form(const char* first);
  void statement_form(const char* first, text& out) const;
  [[nodiscard]] bool is_let_of_region(word w) const noexcept;
  static void task_form(opcode op, text& out);
  /// What has an error, as messages show it. Productions inside of others come
  /// first. Returns false.
  [[gnu::cold]] bool as_in(std::string_view form) noexcept {
    if (form_.empty()) form_ = form;
    return false;
  }
  [[gnu::cold]] void recover(const char* first);
  /// Whether a statement begins with the word here. The words of declarations
  /// and loops do so anywhere if what follows fits; others at the beginning of
  /// a line that isn't indented more than the statement with the error,
  /// `is_outer`.
  [[nodiscard]] bool may_begin(word w, bool new_line, bool is_outer) const noexcept;
  [[nodiscard]] bool may_begin_outer(word w, const char* next) const noexcept;
  /// The blanks before what is the first of its line.
  [[nodiscard]] std::size_t indent_of(const char* p) const noexcept;
  /// A comment of another language, all of it. False if none is here.
  bool skip_other_comment();

  /// What begins no statement and is no word.
  [[gnu::cold]] bool bad_mark();
  /// A word that begins no statement, and what follows it.
  [[gnu::cold]] bool bad_statement(word w, const char* next);
  /// The statement that a word was meant to begin, if what follows it fits.
  [[gnu::cold]] bool meant_statement(word w, keyword k);
  /// The end of `end loop` or `end for`, else null.
  [[nodiscard]] const char* end_of_loop(word w) const noexcept;
  [[nodiscard]] bool fits(keyword k, const char* next) const noexcept;
  /// A loop of another language, up to its body.
  [[gnu::cold]] bool other_loop(word w);
  /// The error for a word that begins no statement. Returns false.
  [[gnu::cold]] bool no_statement();
  [[gnu::cold]] void no_statement(findings::writer out, word w);
  /// `(` after a word that is nearly `region`.
  [[gnu::cold]] void misspelt_region(findings::writer out);
  /// What is assigned that isn't a region or a task.
  [[gnu::cold]] void no_assignment(findings::writer out, word w, const char* equals);
  /// `t: x` and `t := x`, which are reported and read as `t = x`. Null if the
  /// word has no colon.
  [[nodiscard]] const char* colon_assignment(word w, const char* next);
  /// let t = transfer.async(…), which is reported and read without `let`.
  [[gnu::cold]] bool declared_task(std::uint32_t i, word declared);

  /// Whether a word is `in` or `out` in upper case, as older texts have it. It
  /// is reported, and reading goes on.
  [[gnu::cold]] bool is_upper_case(word w, std::string_view lower);
  /// What is in place of .async and .sync; false if reading can't go on.
  [[gnu::cold]] bool bad_mode(std::uint32_t i);
  /// Parentheses after what isn't a transfer. True if a transfer was meant,
  /// which reading goes on with.
  [[gnu::cold]] bool no_operands(word callee, keyword& meant);
  /// in X, out Y
  [[gnu::cold]] void comma_before_out();
  /// A comma between attributes: reported, and where an attribute follows
  /// reading goes on.
  [[gnu::cold]] bool stray_comma();
  /// The last operand is an attribute after a comma. Reported; it is read
  /// again, as an attribute.
  [[gnu::cold]] bool attribute_as_operand(std::uint32_t task);
  /// What is in place of an argument of a transfer; where its meaning is clear,
  /// the field and its `=`.
  [[gnu::cold]] bool bad_argument(word w, unsigned& field, const char*& equals);
  /// What is in place of the list of tokens: one without brackets, or with
  /// others.
  [[gnu::cold]] bool bad_deps();
  /// What is in place of a token; true if reading goes on after it.
  [[gnu::cold]] bool bad_token();
  [[gnu::cold]] bool bad_level(std::uint32_t i, word& w);
  [[gnu::cold]] bool bad_property(std::uint32_t buffer, word& w);
  /// `..`, and not `...`, `..=` or `..<`.
  [[nodiscard]] bool at_range() const noexcept {
    return end_ - at_ >= 2 && at_[0] == '.' && at_[1] == '.' &&
           (end_ - at_ == 2 || (at_[2] != '.' && at_[2] != '=' && at_[2] != '<'));
  }
  [[gnu::cold]] bool bad_range();
  [[gnu::cold]] bool bad_loop_end();
  /// @name[…], @name=…, @name N and @name UNIT[N], which are reported and read
  /// over.
  [[gnu::cold]] void bad_decorator_argument(word w);
  [[nodiscard]] bool at_decorator_argument(word w) const noexcept;
  /// @name(), which is reported; reading goes on.
  [[gnu::cold]] bool empty_argument(word w);
  [[nodiscard]] static std::string_view decorator_form(word w) noexcept;
  /// The end of what is in brackets at `p`, or null if they aren't closed in
  /// this statement.
  [[nodiscard]] const char* after_brackets(const char* p) const noexcept;
  /// shape[…] and shape: […]: reported, and read with `=`. False if neither is
  /// here.
  [[gnu::cold]] bool no_equals(type_word& t);
  /// region(…), elem=… and region(…) : elem=…, which are reported and read without the mark.
  [[gnu::cold]] bool mark_before_type();
  /// Whether `=` or `:` is replaced by the other one; then it is reported and
  /// taken.
  [[gnu::cold]] bool is_other_mark(char c);
  /// What a mark here may mean.
  [[nodiscard]] std::string_view mark_hint(std::string_view expected) const noexcept;
  /// What a word after a number may mean.
  [[nodiscard]] std::string_view unit_hint() const noexcept;
  [[nodiscard]] static bool is_byte_unit(std::string_view w) noexcept;

  // --- expressions, lists, decorators and regions: read_value.hpp ---

  /// An expression, a string, or a list of values. `words` admits element types
  /// as names.
  bool value(bool words = false);
  /// A single leaf, or an expression node.
  bool expression(bool words = false);
  /// A number or a name; is_leaf_here().
  [[gnu::always_inline]] bool leaf(bool words);
  [[nodiscard]] bool is_leaf_here() const noexcept {
    return at_ < end_ && is(*at_, class_letter | class_digit);
  }
  bool is_leaf_keyword(word w, bool words);
  /// Makes the leaf in `slot` the first of an expression; at_ is at an
  /// operator. Nearly always a leaf follows that, and then the end.
  bool expression_after(std::uint32_t slot, bool words);
  /// What follows in the expression node at `slot`: `depth` operators are open,
  /// and after them is the operand that began at `operand`, or none yet.
  bool operators(std::uint32_t slot, const char* operand, std::uint32_t depth, bool has_operand,
                 bool words);
  /// The operator here, whose left operand begins at `operand`.
  [[gnu::always_inline]] open_operator take_operator(const char* operand);
  [[nodiscard, gnu::always_inline]] bool at_operator() const noexcept {
    return at_ < end_ && is(*at_, class_operator) && (*at_ != 'm' || at_mod());
  }
  [[nodiscard]] bool at_mod() const noexcept;
  [[nodiscard]] static std::uint8_t precedence_of(char c) noexcept {
    return c == '+' || c == '-' ? 1 : 2;
  }
  [[gnu::cold]] void warn_line_operator();
  [[gnu::cold]] bool too_deep(std::string_view what);

  bool string_leaf();
  /// Lists of any depth.
  bool list(bool words);
  bool list_items(bool words);
  [[gnu::cold]] void trailing_comma();
  [[gnu::cold]] bool unclosed_list(std::uint32_t open);

  bool decorators();
  /// @name, @name(value, …), @resource(CSTL[e])
  bool decorator();
  bool unit_index();
  [[nodiscard]] bool at_unit_index() const noexcept;

  /// region(B, offset, extent) elem=…, shape=[…], layout=… or strides=[…],
  /// quant=… at the word.
  bool region(word start, region_place where);
  /// Whether `region (` is here.
  [[nodiscard]] bool at_region(word w) const noexcept;
  /// Type attributes, or none. Of operands only `elem` begins them, as the
  /// others may be attributes of the task.
  bool type_attributes(region_place where, bool after_comma = false);
  [[gnu::always_inline]] bool type_attribute(const type_word& t);
  /// Whether a type attribute, and no statement, begins at p. No statement can
  /// follow a comma.
  [[nodiscard, gnu::always_inline]] bool is_type_attribute(type_word& t, const char* p,
                                                           bool after_comma) const noexcept;
  [[nodiscard]] static type_field type_field_of(word w) noexcept;
  [[gnu::cold]] bool inner_type_attributes();
  [[gnu::cold]] void missing_comma();
  [[gnu::cold]] void layout_and_strides(word w, type_field other);
  /// Type attributes hold elem and shape.
  bool check_type(std::uint32_t i);
  [[gnu::cold]] void incomplete_type(std::uint32_t i);
  /// The expressions of shape= and strides=, whose node is `i`.
  bool dimensions(std::uint32_t i, std::string_view what);
  [[gnu::cold]] void empty_dimensions(const char* open, std::string_view what);
  /// per_tensor(scale=…, zero_point=…), per_channel(…) or per_group(…)
  bool quant(std::uint32_t i);
  [[gnu::cold]] void unknown_field(std::uint32_t known, quantization form);

  /// An element type as a node.
  [[gnu::cold]] bool element_leaf(node_kind kind);
  element element_of(word w);
  [[gnu::cold]] void unknown_element(word w);

  // --- type families and devices: read_config.hpp ---

  /// A type family at the word; after an error, reading goes on after it.
  void type_family_declaration(word start);
  /// An inline device at the word; the same.
  void device_declaration(word start);

  /// type_family f.g<T: {i8, f16}> { binding … variants: variant … }
  bool type_family(word start);
  bool type_parameters();
  /// X: T, or accum = i32, or quant = required on X
  bool family_binding(word w);
  /// v: { B: absent } conformance: { MUST <i8>  MAY <f16> }
  bool variant();
  /// <i8, f16>
  bool instantiation();
  /// An element type, or the name of a parameter or a word.
  bool type_leaf();
  /// Whether `on` is here, and isn't itself the name of a binding.
  [[nodiscard]] bool at_on() const noexcept;

  /// device d extends e { item … }, the items in any order.
  bool device(word start);
  bool item_of_device(fields& given);
  [[nodiscard]] static device_item item_of(word w) noexcept;
  /// topology { num_engines = n  l2_size_bytes = e  per_engine { … }
  /// device_units { … } }
  bool topology(const char* first);
  bool units_block(word start, bool per_engine);
  [[gnu::cold]] void wrong_block(word w, unit u);
  /// unit_characteristics { CSTL { name = n } }
  bool characteristics(const char* first);
  [[gnu::cold]] void repeated_characteristic(word w, std::uint32_t group, std::uint32_t name);
  /// opcode.mandatory { cast.default } or opcode.extended { … } at the word.
  bool variant_references(fields& given);
  /// Two or three words with dots between, the last is the variant; types only
  /// before the last dot.
  bool variant_reference();
  void put_taken(word w);
  /// An integer without a sign.
  bool count();
  /// One word, or two with a dot between, as the name that they are without
  /// blanks.
  bool dotted_name(std::uint32_t& index, std::string_view what);

  bool open_block();
  bool close_block();
  /// After an error: to where `depth` blocks are open, and at depth 1 to the
  /// next item of a device. False if the declaration ends before.
  [[gnu::cold]] bool leave_blocks(std::uint32_t depth);
  /// Whether a declaration or directive begins here, whose first word is
  /// reserved.
  [[nodiscard]] bool at_declaration() const noexcept {
    return at_word() && begins_statement(keyword_of(peek_word()));
  }

  // --- nodes: read_token.hpp ---

  /// Appends a node; its `next` is right if it has no children.
  std::uint32_t put(node_kind kind, unsigned detail, const char* first, std::uint32_t value = 0);
  /// The node's text ends with the last token, and its children here.
  void finish(std::uint32_t i) noexcept;
  [[gnu::always_inline]] void set_end(std::uint32_t i, const char* last) noexcept {
    nodes_[i].length = length_of(offset_of(last) - nodes_[i].offset);
  }
  [[nodiscard]] static std::uint16_t length_of(std::uint32_t length) noexcept {
    return static_cast<std::uint16_t>(length < 65535 ? length : 65535);
  }
  /// A leaf whose text is one token, which is taken.
  [[gnu::always_inline]] void put_leaf(node_kind kind, unsigned detail, const char* last,
                                       std::uint32_t value);
  [[gnu::always_inline]] void put_name(word w) {
    put_leaf(node_kind::name, 0, w.last(), intern(w));
  }
  [[nodiscard]] std::uint32_t intern(word w) { return names_.of(w); }
  void grow(std::uint64_t capacity);
  /// Room for one more node; where there can't be any the last is written
  /// again, and the source ends here.
  [[gnu::cold]] void more_nodes();

  // --- words, numbers and strings ---

  bool expect(char c);
  [[gnu::cold]] bool unexpected_mark(char c);
  /// `c` after an opening character at `open`.
  bool expect_closing(char c, const char* open);
  [[gnu::cold]] bool unclosed(char c, const char* open, std::string_view hint = {});

  /// A name that is declared here: a hard-reserved word is an error, which
  /// reading goes on from.
  bool declared_name(word& w, std::string_view what);
  [[gnu::cold]] bool questionable_name(word w, keyword k, std::string_view what);
  [[gnu::cold]] void reserved(word w, std::string_view what);
  /// A name that is used here. Element types and memory levels can't be one;
  /// other reserved words mean that it is missing.
  bool used_name(word& w, std::string_view what);
  bool is_usable(word w, std::string_view what) {
    return !may_be_keyword(w) || is_usable_keyword(w, what);
  }
  bool is_usable_keyword(word w, std::string_view what);
  /// Any word, reserved or not.
  bool any_word(word& w, std::string_view what);

  /// An integer or a real as a leaf; at_ is at a digit.
  [[gnu::always_inline]] bool number();
  /// The same from `p` on, the digits before which are `v`.
  [[gnu::cold]] bool long_number(const char* p, std::uint64_t v);
  /// A real whose point is at `point`.
  [[gnu::cold]] bool real(const char* point);
  [[gnu::cold]] bool bad_number(const char* last);
  [[nodiscard]] bool is_sound_number(const char* p, const char* last) const noexcept;

  /// The characters of the string here, which is taken; false after an error.
  [[gnu::cold]] bool string_value(std::uint32_t& index, std::string_view what);
  [[gnu::cold]] void resolve_escapes(const char* p, const char* last);

  // --- findings ---

  [[nodiscard]] place range(const char* first, const char* last) const noexcept {
    return {0, offset_of(first), static_cast<std::uint32_t>(last - first)};
  }
  [[nodiscard]] place range_of(word w) const noexcept { return range(w.first, w.last()); }
  [[nodiscard]] place range_of(std::uint32_t i) const noexcept { return place_of(nodes_[i]); }
  /// At the end of the file, the end of its last line.
  [[nodiscard, gnu::cold]] place token() const noexcept;

  /// Whether more may be reported. When not, the source ends here.
  [[nodiscard, gnu::cold]] bool may_report() noexcept;
  void stop() noexcept;
  /// A warning; false once the report is full, where it is only counted.
  [[nodiscard, gnu::cold]] bool may_warn(errc code) noexcept;

  /// What is here, in quotes and not too long.
  class got {
   public:
    explicit got(const lexer& in, std::string_view token) noexcept;
    friend text& operator<<(text& to, const got& g) {
      if (g.end_) return to << "the end of the file";
      return to << '\'' << g.token_ << (g.cut_ ? "...'" : "'");
    }

   private:
    bool end_, cut_;
    std::string_view token_;
  };
  [[nodiscard, gnu::cold]] got here_is() const noexcept;

  /// Reports what isn't a token at all; false if there is a token here.
  [[gnu::cold]] bool not_a_token();
  [[nodiscard]] unsigned character_length(const char* p) const noexcept;
  [[gnu::cold]] void bad_character(const char* p);
  /// What NEM has for a character that other languages use, after a colon.
  [[nodiscard]] static std::string_view usual(std::string_view character) noexcept;
  /// Whether a % at `p` begins a name, as in MLIR.
  [[nodiscard]] bool is_sigil(const char* p) const noexcept;
  /// Whether a comment of another language begins here, or did one character
  /// before.
  [[nodiscard]] bool at_other_comment() const noexcept;
  /// The syntax error: what was expected, and what was found. Returns false.
  [[gnu::cold]] bool unexpected(std::string_view expected, std::string_view hint = {});
  /// The same, where `what` belongs between the last token and this one for
  /// certain.
  [[gnu::cold]] void missing(std::string_view expected, std::string_view what);

  /// Notes that a field is given here; if it was given before, that is an error
  /// of `code`.
  void once(fields& f, unsigned field, word w, errc code);
  [[gnu::cold]] void repeated(errc code, place where, std::string_view name, place before);

  model d_;
  name_index names_;
  findings found_;
  tessera::error failure_;  ///< a limit that was met
  bool stopped_ = false;
  bool is_mixed_ = false;
  /// After an error in this statement, `X =` at the beginning of a line is no
  /// argument or attribute of it, whatever follows.
  bool any_assignment_ = false;
  std::string_view form_;  ///< an example of what has an error, in this statement
  std::uint64_t max_errors_;
  std::size_t warnings_ = 0;

  node* nodes_ = nullptr;
  std::uint32_t count_ = 0, room_ = 0, max_nodes_;
  read_progress progress_;
  const char* next_report_;  ///< of the progress: past this

  std::uint32_t first_other_ = none;  ///< the first construct that is no include
  std::uint32_t first_family_ = none, first_device_ = none, first_directive_ = none,
                first_header_ = none, first_statement_ = none;
  std::uint32_t devices_ = 0;
  std::uint32_t braces_ = 0;  ///< of the declaration that is being read

  fields attributes_;  ///< of the region that is being read
  std::uint32_t last_operand_ = 0;
  std::uint32_t seen_attributes_ = 0;
  std::uint32_t mark_ = 1;
  pool<std::uint32_t> marks_;  ///< by name: the `mark_` when it was last marked
  text scratch_, joined_;

  std::uint32_t loops_ = 0, excess_loops_ = 0, other_loops_ = 0;
  std::uint32_t lists_ = 0;  ///< that are open
  open_loop open_loops_[max_nesting];
  std::uint32_t open_lists_[max_nesting];
  open_operator open_[3 * max_nesting + 3];
};

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READER_HPP
