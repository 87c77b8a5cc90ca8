// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "nac_values.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json_write.hpp>

#include "io/compress.hpp"
#include "io/npy.hpp"
#include "vm/tokenizer/tokenizer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nac;

// ---- the program

nac_model verify_nac(const source& file, const reporting& to, const std::string& weights) {
  nac_model out;
  const nac_outcome in = read_nac(file, to);
  if (!in.file) {
    out.code = in.code;
    return out;
  }
  nac::verify_options how;
  if (!in.file->has_internal_weights() && !in.file->parameters().empty()) {
    const std::string path = weights.empty() ? default_weights(to.path) : weights;
    if (!path.empty()) {
      out.weights = load_weights({path, to.as_json});
      if (!out.weights.weights) {
        out.code = out.weights.code;
        return out;
      }
      how.weights = &*out.weights.weights;
    }
  } else if (!weights.empty()) {
    out.code = usage_error(
        "run", "'" + file.name + "' has internal weights; --weights is for external ones");
    return out;
  }
  tessera::report report;
  result<nac::program> program = nac::verify(*in.file, how, &report);
  if (program) {
    out.program = std::move(*program);
    return out;
  }
  out.code = fail_findings(report, file, to);
  return out;
}

// ---- shapes and elements

std::optional<tensor_form> parse_form(std::string_view words) {
  tensor_form out;
  if (const std::size_t colon = words.find(':'); colon != words.npos) {
    const std::optional<nac::data_type> type = vn::type_named(words.substr(colon + 1));
    if (!type) return std::nullopt;
    out.type = *type;
    words = words.substr(0, colon);
    if (words.empty()) return out;
  }
  for (;;) {
    const std::size_t x = std::min(words.find('x'), words.size());
    std::int64_t dim = 0;
    const auto [at, code] = std::from_chars(words.data(), words.data() + x, dim);
    if (x == 0 || at != words.data() + x || code != std::errc{} || dim < 0 ||
        out.dims.rank() == vn::max_rank)
      return std::nullopt;
    out.dims.push_back(dim);
    if (x == words.size()) return out;
    words.remove_prefix(x + 1);
  }
}

element_type element_of(nac::data_type t) noexcept {
  switch (t) {
    case nac::data_type::float32: return element_type::f32;
    case nac::data_type::float64: return element_type::f64;
    case nac::data_type::float16: return element_type::f16;
    case nac::data_type::bfloat16: return element_type::bf16;
    case nac::data_type::int32: return element_type::i32;
    case nac::data_type::int64: return element_type::i64;
    case nac::data_type::int16: return element_type::i16;
    case nac::data_type::int8: return element_type::i8;
    case nac::data_type::uint8: return element_type::u8;
    case nac::data_type::boolean: break;
  }
  return element_type::boolean;
}

namespace {

[[nodiscard]] std::optional<nac::data_type> type_of_element(element_type e) noexcept {
  for (std::size_t i = 0; i < nac::data_type_count; ++i)
    if (element_of(static_cast<nac::data_type>(i)) == e) return static_cast<nac::data_type>(i);
  return std::nullopt;
}

/// The maximum index if an input is the indices of an embedding.
[[nodiscard]] std::optional<double> last_index(const nac::program& p, std::uint32_t instruction) {
  for (const nac::step& s : p.code().steps) {
    if (s.a < nac::first_regular_op || nac::program::operation_of(s) != nac::operation::embedding)
      continue;
    const view<nac::argument> of = p.code().arguments_of(s);
    if (of[1].is_constant() || of[1].index() != instruction || of[0].is_constant()) continue;
    const nac::step& table = p.code().steps[of[0].index()];
    if (table.a != nac::op_input || table.b != static_cast<std::uint8_t>(nac::input::parameter))
      continue;
    const nac::parameter& rows = p.parameter(p.code().arguments_of(table)[0].id());
    if (rows.has_value && !rows.value.value_shape().empty())
      return static_cast<double>(rows.value.value_shape()[0]) - 1;
  }
  return std::nullopt;
}

}  // namespace

element_shape elements_of(const tensor_form& form) {
  element_shape out{element_of(form.type), nac::name(form.type)};
  for (const std::int64_t d : form.dims) out.shape.push_back(static_cast<std::uint64_t>(d));
  return out;
}

element_shape elements_of(const vn::tensor& t) { return elements_of(tensor_form{t.dims, t.type}); }

io::expected<vn::value> read_npy(const std::string& path, vn::memory& arena) {
  const io::expected<io::content> file = io::load(path);
  if (!file) return file.error();
  io::expected<io::array> a = io::read_npy_array(file->view());
  if (!a) {
    if (a.error().path.empty()) a.error().path = path;
    return a.error();
  }
  const std::optional<element_type> element = type_of(a->type);
  const std::optional<nac::data_type> type = element ? type_of_element(*element) : std::nullopt;
  if (!type || a->shape.size() > vn::max_rank)
    return io::failure{
        io::fault::content,
        type ? "expected at most 16 dimensions, found " + std::to_string(a->shape.size())
             : "expected elements of type f2, f4, f8, i1, i2, i4, i8, u1 or b1",
        0, path};
  vn::shape dims;
  for (const std::uint64_t d : a->shape) dims.push_back(static_cast<std::int64_t>(d));
  return vn::value(vn::load(arena, *type, dims, {a->data.data(), a->data.size()}));
}

// ---- results

std::vector<vn::tensor> tensors_of(std::span<const vn::value> results) {
  std::vector<vn::tensor> out;
  for (const vn::value& v : results) {
    if (v.is_tensor()) out.push_back(v.as_tensor());
    if (!v.is_list()) continue;
    for (const vn::value& e : v.as_list())
      if (e.is_tensor()) out.push_back(e.as_tensor());
  }
  return out;
}

port_values values_of(const vn::tensor& t) {
  const std::span<const std::byte> view(t.data, t.bytes());
  if constexpr (std::endian::native == std::endian::little) return {elements_of(t), view};
  std::vector<std::byte> swapped(t.bytes());
  vn::store(t, swapped.data());
  return {elements_of(t), std::move(swapped)};
}

// ---- inputs

std::optional<std::size_t> nac_inputs::find(std::string_view name, std::string& wrong) const {
  std::string all;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return i;
    if (i < 8) all.append(all.empty() ? "" : ", ").append(shown_name(names_[i]));
  }
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (std::to_string(i) == name) return i;
  wrong = "unknown input '" + shown_name(name) + "'; " +
          (all.empty() ? "the program has none" : "expected " + all + " or an index");
  return std::nullopt;
}

exit_code nac_inputs::take(const std::vector<std::string>& arguments, origin from) {
  constexpr port first_state = port{1} << 32;
  std::vector<char> taken(inputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    taken[i] = from == origin::form ? inputs_[i].form.has_value() : inputs_[i].from != origin::none;
  port_names names;
  names.find = [&](const std::string& name, std::string& wrong) -> std::optional<port> {
    if (from == origin::file && name.starts_with("state:")) {
      std::uint16_t id = 0;
      const char* const end = name.data() + name.size();
      const auto [at, code] = std::from_chars(name.data() + 6, end, id);
      if (at == end && code == std::errc{}) return first_state + id;
      wrong = "unknown state '" + shown_name(name) + "'; expected state:ID";
      return std::nullopt;
    }
    const std::optional<std::size_t> index = find(name, wrong);
    if (!index) return std::nullopt;
    taken[*index] = 1;
    return *index;
  };
  names.next = [&](const std::string&, std::string& wrong) -> std::optional<port> {
    const auto free = std::find(taken.begin(), taken.end(), 0);
    if (free == taken.end()) {
      wrong = "too many values; the program has " + plural(inputs_.size(), "input");
      return std::nullopt;
    }
    *free = 1;
    return static_cast<port>(free - taken.begin());
  };
  std::vector<bound_word> bound;
  if (const exit_code code = bind_words(verb_, arguments, names, from != origin::text, bound);
      code != success)
    return code;
  for (const bound_word& b : bound) {
    if (b.of >= first_state) {
      states_.emplace_back(static_cast<std::uint16_t>(b.of - first_state), b.word);
      continue;
    }
    given& to = inputs_[static_cast<std::size_t>(b.of)];
    if (from == origin::form) {
      to.form = parse_form(b.word);
      if (!to.form)
        return usage("'" + shown_name(b.word) +
                     "' isn't a shape; expected 1x3x224x224, 1x16:i64 or, for rank 0, :f32");
      continue;
    }
    if (to.from != origin::none)
      return usage("two values for input '" + shown_name(names_[static_cast<std::size_t>(b.of)]) +
                   "'");
    to.from = from;
    to.word = b.word;
  }
  return success;
}

void nac_inputs::name_inputs(const nac::program& p) {
  inputs_.assign(p.inputs().size(), {});
  names_.clear();
  std::size_t lifted = 0;
  for (const nac::model_input& i : p.inputs())
    names_.push_back(i.name.empty() ? "lifted#" + std::to_string(lifted++) : std::string(i.name));
}

exit_code nac_inputs::bind_shapes(const nac::program& p,
                                  std::vector<std::pair<std::string, tensor_form>>& out) {
  name_inputs(p);
  const exit_code code = take(options_.nac.shapes, origin::form);
  for (std::size_t i = 0; i < inputs_.size() && code == success; ++i)
    if (inputs_[i].form) out.emplace_back(names_[i], *inputs_[i].form);
  return code;
}

exit_code nac_inputs::bind(const nac::program& p) {
  name_inputs(p);
  exit_code code = take(options_.nac.shapes, origin::form);
  if (code == success) code = take(options_.inputs, origin::file);
  if (code == success) code = take(options_.nac.texts, origin::text);
  if (code != success) return code;
  std::size_t from_stdin =
      static_cast<std::size_t>(std::count(options_.files.begin(), options_.files.end(), "-"));
  constexpr std::size_t max_shown = 8;
  std::string missing;
  std::size_t without = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    given& g = inputs_[i];
    if (g.from == origin::file && g.word == "-") ++from_stdin;
    if (g.from == origin::none && g.form) g.from = origin::form;
    if (g.from == origin::none && ++without <= max_shown)
      missing.append(missing.empty() ? "" : ", ").append(shown_name(names_[i]));
    if (g.from != origin::file || g.form) continue;
    if (format_of(options_.input_format, g.word) != io::array_format::npy)
      return usage("no shape for input '" + shown_name(names_[i]) + "'; give --shape " +
                   shown_name(names_[i]) + "=1x3, or an .npy file");
  }
  if (from_stdin > 1) return usage("standard input can be read only once");
  if (without > max_shown) missing.append(" and " + std::to_string(without - max_shown) + " more");
  if (without != 0)
    return usage(
        "no values for " + missing +
        "; give --input NAME=FILE, --text NAME=TEXT, or --shape NAME=1x3 for zeros (random "
        "numbers with --random SEED)");
  return success;
}

exit_code nac_inputs::make(const given& g, std::size_t index, vn::interpreter& machine,
                           std::uint64_t& random, vn::value& out) const {
  vn::memory& arena = machine.arena();
  if (g.from == origin::text) {
    vn::tokenizer_options how;
    how.max_memory = arena.limit() - arena.live();
    const vn::tokenizer tokens(machine.program().model(), how);
    std::vector<std::int32_t> ids;
    vn::trouble why = tokens.made();
    if (why) why = tokens.encode(g.word, ids);
    if (!why) {
      const std::string message = message_of(why.code, why.text);
      diagnostic d = diagnose(shown_name(to_.path), error{why.code}.name(), message);
      add_place(d, "");
      return to_.fail(d, bad_input, format::nac);
    }
    vn::tensor t =
        vn::make_tensor(arena, nac::data_type::int64, {1, static_cast<std::int64_t>(ids.size())});
    std::copy(ids.begin(), ids.end(), t.as<std::int64_t>());
    out = std::move(t);
    return success;
  }
  if (g.from == origin::file && !g.form) {
    io::expected<vn::value> v = read_npy(g.word, arena);
    if (!v) return to_.fail(v.error());
    out = std::move(*v);
    return success;
  }
  const element_shape what = elements_of(*g.form);
  vn::tensor t = vn::make_tensor(arena, g.form->type, g.form->dims);  // checks the size
  if (g.from == origin::file) {
    const io::expected<std::vector<std::byte>> values =
        read_elements(g.word, format_of(options_.input_format, g.word), what);
    if (!values) return to_.fail(values.error());
    out = vn::load(arena, g.form->type, g.form->dims, {values->data(), values->size()});
    return success;
  }
  std::vector<std::byte> values(t.bytes());
  if (options_.seed) {
    const bool whole = !is_floating(g.form->type);
    const bool truth = g.form->type == nac::data_type::boolean;
    const double max =
        truth ? 1
              : last_index(machine.program(), machine.program().inputs()[index].instruction)
                    .value_or(15);
    for (std::size_t i = 0; i < t.size(); ++i)
      (void)store_element(values, what.type, i,
                          random_number(random, whole ? 0 : -1, whole ? max : 1, whole));
  }
  out = vn::load(arena, g.form->type, g.form->dims, {values.data(), values.size()});
  return success;
}

exit_code nac_inputs::set(vn::interpreter& machine, vn::interpreter* other) const {
  std::uint64_t random = options_.seed.value_or(0);
  try {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      vn::value v;
      if (const exit_code code = make(inputs_[i], i, machine, random, v); code != success)
        return code;
      if (other != nullptr) other->set_input(i, v);
      machine.set_input(i, std::move(v));
    }
    for (const auto& [id, path] : states_) {
      io::expected<vn::value> v = read_npy(path, machine.arena());
      if (!v) return to_.fail(v.error());
      if (other != nullptr) (void)other->set_state(id, *v);
      if (machine.set_state(id, std::move(*v)) != errc::ok)
        return usage("the program has no state " + std::to_string(id));
    }
  } catch (const vn::fault& f) {
    return fail_inputs(f, shown_name(to_.path), to_, format::nac);
  }
  return success;
}

exit_code fail_inputs(const vn::fault& f, std::string_view file, const reporting& to, format what) {
  diagnostic d = diagnose(file, error{f.code}.name(), message_of(f.code, f.text));
  add_place(d, "");
  const exit_code code = to.fail(d, bad_input, what);
  note_limit(f.code, to);
  return code;
}

std::string message_of(errc code, const std::string& text) {
  const std::string message(error{code}.message());
  return text.empty() ? message : message + ": " + shown_name(text);
}

exit_code fail_run(const vn::outcome& done, const nac::program& p, const source& from,
                   const reporting& to) {
  diagnostic d = diagnose(from.name, error{done.code}.name(), message_of(done.code, done.text));
  std::string where;
  if (done.instruction < p.size()) {
    const nac::step& s = p.code().steps[done.instruction];
    where = "at v" + std::to_string(done.instruction);
    if (s.a >= nac::first_regular_op) {
      text name;
      nac::print_string(name, p.model().operation_name(s.a));
      where.append(" ").append(name.view());
    }
    d.offset = p.model().instructions().offset() + s.offset;
    where += ", offset " + std::to_string(*d.offset);
  }
  add_place(d, where);
  const exit_code code = to.fail(d, bad_input, from.what);
  note_limit(done.code, to);
  return code;
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
