// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "nem_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <set>
#include <tessera/core/bytes.hpp>
#include <tessera/core/suggest.hpp>
#include <utility>

#include "io/csv.hpp"
#include "io/random.hpp"
#include "vm/nem/elements.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nem;

std::optional<element_type> element_of(nem::element e) noexcept {
  switch (e) {
    case nem::element::i4: return element_type::i4;
    case nem::element::i8: return element_type::i8;
    case nem::element::i16: return element_type::i16;
    case nem::element::i32: return element_type::i32;
    case nem::element::u8: return element_type::u8;
    case nem::element::u16: return element_type::u16;
    case nem::element::u32: return element_type::u32;
    case nem::element::f16: return element_type::f16;
    case nem::element::bf16: return element_type::bf16;
    case nem::element::f32: return element_type::f32;
    case nem::element::tf32:
    case nem::element::f64:
    case nem::element::bool_:
    case nem::element::none: break;
  }
  return std::nullopt;
}

bool has_elements(const vn::place& p) noexcept {
  return !p.is_buffer && element_of(p.element) && !p.shape.empty();
}

namespace {

/// The element type of a place: a region's own, or `as` for a buffer.
[[nodiscard]] nem::element type_of(const vn::place& p, nem::element as) noexcept {
  if (has_elements(p)) return p.element;
  return element_of(as) && p.size * 8 % nem::bitwidth(as) == 0 ? as : nem::element::none;
}

/// A place as a tensor, as operations use it.
class view_of_place {
 public:
  view_of_place(const vn::place& p, nem::element type, std::span<const std::byte> bytes) {
    // Callers that may not write only read it.
    x_.data = const_cast<std::byte*>(bytes.data());
    x_.extent = static_cast<std::int64_t>(bytes.size());
    x_.element = type;
    if (has_elements(p)) {
      x_.shape = p.shape;
    } else {
      shape_.push_back(static_cast<std::int64_t>(p.size * 8 / nem::bitwidth(type)));
      x_.shape = shape_;
    }
    if (has_elements(p) && p.strides.size() == p.shape.size()) {
      x_.strides = p.strides;
      return;
    }
    strides_ = vn::dense_strides(x_.shape);
    x_.strides = vn::shape_view(strides_).first(x_.shape.size());
  }
  view_of_place(const view_of_place&) = delete;
  view_of_place& operator=(const view_of_place&) = delete;
  [[nodiscard]] const vn::tensor& tensor() const noexcept { return x_; }

 private:
  vn::tensor x_;
  std::vector<std::int64_t> shape_;
  std::array<std::int64_t, nem::max_rank> strides_ = {};
};

/// Elements from a tensor to a dense array, or back.
void copy_elements(const vn::tensor& x, std::byte* dense, bool is_to_tensor) {
  constexpr std::size_t at_once = 256;
  std::uint32_t patterns[at_once];
  const std::size_t size = size_of(*element_of(x.element));
  const vn::rows<1> rows(x.shape, {x.strides});
  const std::int64_t step = rows.steps()[0];
  rows.each([&](const auto& first, std::int64_t n) {
    for (std::int64_t i = 0; i < n;) {
      const auto count = std::min(at_once, static_cast<std::size_t>(n - i));
      const std::int64_t from = first[0] + i * step;
      if (!is_to_tensor) vn::load_bits(x, from, step, patterns, count);
      for (std::size_t k = 0; k < count; ++k, dense += size) {
        if (is_to_tensor) {
          patterns[k] = 0;
          for (std::size_t b = 0; b < size; ++b)
            patterns[k] |= std::to_integer<std::uint32_t>(dense[b]) << (8 * b);
          continue;
        }
        std::uint32_t bits = patterns[k];
        if (x.element == nem::element::i4) bits = (bits & 15) ^ ((bits & 8) != 0 ? 0xf0u : 0u);
        for (std::size_t b = 0; b < size; ++b) dense[b] = static_cast<std::byte>(bits >> (8 * b));
      }
      if (is_to_tensor) vn::wrap(x, from, step, patterns, count);
      i += static_cast<std::int64_t>(count);
    }
  });
}

}  // namespace

element_shape elements_of(const vn::place& p, nem::element as) {
  element_shape out;
  const nem::element type = type_of(p, as);
  if (type != nem::element::none) {
    out.type = *element_of(type);
    out.name = nem::name(type);
  }
  if (has_elements(p))
    for (const std::int64_t d : p.shape) out.shape.push_back(static_cast<std::uint64_t>(d));
  else
    out.shape.push_back(type == nem::element::none ? p.size : p.size * 8 / nem::bitwidth(type));
  return out;
}

element_types types_of(const vn::place& p, const byte_ranges& ranges) {
  const auto first = static_cast<std::int64_t>(p.offset);
  return ranges.types(first, first + static_cast<std::int64_t>(p.size));
}

std::string text_of(const element_types& types) {
  std::string out;
  for (std::size_t i = 0; i < types.known.size(); ++i)
    out.append(i == 0                        ? ""
               : i + 1 == types.known.size() ? " and "
                                             : ", ")
        .append(nem::name(types.known[i]));
  return out;
}

std::vector<std::byte> get_elements(const vn::machine& machine, const vn::place& p,
                                    nem::element as) {
  const std::span<const std::byte> bytes = machine.bytes(p);
  const nem::element type = type_of(p, as);
  if (type == nem::element::none) return {bytes.begin(), bytes.end()};
  std::vector<std::byte> out(static_cast<std::size_t>(elements_of(p, as).bytes()));
  const view_of_place x(p, type, bytes);
  copy_elements(x.tensor(), out.data(), false);
  return out;
}

// Names --------------------------------------------------------------------------------------------

std::string no_such_place(const vn::machine& machine, std::string_view name, bool of_loops) {
  std::vector<std::string_view> names;
  for (const vn::place& p : machine.buffers()) names.push_back(p.name);
  for (const vn::place& p : machine.regions()) names.push_back(p.name);
  const nem::model& d = machine.program().model();
  std::set<std::string_view> known(names.begin(), names.end());
  for (std::uint32_t i = 0; of_loops && i + 1 < d.nodes.size(); ++i)
    if (d.nodes[i].kind == nem::node_kind::let && d.nodes[i + 1].kind == nem::node_kind::region &&
        known.insert(nem::name_of(d, i)).second)
      names.push_back(nem::name_of(d, i));

  std::string out = "unknown buffer or region '" + shown_name(name) + "'";
  if (names.empty()) return out + "; the program has none";
  suggestion near(name);
  for (const std::string_view n : names) near.offer(n);
  if (!near.word().empty()) out.append("; did you mean '").append(near.word()).append("'?");
  out += near.word().empty() ? "; the program has " : " The program has ";
  constexpr std::size_t max_listed = 16;
  for (std::size_t i = 0; i < names.size() && i < max_listed; ++i)
    out.append(i == 0 ? "" : ", ").append(names[i]);
  if (names.size() > max_listed)
    out += " and " + std::to_string(names.size() - max_listed) + " more";
  return out;
}

bool is_limited_memory(const vn::machine& machine, std::uint64_t max_memory) {
  for (const vn::place& b : machine.buffers()) {
    if (b.size > max_memory) return true;
    max_memory -= b.size;
  }
  return false;
}

std::string needs_name(const std::string& argument, const std::string& option) {
  return '\'' + (argument == "-" ? argument : shown_name(argument)) +
         "' has no NAME; expected a buffer or a region: " + option + " NAME=FILE";
}

std::optional<nem_schedule> parse_schedule(std::string_view word) {
  if (word.empty() || word == "in-order") return nem_schedule{};
  if (word == "reverse") return nem_schedule{vn::schedule::reverse, 0};
  if (!word.starts_with("random")) return std::nullopt;
  nem_schedule out{vn::schedule::random, 0};
  word.remove_prefix(6);
  if (word.empty()) return out;
  if (word[0] != ':') return std::nullopt;
  const char* const end = word.data() + word.size();
  const auto [at, code] = std::from_chars(word.data() + 1, end, out.seed);
  if (at != end || code != std::errc{}) return std::nullopt;
  return out;
}

// Inputs -------------------------------------------------------------------------------------------

namespace {

/// The range of random integers of a type: all values of small types, those of a byte of others.
[[nodiscard]] std::pair<double, double> range_of(element_type type) noexcept {
  switch (type) {
    case element_type::i4: return {-8, 7};
    case element_type::u8:
    case element_type::u16:
    case element_type::u32: return {0, 255};
    case element_type::i8:
    case element_type::i16:
    case element_type::i32: return {-128, 127};
    default: return {-1, 1};
  }
}

/// Fills bytes with random elements; without a type, with random bytes.
void fill_random(std::span<std::byte> to, const byte_use& use, std::uint64_t& state) {
  const std::optional<element_type> type = element_of(use.element);
  if (!type || *type == element_type::i4) {
    for (std::byte& b : to) b = static_cast<std::byte>(io::next_bits(state) >> 56);
    return;
  }
  auto [low, high] = range_of(*type);
  const bool is_whole = *type > element_type::bf16;
  if (is_whole && use.low <= use.high) {
    low = static_cast<double>(use.low);
    high = std::min(high, static_cast<double>(use.high));
    if (*type != element_type::i8 && *type != element_type::u8)
      high = static_cast<double>(use.high);
  }
  const std::size_t size = size_of(*type);
  std::vector<std::byte> one(size);
  for (std::size_t i = 0; i + size <= to.size(); i += size) {
    (void)store_element(one, *type, 0, random_number(state, low, high, is_whole));
    std::copy(one.begin(), one.end(), to.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// The number of columns of a .csv file, by its first line with numbers.
[[nodiscard]] std::uint64_t columns_of(std::string_view source) {
  const std::size_t start = source.find_first_not_of(" \t\r\n");
  if (start == source.npos) return 1;
  source.remove_prefix(start);
  source = source.substr(0, source.find('\n'));
  return 1 + static_cast<std::uint64_t>(std::count(source.begin(), source.end(), ','));
}

/// The numbers of a .csv file for bytes without a shape, in rows of any length.
[[nodiscard]] io::expected<std::vector<std::byte>> read_csv_of_any_shape(
    const std::string& path, const element_shape& what) {
  const io::expected<io::content> file = io::load(path);
  if (!file) return file.error();
  const std::string_view source = as_text(file->view());
  const std::uint64_t columns = columns_of(source);
  io::expected<io::matrix> m = io::read_csv(source, columns);
  const auto wrong = [&path](std::string message) {
    return io::failure{io::fault::content, std::move(message), 0, path};
  };
  if (!m) {
    if (m.error().path.empty()) m.error().path = path;
    return m.error();
  }
  if (m->values.size() != what.count())
    return wrong("expected " + std::to_string(what.count()) + " numbers of " +
                 std::string(what.name) + ", found " + std::to_string(m->values.size()));
  std::vector<std::byte> out(static_cast<std::size_t>(what.bytes()));
  for (std::size_t i = 0; i < m->values.size(); ++i)
    if (!store_element(out, what.type, i, m->values[i]))
      return wrong("row " + std::to_string(i / columns + 1) + ", column " +
                   std::to_string(i % columns + 1) + ": expected an integer in the range of " +
                   std::string(what.name));
  return out;
}

}  // namespace

const nem_bytes& nem_inputs::bytes(const vn::machine& machine) {
  if (!bytes_) bytes_.emplace(machine.program());
  return *bytes_;
}

exit_code nem_inputs::read(vn::machine& machine, const vn::place& p, const std::string& path) {
  const io::array_format format = format_of(options_.input_format, path);
  const bool is_csv = format == io::array_format::csv;
  const bool is_npy = format == io::array_format::npy;
  // Raw files have the bytes of a buffer; in the others its elements have a type.
  element_types types;
  if (!has_elements(p) && (is_csv || is_npy) && bytes(machine).is_whole())
    types = types_of(p, bytes(machine).needed(p.buffer));
  const nem::element type = type_of(p, types.only());
  element_shape what = elements_of(p, type);
  const bool is_packed = format == io::array_format::raw && type == nem::element::i4;
  if (is_packed) {
    what.type = element_type::u8;
    what.shape = {(what.count() + 1) / 2};
  }
  what.any_shape = is_npy && !has_elements(p);
  what.any_type = !is_csv && types.known.empty() && (type == nem::element::none || is_packed);
  io::expected<std::vector<std::byte>> values = is_csv && !has_elements(p)
                                                    ? read_csv_of_any_shape(path, what)
                                                    : read_elements(path, format, what);
  if (!values) {
    io::failure why = std::move(values).error();
    if (why.kind == io::fault::content) {
      why.what = std::string(p.is_buffer ? "buffer " : "region ")
                     .append(p.name)
                     .append(": ")
                     .append(why.what);
      if (type == nem::element::none && !types.known.empty())
        why.what += "; the program reads it as " + text_of(types);
    }
    return to_.fail(why);
  }
  const std::span<std::byte> to = machine.bytes(p);
  if (type == nem::element::none) {
    std::copy(values->begin(), values->end(), to.begin());
  } else {
    if (is_packed) {
      std::vector<std::byte> each(static_cast<std::size_t>(elements_of(p).count()));
      for (std::size_t i = 0; i < each.size(); ++i)
        each[i] = (*values)[i / 2] >> (i % 2 == 0 ? 0 : 4) & std::byte{15};
      *values = std::move(each);
    }
    const view_of_place x(p, type, to);
    copy_elements(x.tensor(), values->data(), true);
  }
  machine.mark_bound(p);
  return success;
}

/// Fills a place with random elements: a region of its type, a buffer of the types that are read.
void nem_inputs::fill(vn::machine& machine, const vn::place& p) {
  const std::span<std::byte> to = machine.bytes(p);
  if (has_elements(p)) {
    std::vector<std::byte> dense(static_cast<std::size_t>(elements_of(p).bytes()));
    fill_random(dense, {p.element, 0, -1}, random_);
    const view_of_place x(p, p.element, to);
    copy_elements(x.tensor(), dense.data(), true);
  } else {
    fill_random(to, {}, random_);
    const auto first = static_cast<std::int64_t>(p.offset);
    bytes(machine).needed(p.buffer).each(
        [&](std::int64_t a, std::int64_t b, const byte_use& use) {
          fill_random(
              to.subspan(static_cast<std::size_t>(a - first), static_cast<std::size_t>(b - a)), use,
              random_);
        },
        first, first + static_cast<std::int64_t>(p.size));
  }
  machine.mark_bound(p);
}

exit_code nem_inputs::bind(vn::machine& machine) {
  std::set<std::string> seen;
  port_names names;
  names.find = [&](const std::string& name, std::string& wrong) -> std::optional<port> {
    const vn::place* const p = machine.find(name);
    if (p == nullptr)
      wrong = machine.watch(name)
                  ? "'" + shown_name(name) +
                        "' is a region of a loop, which differs in each iteration; name its buffer"
                  : no_such_place(machine, name, false);
    else if (!seen.insert(name).second)
      wrong = "two inputs for '" + shown_name(name) + "'";
    if (!wrong.empty()) return std::nullopt;
    places_.push_back(name);
    return places_.size() - 1;
  };
  names.next = [](const std::string& word, std::string& wrong) -> std::optional<port> {
    wrong = needs_name(word, "--input");
    return std::nullopt;
  };
  const exit_code code = bind_words(verb_, options_.inputs, names, true, files_);
  return code == success ? check_stdin(verb_, options_, files_) : code;
}

std::string weights_path(const std::string& program) {
  std::string_view base = program;
  if (base.ends_with(".nem")) base.remove_suffix(4);
  return std::string(base) + ".weights";
}

/// What `tessera lower` wrote beside the program.
exit_code nem_inputs::read_weights(vn::machine& machine) {
  const auto at = std::ranges::find(machine.buffers(), "weights", &vn::place::name);
  if (at == machine.buffers().end() || to_.path == "-" ||
      std::find(places_.begin(), places_.end(), "weights") != places_.end())
    return success;
  const std::string path = weights_path(to_.path);
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown)) return success;
  io::expected<io::content> content = io::load(path, {}, io::side_input);
  if (!content) return to_.fail(content.error());
  if (content->size() != at->size)
    return usage("'" + shown_name(path) + "' has " + std::to_string(content->size()) +
                 " bytes; buffer weights has " + std::to_string(at->size));
  (void)machine.bind(*at, content->view());
  return success;
}

exit_code nem_inputs::set(vn::machine& machine) {
  if (!machine.has_memory()) return success;  // the run reports it

  random_ = options_.seed.value_or(0);
  if (options_.seed)
    for (std::uint32_t i = 0; i < machine.buffers().size(); ++i) {
      vn::place part = machine.buffers()[i];
      part.is_buffer = false;
      bytes(machine).needed(i).each(
          [&](std::int64_t first, std::int64_t last, const byte_use& use) {
            part.offset = static_cast<std::uint64_t>(first);
            part.size = static_cast<std::uint64_t>(last - first);
            fill_random(machine.bytes(part), use, random_);
            machine.mark_bound(part);
          });
    }
  if (options_.seed && !bytes(machine).is_whole())
    show_note(
        "the program is too long to be searched: inputs that only later tasks read stay zero");
  if (const exit_code code = read_weights(machine); code != success) return code;
  for (const bound_word& b : files_) {
    const vn::place& place = *machine.find(places_[static_cast<std::size_t>(b.of)]);
    if (b.word == "zero") {
      const std::span<std::byte> to = machine.bytes(place);
      std::fill(to.begin(), to.end(), std::byte{0});
      machine.mark_bound(place);
    } else if (b.word == "random") {
      fill(machine, place);
    } else if (const exit_code code = read(machine, place, b.word); code != success) {
      return code;
    }
  }
  return success;
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
