// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "expression.hpp"

#include <algorithm>
#include <utility>

#ifdef TESSERA_HAS_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif

#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {
namespace {

// The elements of sets: Unicode's White_Space, and what `regex` takes for a character of a word,
// letters and marks in circles and squares among them.
constexpr std::string_view spaces = "\\t-\\r\\x{85}\\p{Z}";
constexpr std::string_view word =
    "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{200C}\\x{200D}\\x{24B6}-\\x{24E9}\\x{1F130}-\\x{1F149}"
    "\\x{1F150}-\\x{1F169}\\x{1F170}-\\x{1F189}";

[[nodiscard]] bool is_hex(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
[[nodiscard]] bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Goes over an expression once, from the left.
class translator {
 public:
  explicit translator(std::string_view from) noexcept : from_(from) {}

  std::string all() {
    while (at_ < from_.size()) {
      switch (from_[at_]) {
        case '\\': escape(); break;
        case '[': set(); break;
        case '(': group(); break;
        case '{': braces(); break;
        default: out_ += from_[at_++];
      }
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    throw trouble{errc::nac_tokenizer_expression,
                  std::string(what) + " at " + std::to_string(at_) + " of " + std::string(from_)};
  }
  [[nodiscard]] char peek(std::size_t ahead) const noexcept {
    return at_ + ahead < from_.size() ? from_[at_ + ahead] : '\0';
  }
  void add(std::string_view a, std::string_view b = {}, std::string_view c = {}) {
    out_.append(a).append(b).append(c);
  }

  /// An escape outside of sets.
  void escape() {
    switch (peek(1)) {
      case 's': add("[", spaces, "]"); break;
      case 'S': add("[^", spaces, "]"); break;
      case 'w': add("[", word, "]"); break;
      case 'W': add("[^", word, "]"); break;
      case 'b': edge(true); break;
      case 'B': edge(false); break;
      case 'Z': add("\\z"); break;
      default: return common_escape();
    }
    at_ += 2;
  }
  /// The edge of a word, or no edge.
  void edge(bool is) {
    const std::string in = "[" + std::string(word) + "]";
    add(is ? "(?:(?<!" : "(?:(?<=", in, ")(?=");
    add(in, is ? ")|(?<=" : ")|(?<!", in);
    add(")(?!", in, "))");
  }
  /// An escape that means the same in sets and outside.
  void common_escape() {
    const char c = peek(1);
    switch (c) {
      case '\0':
        if (at_ + 1 >= from_.size()) refuse("incomplete escape");
        break;
      case 'v': add("\\x0b"), at_ += 2; return;
      case 'u': return code_point(4);
      case 'U': return code_point(8);
      case 'p':
      case 'P': return property();
      case 'C':
      case 'G':
      case 'K':
      case 'L':
      case 'N':
      case 'Q':
      case 'E':
      case 'm':
      case 'M':
      case 'g':
      case 'k':
      case 'c':
      case 'o': refuse(std::string("unsupported \\") + c);
      default: break;
    }
    add(from_.substr(at_, 2));
    at_ += 2;
  }
  void code_point(std::size_t digits) {
    for (std::size_t i = 0; i < digits; ++i)
      if (!is_hex(peek(2 + i))) refuse("incomplete code point");
    add("\\x{", from_.substr(at_ + 2, digits), "}");
    at_ += 2 + digits;
  }
  void property() {
    const char letter = peek(1);
    if (peek(2) != '{') {
      if (!is_letter(peek(2))) refuse("expected a property");
      add(from_.substr(at_, 3));
      at_ += 3;
      return;
    }
    const std::size_t close = from_.find('}', at_);
    if (close == from_.npos) refuse("unterminated property");
    std::string_view name = from_.substr(at_ + 3, close - at_ - 3);
    const bool negated = name.starts_with('^');
    if (negated) name.remove_prefix(1);
    add("\\", (letter == 'P') != negated ? "P{" : "p{");
    const std::size_t equals = name.find_first_of("=:");
    const std::string key = equals == name.npos ? "" : loose(name.substr(0, equals));
    const std::string value = loose(equals == name.npos ? name : name.substr(equals + 1));
    if (key.empty() || key == "gc" || key == "generalcategory")
      out_ += plain_property(value, key.empty());
    else if (key == "sc" || key == "script" || key == "scx" || key == "scriptextensions")
      add(key == "scx" || key == "scriptextensions" ? "scx:" : script, value);
    else
      refuse("unsupported property");
    out_ += '}';
    at_ = close + 1;
  }
  /// A name as Unicode compares them: without case, spaces, hyphens and underscores.
  [[nodiscard]] static std::string loose(std::string_view name) {
    std::string s;
    for (const char c : name)
      if (c != ' ' && c != '_' && c != '-')
        s += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return s;
  }
  [[nodiscard]] std::string plain_property(const std::string& name, bool also_script) const {
    static constexpr std::string_view categories[][2] = {
        {"c", "other"},
        {"cc", "control"},
        {"cf", "format"},
        {"cn", "unassigned"},
        {"co", "privateuse"},
        {"cs", "surrogate"},
        {"l", "letter"},
        {"l&", "casedletter"},
        {"lc", "casedletter"},
        {"ll", "lowercaseletter"},
        {"lm", "modifierletter"},
        {"lo", "otherletter"},
        {"lt", "titlecaseletter"},
        {"lu", "uppercaseletter"},
        {"m", "mark"},
        {"mc", "spacingmark"},
        {"me", "enclosingmark"},
        {"mn", "nonspacingmark"},
        {"n", "number"},
        {"nd", "decimalnumber"},
        {"nl", "letternumber"},
        {"no", "othernumber"},
        {"p", "punctuation"},
        {"pc", "connectorpunctuation"},
        {"pd", "dashpunctuation"},
        {"pe", "closepunctuation"},
        {"pf", "finalpunctuation"},
        {"pi", "initialpunctuation"},
        {"po", "otherpunctuation"},
        {"ps", "openpunctuation"},
        {"s", "symbol"},
        {"sc", "currencysymbol"},
        {"sk", "modifiersymbol"},
        {"sm", "mathsymbol"},
        {"so", "othersymbol"},
        {"z", "separator"},
        {"zl", "lineseparator"},
        {"zp", "paragraphseparator"},
        {"zs", "spaceseparator"},
    };
    for (const auto& [code, full] : categories)
      if (name == code || name == full) {
        if (code == "lc" || code == "l&") return "L&";
        std::string s(code);
        s[0] = static_cast<char>(s[0] - 'a' + 'A');
        return s;
      }
    if (!also_script) refuse("unknown category");
    if (name == "any") return "Any";
    // A block of the same name would be another set than the script.
    if (name.starts_with("in")) refuse("unsupported property");
    return std::string(script) + (name.starts_with("is") ? name.substr(2) : name);
  }

  /// A set in brackets. What \W takes is no list of elements: it becomes an alternative.
  void set() {
    const std::size_t open = at_;
    std::string before = std::exchange(out_, {});
    ++at_;
    const bool negated = peek(0) == '^';
    if (negated) ++at_;
    bool not_word = false;
    for (bool first = true;; first = false) {
      if (at_ >= from_.size()) {
        at_ = open;
        refuse("unterminated set");
      }
      const char c = peek(0);
      if (c == ']' && !first) break;
      if (c == '[' && (peek(1) == ':' || peek(1) == '.' || peek(1) == '='))
        refuse("unsupported name");
      if (c == '\\') {
        switch (peek(1)) {
          case 's': add(spaces), at_ += 2; break;
          case 'S': add("\\S\\x{180E}"), at_ += 2; break;
          case 'w': add(word), at_ += 2; break;
          case 'W': not_word = true, at_ += 2; break;
          case 'B':
          case 'R':
          case 'X':
          case 'Z':
          case 'A':
          case 'z': refuse("unsupported escape in a set");
          default: common_escape();
        }
      } else {
        if (c == '[' || (c == ']' && first)) out_ += '\\';
        out_ += c;
        ++at_;
      }
    }
    ++at_;
    const std::string rest = std::exchange(out_, std::move(before));
    if (!not_word)
      add(negated ? "[^" : "[", rest, "]");
    else if (rest.empty())
      add(negated ? "[" : "[^", word, "]");
    else if (negated)
      add("(?:(?=[" + std::string(word) + "])[^", rest, "])");
    else
      add("(?:[^" + std::string(word) + "]|[", rest, "])");
  }

  void group() {
    if (peek(1) == '*') refuse("unsupported verb");
    if (peek(1) != '?') {
      out_ += from_[at_++];
      return;
    }
    const char c = peek(2);
    if (c == '#') {  // a comment
      const std::size_t close = from_.find(')', at_);
      if (close == from_.npos) refuse("unterminated comment");
      at_ = close + 1;
      return;
    }
    if (c == 'C') refuse("unsupported callout");
    if (c == '-' || (is_letter(c) && c != 'P' && c != 'R')) {
      std::size_t end = at_ + 2;
      while (end < from_.size() && (is_letter(from_[end]) || from_[end] == '-')) ++end;
      const std::string_view flags = from_.substr(at_ + 2, end - at_ - 2);
      if (flags.find_first_not_of("imsx-") != flags.npos)
        refuse("unsupported flags; expected i, m, s or x");
      if (end < from_.size() && from_[end] == ')' && at_ != 0)
        refuse("flags are only supported at the start");
      add("(?", flags);
      at_ = end;
      return;
    }
    add("(?");
    at_ += 2;
    if (c == 'P' || c == '<' || c == '=' || c == '!' || c == ':' || c == '>' || c == '|') {
      out_ += c;
      ++at_;
      if ((c == 'P' || c == '<') && at_ < from_.size()) out_ += from_[at_++];
    }
  }

  /// A count, or characters.
  void braces() {
    std::size_t end = at_ + 1;
    while (end < from_.size() && (is_digit(from_[end]) || from_[end] == ',')) ++end;
    const std::string_view inside = from_.substr(at_ + 1, end - at_ - 1);
    const auto commas = std::count(inside.begin(), inside.end(), ',');
    if (end < from_.size() && from_[end] == '}' && !inside.empty() && commas <= 1) {
      add("{", inside.starts_with(',') ? "0" : "", inside);
      if (inside == ",") out_.resize(out_.size() - 3), out_ += '*';
      if (inside != ",") out_ += '}';
      at_ = end + 1;
      return;
    }
    // `regex` takes {e<=1} for how much may differ.
    if (const std::size_t close = from_.find('}', at_); close != from_.npos) {
      const std::string_view all = from_.substr(at_ + 1, close - at_ - 1);
      if (!all.empty() && all.find_first_not_of("0123456789idse<=,+: ") == all.npos)
        refuse("unsupported fuzzy matching");
    }
    add("\\{");
    ++at_;
  }

#if defined(TESSERA_HAS_PCRE2) && (PCRE2_MAJOR > 10 || PCRE2_MINOR >= 40)
  static constexpr std::string_view script = "sc:";
#else
  static constexpr std::string_view script = "";
#endif

  std::string_view from_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string python_syntax(std::string_view expression) { return translator(expression).all(); }

#ifdef TESSERA_HAS_PCRE2

namespace {

constexpr std::uint32_t heap_limit = 64 * 1024;  // KiB

template <auto Free>
struct freer {
  template <class T>
  void operator()(T* p) const noexcept {
    Free(p);
  }
};

[[nodiscard]] const unsigned char* units(std::string_view s) noexcept {
  // PCRE2 doesn't take null, which an empty text may have.
  return static_cast<const unsigned char*>(static_cast<const void*>(s.empty() ? "" : s.data()));
}

[[nodiscard]] std::string message_of(int code) {
  unsigned char text[160] = {};
  (void)pcre2_get_error_message(code, text, sizeof text);
  return static_cast<const char*>(static_cast<void*>(text));
}

/// The limits of one attempt: this many places to begin at, so many steps at each, and no look
/// further than this many bytes past the last of them. Most places need little of all three; the
/// few that need more are retried. So the work is known and bounded without a limit that real
/// texts reach.
struct effort {
  std::uint32_t steps;
  std::size_t places, ahead;
};
constexpr effort efforts[] = {
    {64, 4096, 1024}, {1024, 256, 1 << 15}, {1 << 14, 16, 1 << 20}, {1 << 18, 1, 1 << 26}};
constexpr std::size_t last_effort = std::size(efforts);

}  // namespace

bool has_expressions() noexcept { return true; }

struct expression::code {
  std::unique_ptr<pcre2_code, freer<pcre2_code_free>> compiled;
};

struct expression::matcher::state {
  std::unique_ptr<pcre2_match_data, freer<pcre2_match_data_free>> data;
  std::unique_ptr<pcre2_match_context, freer<pcre2_match_context_free>> context;
};

expression::matcher::matcher() : state_(new state) {
  state_->data.reset(pcre2_match_data_create(1, nullptr));
  state_->context.reset(pcre2_match_context_create(nullptr));
  if (!state_->data || !state_->context) throw trouble{errc::budget_memory, "no memory for PCRE2"};
  (void)pcre2_set_heap_limit(state_->context.get(), heap_limit);
}

expression::expression(std::string_view pattern, std::uint32_t match_limit)
    : code_(new code), match_limit_(match_limit) {
  std::unique_ptr<pcre2_compile_context, freer<pcre2_compile_context_free>> how(
      pcre2_compile_context_create(nullptr));
  if (!how) throw trouble{errc::budget_memory, "no memory for PCRE2"};
  (void)pcre2_set_newline(how.get(), PCRE2_NEWLINE_LF);
  int failure = 0;
  std::size_t offset = 0;
  code_->compiled.reset(pcre2_compile(
      units(pattern), pattern.size(),
      PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_NO_UTF_CHECK | PCRE2_USE_OFFSET_LIMIT,
      &failure, &offset, how.get()));
  if (!code_->compiled)
    throw trouble{
        errc::nac_tokenizer_expression,
        message_of(failure) + " at " + std::to_string(offset) + " of " + std::string(pattern)};
}

std::uint64_t expression::bytes() const noexcept {
  std::size_t size = 0;
  (void)pcre2_pattern_info(code_->compiled.get(), PCRE2_INFO_SIZE, &size);
  return size;
}

bool expression::search(std::string_view text, std::size_t first, std::size_t end, bool some,
                        matcher& with, meter& use, found& out) const {
  pcre2_match_data* const data = with.state_->data.get();
  pcre2_match_context* const context = with.state_->context.get();
  const auto inside = [text](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u;
  };
  const effort full_effort{match_limit_, 1, text.size()};
  std::size_t harder = 0, further = 0;  // efforts that were too small: in steps, in what they see
  for (std::size_t at = first; at < end;) {
    const effort& by = harder < last_effort ? efforts[harder] : full_effort;
    const effort& to = further < last_effort ? efforts[further] : full_effort;
    const effort now{std::min(by.steps, match_limit_), std::min(by.places, to.places), to.ahead};
    const std::size_t stop = now.places < end - at ? at + now.places : end;
    std::size_t sees = stop - 1 < text.size() && now.ahead < text.size() - (stop - 1)
                           ? stop - 1 + now.ahead
                           : text.size();
    while (inside(sees)) ++sees;
    // A step may go over all that it sees, though few do.
    if (harder > 0 || further > 0)
      use.work((sees - at) * std::max<std::uint64_t>(64, now.steps / 16));
    (void)pcre2_set_match_limit(context, now.steps);
    (void)pcre2_set_offset_limit(context, stop - 1);
    const std::uint32_t options = PCRE2_NO_UTF_CHECK |
                                  (some && at == first ? PCRE2_NOTEMPTY_ATSTART : 0u) |
                                  (sees < text.size() ? PCRE2_PARTIAL_HARD : 0u);
    const int result =
        pcre2_match(code_->compiled.get(), units(text), sees, at, options, data, context);
    if (result >= 0) {
      const std::size_t* const places = pcre2_get_ovector_pointer(data);
      out = {places[0], places[1]};
      use.work((out.first - at + 1) * now.steps);
      return true;
    }
    use.work((stop - at) * now.steps);
    switch (result) {
      case PCRE2_ERROR_NOMATCH:
        at = stop;
        while (inside(at)) ++at;
        harder = further = 0;
        break;
      case PCRE2_ERROR_PARTIAL:
      case PCRE2_ERROR_MATCHLIMIT:
      case PCRE2_ERROR_DEPTHLIMIT:
      case PCRE2_ERROR_HEAPLIMIT:
        if (result == PCRE2_ERROR_PARTIAL ? further < last_effort
                                          : now.steps < match_limit_ || now.places > 1) {
          ++(result == PCRE2_ERROR_PARTIAL ? further : harder);
          break;
        }
        [[fallthrough]];
      default:
        throw trouble{errc::nac_tokenizer_match,
                      message_of(result) + " at " + std::to_string(at) + " of the text"};
    }
  }
  return false;
}

#else

bool has_expressions() noexcept { return false; }

struct expression::code {};
struct expression::matcher::state {};
expression::matcher::matcher() = default;
expression::expression(std::string_view, std::uint32_t) {
  throw trouble{errc::nac_tokenizer_unavailable, "partition_rules needs PCRE2"};
}
std::uint64_t expression::bytes() const noexcept { return 0; }
bool expression::search(std::string_view, std::size_t, std::size_t, bool, matcher&, meter&,
                        found&) const {
  return false;
}

#endif

expression::matcher::~matcher() = default;
expression::expression(expression&&) noexcept = default;
expression& expression::operator=(expression&&) noexcept = default;
expression::~expression() = default;

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
