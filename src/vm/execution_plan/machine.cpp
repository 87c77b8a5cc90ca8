// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "machine.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <new>
#include <tessera/core/bytes.hpp>
#include <utility>

#include "format.hpp"
#include "formats/real_from_chars.hpp"
#include "image.hpp"
#include "values.hpp"
#include "vm/nac/interpreter.hpp"
#include "vm/tokenizer/tokenizer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

using kind = plan_value::kind;
using model::plan_op;

/// A model with all that it borrows, and what was made of it when it was first needed.
struct plan_machine::loaded {
  std::string path;
  io::content file, weights_file;
  std::optional<model::safetensors> weights;
  std::optional<model::program> own;
  const model::program* program = nullptr;
  std::unique_ptr<interpreter> runs;
  std::unique_ptr<tokenizer> tokens;
};

namespace {

constexpr std::size_t max_loops = 65536;
/// Steps of reading a file, of writing one, which waits for the disk, and of writing to a stream.
constexpr std::uint64_t file_steps = 1u << 18, disk_steps = 1u << 22, stream_steps = 1u << 11;
/// Of reading and verifying a byte of a file.
constexpr std::uint64_t read_steps = 8;

[[nodiscard]] std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == path.npos ? "." : path.substr(0, slash + 1);
}

/// Of a missing answer's type, none of the number.
[[nodiscard]] std::string_view trimmed(std::string_view s) noexcept {
  constexpr std::string_view blanks = " \t\n\r\f\v";
  const std::size_t first = s.find_first_not_of(blanks);
  return first == s.npos ? std::string_view()
                         : s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

/// Steps of an instruction besides those of its elements. What the system does takes longest.
[[nodiscard]] std::uint64_t steps_of(plan_op op, std::span<const std::uint32_t> operands) noexcept {
  const std::uint64_t all = instruction_steps + operand_steps * operands.size();
  const auto is = [op](auto... any) { return ((op == any) || ...); };
  if (is(plan_op::res_load_model, plan_op::res_load_datafile, plan_op::res_load_dynamic))
    return all + file_steps;
  if (is(plan_op::io_write)) return all + (operands[1] == 2 ? disk_steps : stream_steps);
  return is(plan_op::src_user_prompt, plan_op::sys_debug_print) ? all + stream_steps : all;
}

template <class T>
[[nodiscard]] T number_in(std::string_view answer) {
  std::string_view s = trimmed(answer);
  if (s.size() > 1 && s[0] == '+' && s[1] != '-') s.remove_prefix(1);
  T v{};
  const auto [end, e] = [&] {
    if constexpr (std::is_integral_v<T>)
      return std::from_chars(s.data(), s.data() + s.size(), v);
    else
      return chars::real_from_chars(s.data(), s.data() + s.size(), v);
  }();
  if (e != std::errc{} || end != s.data() + s.size() || s.empty())
    fail(errc::nac_plan_answer, "found \"", answer.substr(0, 100), "\"; expected ",
         std::is_integral_v<T> ? "an integer" : "a number");
  return v;
}

}  // namespace

plan_machine::plan_machine(const model::program& p, plan_options how)
    : program_(p),
      how_(std::move(how)),
      arena_(how_.max_memory),
      files_(how_.files, how_.folder, folder_of(how_.path)),
      models_(256),
      slots_(256) {}

plan_machine::~plan_machine() = default;

// ---- before a run

void plan_machine::decode() {
  const bytes code = program_.model().execution_plan();
  if (code.size() > how_.max_memory / 64)
    fail(errc::budget_memory, "the execution plan's instructions don't fit: ", code.size(),
         " bytes; expected at most ", how_.max_memory / 64);
  steps_.clear();
  operands_.clear();
  std::vector<std::uint32_t> at(code.size() + 1);  // of each offset: the instruction
  std::vector<std::uint32_t> open;
  model::plan_reader in(code);
  for (model::plan_instruction i; in.next(i);) {
    const auto index = static_cast<std::uint32_t>(steps_.size());
    at[static_cast<std::size_t>(i.offset)] = index;
    step s{i.op(), static_cast<std::uint32_t>(i.offset),
           static_cast<std::uint32_t>(operands_.size()), 0, 0};
    for (const model::plan_operand& o : i.operands()) {
      operands_.push_back(static_cast<std::uint32_t>(o.value));
      if (o.kind == 'j') s.jump = static_cast<std::uint32_t>(o.target());
    }
    s.steps = static_cast<std::uint32_t>(steps_of(s.op, std::span(operands_).subspan(s.operands)));
    steps_.push_back(s);
    if (s.op == plan_op::flow_loop_start) {
      open.push_back(index);
    } else if (s.op == plan_op::flow_loop_end) {
      steps_[open.back()].jump = index + 1;
      open.pop_back();
    }
  }
  at[code.size()] = static_cast<std::uint32_t>(steps_.size());
  for (step& s : steps_)
    if (s.op == plan_op::flow_loop_end || s.op == plan_op::flow_branch_if ||
        s.op == plan_op::flow_break_loop_if)
      s.jump = at[s.jump];
  // The end of the code is an instruction of its own.
  steps_.push_back(
      {plan_op::exec_halt, static_cast<std::uint32_t>(code.size()), 0, 0, instruction_steps});
  constants_.clear();
  for (const model::constant& c : program_.model().plan_constants()) {
    if (c.id >= constants_.size()) constants_.resize(std::size_t{c.id} + 1);
    constants_[c.id] = c;
  }
}

void plan_machine::refuse_training(plan_outcome& done) const {
  if (how_.mode == "infer") return;
  for (const step& s : steps_) {
    done.offset = s.offset;
    if (s.op == plan_op::model_train_step || s.op == plan_op::model_save_weights)
      fail(errc::nac_plan_training, model::name(s.op));
  }
}

plan_outcome plan_machine::run() {
  plan_outcome done;
  const vm::meter outside = arena_.exchange(vm::meter(how_.max_steps));
  try {
    for (plan_value& v : slots_) v = {};
    for (auto& m : models_) m = nullptr;
    loops_.clear();
    next_answer_ = 0;
    written_ = 0;
    random_ = how_.seed;
    decode();
    refuse_training(done);
    models_[0] = std::make_shared<loaded>();
    models_[0]->path = how_.path;
    models_[0]->program = &program_;
    execute(done);
  } catch (fault& f) {
    done.code = f.code;
    done.text = std::move(f.text);
  } catch (const std::bad_alloc&) {
    done.code = errc::budget_memory;
  }
  done.steps = arena_.exchange(outside).used();
  return done;
}

// ---- constants and slots

plan_value plan_machine::constant(std::uint32_t id) {
  const model::constant& c = constants_[id];
  switch (c.type) {
    case model::constant_type::null: break;
    case model::constant_type::boolean: return plan_value::boolean(c.boolean());
    case model::constant_type::int64: return plan_value::whole(c.int64());
    case model::constant_type::float64: return plan_value::real(c.float64());
    case model::constant_type::string: return plan_value::string(arena_, c.string());
    case model::constant_type::int32_list: {
      const model::packed<std::int32_t> all = c.int32_list();
      tensor t = make_tensor(arena_, data_type::int64, {all.size()});
      for (std::uint32_t i = 0; i < all.size(); ++i) t.as<std::int64_t>()[i] = all[i];
      return plan_value::list(std::move(t));
    }
    case model::constant_type::float32_list: {
      const model::packed<float> all = c.float32_list();
      tensor t = make_tensor(arena_, data_type::float64, {all.size()});
      for (std::uint32_t i = 0; i < all.size(); ++i)
        t.as<double>()[i] = static_cast<double>(all[i]);
      return plan_value::list(std::move(t));
    }
  }
  return {};
}

std::string_view plan_machine::string_constant(std::uint32_t id) const noexcept {
  return constants_[id].string();
}

std::string_view plan_machine::string_in(std::uint32_t operand) const {
  if (in(operand).what() != kind::string) wrong_slot("a string", in(operand));
  return in(operand).as_text();
}

// ---- prompts and text

plan_value plan_machine::prompt(std::uint32_t type, std::string_view text) {
  std::string answer;
  if (next_answer_ < how_.answers.size()) {
    answer = how_.answers[next_answer_++];
    write_stream(false, std::string(text) + answer + '\n');
  } else if (std::optional<std::string> given; how_.ask && (given = how_.ask(text))) {
    answer = *std::move(given);
  } else {
    fail(errc::nac_plan_prompt, "the prompt is \"", text, '"');
  }
  if (type == 1) return plan_value::whole(number_in<std::int64_t>(answer));
  if (type == 2) return plan_value::real(number_in<double>(answer));
  return plan_value::string(arena_, answer);
}

void plan_machine::count_written(std::uint64_t bytes) {
  if (bytes > how_.max_written - written_)
    fail(errc::budget_memory, "more than ", how_.max_written, " bytes would be written");
  written_ += bytes;
}

void plan_machine::write_stream(bool error, std::string_view text) {
  count_written(text.size());
  const auto& to = error ? how_.err : how_.out;
  if (to && !to(text)) fail(errc::nac_plan_file, error ? "standard error" : "standard output");
}

void plan_machine::write(const plan_value& v, std::uint32_t destination, const plan_value& path,
                         std::uint32_t mode) {
  limited_text line(room_left(), &arena_);
  if (v.what() == kind::bytes)
    line << v.as_text();  // as they are: they are no line
  else
    append_str(line, v);
  if (v.what() != kind::bytes && mode != 2) line << '\n';
  if (destination != 2) return write_stream(destination == 1, line.view());
  if (path.what() != kind::string) wrong_slot("a path", path);
  count_written(line.view().size());
  files_.write(path.as_text(), line.view(), mode != 0);
}

plan_value plan_machine::serialized(const plan_value& v, std::uint32_t how) {
  limited_text out(room_left(), &arena_);
  if (how == 2) {
    if (!v.is_tensor()) wrong_slot("a picture", v);
    return plan_value::bytes(arena_, png_of(arena_, v.elements()));
  }
  if (how == 1)
    append_json(out, v);
  else
    append_str(out, v);
  return plan_value::string(arena_, out.view());
}

// ---- files

plan_value plan_machine::image_of(std::string_view path) {
  const io::content file = files_.read(files_.find(path), room_left());
  arena_.charge(product_of_steps(file.view().size(), read_steps));
  return picture_for_model(arena_, file.view());
}

plan_value plan_machine::array_named(std::string_view name) {
  for (const model::array& a : program_.model().arrays())
    if (a.name == name) return load(arena_, a);
  fail(errc::nac_plan_array, "the name is \"", name, '"');
}

// ---- models

plan_machine::loaded& plan_machine::model_at(std::uint32_t number) const {
  if (models_[number] == nullptr) fail(errc::nac_plan_model, "model ", number, " isn't loaded");
  return *models_[number];
}

void plan_machine::load_model(std::uint32_t number, std::string_view path) {
  auto made = std::make_shared<loaded>();
  made->path = path;
  std::string found;
  if (how_.load && (made->program = how_.load(path)) != nullptr) {
  } else if (number == 0 || path == how_.path) {
    made->program = &program_;  // which may have another name by now, or none
  } else {
    found = files_.find(path);
    if (!how_.path.empty() && files_.is_same(found, how_.path)) made->program = &program_;
  }
  if (made->program == &program_) {
    // The one being run is there already, with its states.
    if (models_[number] != nullptr && models_[number]->program == &program_) return;
  } else if (made->program == nullptr) {
    made->file = files_.read(found, ~std::uint64_t{0});
    arena_.charge(product_of_steps(made->file.view().size(), read_steps));
    const auto wrong = [&](const error& e) {
      fail(e.code, '"', found, "\" is invalid at byte ", e.offset);
    };
    const result<model::model> file = model::read(made->file.view());
    if (!file) wrong(file.error());
    model::verify_options how;
    if (!file->has_internal_weights() && !file->parameters().empty()) {
      const std::string beside = found.substr(0, found.find_last_of('.')) + ".safetensors";
      made->weights_file = files_.read(files_.find(beside), ~std::uint64_t{0});
      result<model::safetensors> weights = model::read_safetensors(made->weights_file.view());
      if (!weights) wrong(weights.error());
      made->weights = *std::move(weights);
      how.weights = &*made->weights;
    }
    result<model::program> program = model::verify(*file, how);
    if (!program) wrong(program.error());
    made->own = *std::move(program);
    made->program = &*made->own;
  }
  models_[number] = std::move(made);
}

void plan_machine::run_model(const std::uint32_t* o, plan_outcome& done) {
  loaded& m = model_at(o[0]);
  if (m.runs == nullptr)
    m.runs = std::make_unique<interpreter>(
        *m.program, interpreter_options{.seed = how_.seed, .arena = &arena_});
  const std::uint32_t given = o[1], taken = o[2 + given];
  const std::uint32_t* const from = o + 2;
  const std::uint32_t* const to = o + 3 + given;
  const plan_values with{arena_, work_};
  const std::size_t wanted = m.program->inputs().size();
  if (given > wanted)
    fail(errc::nac_plan_inputs, "slots given: ", given, "; expected at most ", wanted,
         ", one per input");
  if (given == 0 && wanted != 0)
    fail(errc::nac_run_input, "model ", o[0], " gets no slots; expected at least 1");
  for (std::size_t i = 0; i < wanted; ++i)  // in turn where there are fewer than the model has
    m.runs->set_input(i, with.tensor_of(in(from[i % given])));
  const outcome ran = m.runs->run({how_.max_steps, how_.max_memory});
  arena_.charge(ran.steps);
  done.instructions += ran.instructions;
  for (std::size_t i = 0; i < wanted; ++i) m.runs->set_input(i, {});
  if (!ran) {
    std::string where = "model " + std::to_string(o[0]);
    if (ran.instruction != outcome::none)
      where += ", instruction " + std::to_string(ran.instruction);
    fail(ran.code, ran.text.empty() ? where : where + ": " + ran.text);
  }
  const std::span<const value> outputs = m.runs->outputs();
  if (outputs.size() < taken)
    fail(errc::nac_plan_outputs, "slots for outputs: ", taken, "; expected at most ",
         outputs.size());
  for (std::uint32_t i = 0; i < taken; ++i) slots_[to[i]] = with.from_model(outputs[i]);
}

// ---- tokenizers

plan_value plan_machine::tokenizer_of(std::uint32_t number) {
  loaded& m = model_at(number);
  if (m.tokens == nullptr) {
    auto made = std::make_unique<tokenizer>(
        m.program->model(),
        tokenizer_options{
            .max_memory = how_.max_memory, .max_steps = how_.max_steps, .steps = &arena_.steps()});
    if (!made->made()) fail(made->made().code, made->made().text);
    m.tokens = std::move(made);
  }
  // They share the model, so that both stay.
  return plan_value(std::shared_ptr<const tokenizer>(models_[number], m.tokens.get()));
}

namespace {
[[nodiscard]] const tokenizer& tokenizer_in(const plan_value& v) {
  if (v.what() != kind::tokenizer) wrong_slot("a tokenizer", v);
  return v.as_tokenizer();
}
}  // namespace

plan_value plan_machine::encoded(const plan_value& tokens, const plan_value& text) {
  const tokenizer& t = tokenizer_in(tokens);
  if (text.what() != kind::string) wrong_slot("a string", text);
  std::vector<std::int32_t> ids;
  const trouble went = t.encode(text.as_text(), ids);
  if (!went) fail(went.code, went.text);
  tensor list = make_tensor(arena_, data_type::int64, {static_cast<std::int64_t>(ids.size())});
  std::copy(ids.begin(), ids.end(), list.as<std::int64_t>());
  return plan_value::list(std::move(list));
}

plan_value plan_machine::decoded(const plan_value& tokens, const plan_value& ids) {
  const tokenizer& t = tokenizer_in(tokens);
  const tensor from = plan_values{arena_, work_}.tensor_of(ids);
  const tensor wide = cast(arena_, from, data_type::int64);
  if (is_floating(from.type)) wrong_slot("ids", ids);
  std::string out;
  const trouble went = t.decode(wide.elements<std::int64_t>(), out);
  if (!went) fail(went.code, went.text);
  return plan_value::string(arena_, out);
}

// ---- the loop

plan_value plan_machine::external(std::uint32_t what, std::uint32_t id) {
  const plan_value found = constant(id);
  return what == 0 ? tokenizer_of(static_cast<std::uint32_t>(whole_of(found))) : found;
}

plan_value plan_machine::file_named(std::uint32_t type, std::string_view path) {
  return type == 3 ? image_of(path) : files_.read_npy(arena_, files_.find(path));
}

void plan_machine::unload(bool is_model, std::uint32_t index) {
  if (is_model)
    models_[index] = nullptr;
  else
    slots_[index] = {};
}

plan_value plan_machine::id_of(const plan_value& tokens, std::string_view text) {
  const std::optional<std::int32_t> id = tokenizer_in(tokens).id_of(text);
  return id ? plan_value::whole(*id) : plan_value();
}

plan_value plan_machine::formatted(std::string_view pattern, std::uint32_t count,
                                   const std::uint32_t* from) {
  std::vector<plan_value> values;
  for (std::uint32_t i = 0; i < count; ++i) values.push_back(in(from[i]));
  limited_text out(room_left(), &arena_);
  append_formatted(out, pattern, values);
  return plan_value::string(arena_, out.view());
}

plan_value plan_machine::manipulated(std::uint32_t how, const std::uint32_t* o) {
  const plan_values with{arena_, work_};
  if (how == 1) return with.pad_left(in(o[0]), in(o[1]), in(o[2]));
  return how == 2 ? with.unsqueezed(in(o[0]), in(o[1])) : with.squeezed(in(o[0]), in(o[1]));
}

plan_value plan_machine::concatenated(std::uint32_t count, const std::uint32_t* o) {
  const plan_values with{arena_, work_};
  std::vector<tensor> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(with.tensor_of(in(o[i])));
  return with.concatenated(all, in(o[count]));
}

plan_value plan_machine::information(std::uint32_t what, const std::uint32_t* o) {
  const plan_values with{arena_, work_};
  if (what == 0) return with.shape_of(in(o[0]));
  return what == 1 ? with.dimension(in(o[0]), in(o[1])) : number_of(in(o[0]));
}

void plan_machine::print(const plan_value& v, std::string_view label) {
  limited_text line(room_left(), &arena_);
  line << "[DEBUG] " << label << ": ";
  append_str(line, v);
  line << '\n';
  write_stream(true, line.view());
}

void plan_machine::find_top_k(const std::uint32_t* o) {
  plan_value indices, values;
  plan_values{arena_, work_}.top_k(in(o[0]), in(o[1]), indices, values);
  slots_[o[2]] = std::move(indices);
  slots_[o[3]] = std::move(values);
}

bool plan_machine::begin_loop(const plan_value& v) {
  const std::int64_t rounds = rounds_of(v);
  if (rounds <= 0) return false;
  if (loops_.size() == max_loops)
    fail(errc::budget_memory, "loops are nested too deeply; expected at most ", max_loops);
  loops_.push_back(rounds);
  return true;
}

void plan_machine::execute(plan_outcome& done) {
  for (std::uint32_t at = 0, next = 0; next != no_step; at = next) {
    const step& s = steps_[at];
    done.offset = s.offset;
    arena_.charge(s.steps);
    ++done.instructions;
    next = run_step(s, at + 1, done);
  }
}

/// Where to go on: at `next`, unless the instruction says otherwise.
std::uint32_t plan_machine::run_step(const step& s, std::uint32_t next, plan_outcome& done) {
  const plan_values with{arena_, work_};
  const std::uint32_t* const o = operands_.data() + s.operands;
  switch (s.op) {
    case plan_op::src_user_prompt: slots_[o[0]] = prompt(o[1], string_constant(o[2])); break;
    case plan_op::src_constant: slots_[o[0]] = constant(o[1]); break;
    case plan_op::src_exec_mode: slots_[o[0]] = plan_value::string(arena_, how_.mode); break;
    case plan_op::res_load_model: load_model(o[0], string_constant(o[1])); break;
    case plan_op::res_load_datafile: slots_[o[0]] = file_named(o[1], string_constant(o[2])); break;
    case plan_op::res_load_extern: slots_[o[0]] = external(o[1], o[2]); break;
    case plan_op::res_load_dynamic: slots_[o[0]] = file_named(o[2], string_in(o[1])); break;
    case plan_op::res_load_array: slots_[o[0]] = array_named(string_constant(o[1])); break;
    case plan_op::res_unload: unload(o[0] == 0, o[1]); break;
    case plan_op::preproc_encode: slots_[o[2]] = encoded(in(o[0]), in(o[1])); break;
    case plan_op::preproc_decode: slots_[o[2]] = decoded(in(o[0]), in(o[1])); break;
    case plan_op::preproc_get_id: slots_[o[2]] = id_of(in(o[0]), string_constant(o[1])); break;
    case plan_op::string_format:
      slots_[o[0]] = formatted(string_constant(o[1]), o[2], o + 3);
      break;
    case plan_op::tensor_create:
      slots_[o[0]] = with.create(static_cast<data_type>(o[1]), o[2], in(o[3]));
      break;
    case plan_op::tensor_manipulate: slots_[o[1]] = manipulated(o[0], o + 2); break;
    case plan_op::tensor_combine: slots_[o[1]] = concatenated(o[2], o + 3); break;
    case plan_op::tensor_info: slots_[o[1]] = information(o[0], o + 2); break;
    case plan_op::tensor_extract: slots_[o[0]] = with.extracted(in(o[1]), in(o[2])); break;
    case plan_op::sys_copy: slots_[o[0]] = in(o[1]); break;
    case plan_op::sys_debug_print: print(in(o[0]), string_constant(o[1])); break;
    case plan_op::math_unary: slots_[o[1]] = with.unary(choice<plan_unary>(o[0]), in(o[2])); break;
    case plan_op::math_binary:
      slots_[o[1]] = with.binary(choice<plan_binary>(o[0]), in(o[2]), in(o[3]));
      break;
    case plan_op::math_aggregate: slots_[o[1]] = with.argmax(in(o[2])); break;
    case plan_op::logic_compare:
      slots_[o[1]] = with.compared(choice<plan_comparison>(o[0]), in(o[2]), in(o[3]));
      break;
    case plan_op::analysis_top_k: find_top_k(o); break;
    case plan_op::analysis_sample:
      slots_[o[3]] = with.sample(in(o[0]), in(o[1]), in(o[2]), random_);
      break;
    case plan_op::model_run_static: run_model(o, done); break;
    case plan_op::model_zero_grad: (void)model_at(o[0]); break;
    case plan_op::model_train_step:
    case plan_op::model_save_weights: fail(errc::nac_plan_training, model::name(s.op));
    case plan_op::flow_loop_start: return begin_loop(in(o[0])) ? next : s.jump;
    case plan_op::flow_loop_end:
      if (--loops_.back() > 0) return s.jump;
      loops_.pop_back();
      break;
    case plan_op::flow_branch_if: return truth_of(in(o[0])) ? s.jump : next;
    case plan_op::flow_break_loop_if:
      if (!truth_of(in(o[0]))) break;
      loops_.pop_back();
      return s.jump;
    case plan_op::serialize_object: slots_[o[0]] = serialized(in(o[1]), o[2]); break;
    case plan_op::io_write: write(in(o[0]), o[1], in(o[2]), o[3]); break;
    case plan_op::exec_return:
      for (std::uint32_t i = 0; i < o[0]; ++i) done.returned.push_back(in(o[1 + i]));
      return no_step;
    case plan_op::exec_halt: return no_step;
    // Verification lets none of these through.
    case plan_op::src_cmd_arg:
    case plan_op::src_file_content:
    case plan_op::reserved_18:
    case plan_op::reserved_31:
    case plan_op::reserved_50:
    case plan_op::reserved_51:
    case plan_op::model_run_dynamic:
    case plan_op::reserved_af:
    case plan_op::reserved_e1: fail(errc::nac_mep_reserved);
  }
  return next;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
