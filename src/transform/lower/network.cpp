// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/network.hpp"

#include <algorithm>
#include <type_traits>

#include "io/random.hpp"
#include "transform/lower/calibrate.hpp"
#include "vm/nac/load.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace vn = vm::nac;

namespace {

[[nodiscard]] bool is_input(const nac::step& s, nac::input what) noexcept {
  return s.a == nac::op_input && s.b == static_cast<std::uint8_t>(what);
}

/// Whether a result depends on the shapes of its operands only.
[[nodiscard]] bool is_of_shape(nac::operation what) noexcept {
  using kind = nac::operation;
  constexpr kind all[] = {
      kind::sym_size, kind::sym_numel,       kind::sym_is_contiguous, kind::is_same_size,
      kind::dim,      kind::zeros_like,      kind::ones_like,         kind::new_zeros,
      kind::new_ones, kind::shape_as_tensor, kind::is_floating_point};
  return std::find(std::begin(all), std::end(all), what) != std::end(all);
}
/// Whether of its first operand only the shape counts.
[[nodiscard]] bool is_of_first_shape(nac::operation what) noexcept {
  using kind = nac::operation;
  return what == kind::full_like || what == kind::new_full || what == kind::fill;
}

/// Whether a result has the values of an operand's elements, such as ids.
[[nodiscard]] bool keeps_values(nac::operation what) noexcept {
  const nac::work does = nac::work_of(what);
  return does == nac::work::part || does == nac::work::parts || does == nac::work::move ||
         what == nac::operation::to_copy;
}

/// Keeps what each instruction gives, which a machine drops at the end of its run.
struct keeper : vn::no_observer {
  const vn::interpreter& machine;
  std::vector<vn::value>& results;

  keeper(const vn::interpreter& m, std::vector<vn::value>& to) noexcept : machine(m), results(to) {}
  void end(const vn::event& e) {
    vn::value& to = results[e.instruction];
    if (to.is_none()) to = machine.result(e.instruction);
  }
};

}  // namespace

network::network(const nac::program& p, const lower_options& options)
    : program_(p),
      machine_(p, {.max_memory = options.limit.max_memory, .frees = vn::freeing::never}) {
  find_dependent();
  set_inputs(options, options.seed, -1, 1);
  results_.resize(size());
  const vn::outcome done = machine_.run(options.limit, keeper(machine_, results_));
  if (!done) throw failed(done);
  for (std::size_t k = 0; k < p.inputs().size(); ++k)  // those that no instruction was run for
    if (vn::value& x = results_[p.inputs()[k].instruction]; x.is_none())
      x = vn::make_tensor(machine_.arena(), type_of(options, k), vn::shape(options.shapes[k]));
  find_skipped();
  run_other_branches(options);
}

bool network::has_all_results() const {
  for (std::uint32_t i = 0; i < size(); ++i)
    if (at(i).a >= nac::first_regular_op && !is_skipped_[i] && results_[i].is_none()) return false;
  return true;
}

/// What branches give that the first run didn't take: of other inputs.
void network::run_other_branches(const lower_options& options) {
  if (std::find(is_open_.begin(), is_open_.end(), true) == is_open_.end()) return;
  constexpr double ranges[][2] = {{0, 1}, {-1, 0}, {-1, 1}, {0, 16}, {-16, 0}, {-16, 16}};
  constexpr std::uint64_t rounds = 4;
  for (std::uint64_t k = 0; k < rounds * std::size(ranges) && !has_all_results(); ++k) {
    const auto& [low, high] = ranges[k % std::size(ranges)];
    set_inputs(options, options.seed + 1 + k, low, high);
    const vn::outcome done = machine_.run(options.limit, keeper(machine_, results_));
    if (!done) throw failed(done);
  }
  if (has_all_results()) return;
  for (std::uint32_t i = 0; i < size(); ++i)
    if (is_open_[i])
      throw refusal{errc::nac_lower_operation, i,
                    name_of(i) + ": no random inputs are found that take all branches"};
}

/// A run's end, as a refusal with what it is: "v2 nac.matmul: …".
refusal network::failed(const vn::outcome& done) const {
  refusal out{done.code, 0, std::string(error{done.code}.message())};
  if (!done.text.empty()) out.text.append(": ").append(done.text);
  if (done.instruction >= size()) return out;
  out.instruction = done.instruction;
  out.text = name_of(out.instruction) + ": " + out.text;
  return out;
}

void network::find_dependent() {
  depends_.assign(size(), false);
  is_open_.assign(size(), false);
  for (std::uint32_t i = 0; i < size(); ++i) {
    const nac::step& s = at(i);
    if (s.a == nac::op_convergence)
      throw refusal{errc::nac_lower_operation, i, "the device has no branches"};
    if (s.a == nac::op_control_flow) find_branch(i);
    if (is_input(s, nac::input::state))
      throw refusal{errc::nac_lower_operation, i, "states between runs can't be lowered"};
    if (is_input(s, nac::input::user)) depends_[i] = true;
    if (s.a < nac::first_regular_op) continue;
    const nac::operation o = nac::program::operation_of(s);
    depends_[i] = !is_of_shape(o) && depends_on_operands(i);
    const view<nac::argument> given = program_.code().arguments_of(s);
    if (!program_.is_in_place(s) || o == nac::operation::pass) continue;
    if (given.empty() || given[0].is_constant()) continue;  // nothing that others read is written
    const std::uint32_t target = given[0].index();
    const auto known = first_.find(target);
    first_[i] = known != first_.end() ? known->second : target;
    writes_[first_[i]].push_back(i);
  }
  check_writes();
}

bool network::depends_on_operands(std::uint32_t i) const {
  const nac::operation o = nac::program::operation_of(at(i));
  bool any = nac::is_random(o), is_first = true;
  for (const nac::argument a : program_.code().arguments_of(at(i))) {
    if (!a.is_constant() && depends_[written(a.index(), i)] && !(is_first && is_of_first_shape(o)))
      any = true;
    is_first = false;
  }
  return any;
}

std::uint32_t network::written(std::uint32_t operand, std::uint32_t i) const {
  const auto known = first_.find(operand);
  const auto all = writes_.find(known != first_.end() ? known->second : operand);
  if (all == writes_.end()) return operand;
  for (auto w = all->second.rbegin(); w != all->second.rend(); ++w)
    if (*w < i) return std::max(*w, operand);
  return operand;
}

/// A write changes whatever shares the elements: views of what is written, and what that is a view of.
/// One is refused where something uses them later.
void network::check_writes() const {
  if (writes_.empty()) return;
  std::vector<std::uint32_t> base(size());  // whose elements a result shares
  std::vector<std::uint32_t> last_use(size());
  for (std::uint32_t i = 0; i < size(); ++i) {
    base[i] = i;
    const view<nac::argument> given = program_.code().arguments_of(at(i));
    for (const nac::argument a : given)
      if (!a.is_constant()) last_use[a.index()] = i;
    if (at(i).a < nac::first_regular_op || given.empty() || given[0].is_constant()) continue;
    const nac::operation o = nac::program::operation_of(at(i));
    const nac::work does = nac::work_of(o);
    const bool is_part = (does == nac::work::part || does == nac::work::parts) && !is_of_shape(o) &&
                         !is_of_first_shape(o);
    if (is_part || program_.is_in_place(at(i))) base[i] = base[given[0].index()];
  }
  for (const auto& [first, all] : writes_)
    for (const std::uint32_t w : all)
      for (std::uint32_t k = 0; k < w; ++k) {
        const auto known = first_.find(k);
        const bool is_same = k == first || (known != first_.end() && known->second == first);
        if (!is_same && base[k] == base[first] && last_use[k] > w)
          throw refusal{errc::nac_lower_operation, w,
                        name_of(w) +
                            ": a write in place that also changes a view can't be lowered; "
                            "`tessera optimize` makes results of most"};
      }
}

/// Its result depends on inputs even if its condition is known: one of its branches may.
void network::find_branch(std::uint32_t i) {
  is_open_[i] = depends_[argument_of(i, 0)];
  depends_[i] = true;
}

network::branches network::branches_of(std::uint32_t i) const {
  const view<nac::argument> given = program_.code().arguments_of(at(i));
  const std::uint32_t middle = i + 1 + given[1].index();
  return {middle, middle + given[2].index()};
}
bool network::holds(std::uint32_t i) const {
  const vn::value& v = results_[program_.code().arguments_of(at(i))[0].index()];
  const vn::tensor& t = vn::decayed(v).as_tensor();
  return vn::visit(t.type, [&]<class T>(vn::of<T>) { return vn::convert<bool>(*t.as<T>()); });
}

void network::find_skipped() {
  is_skipped_.assign(size(), false);
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (at(i).a != nac::op_control_flow || is_skipped_[i] || is_open_[i]) continue;
    const auto [middle, after] = branches_of(i);
    for (std::uint32_t k = holds(i) ? middle : i + 1; k < (holds(i) ? after : middle); ++k)
      is_skipped_[k] = true;
  }
}

std::vector<std::uint32_t> network::results_of_branch(std::uint32_t i, bool is_first) const {
  const auto [middle, after] = branches_of(i);
  const std::uint32_t last = (is_first ? middle : after) - 1;
  if (at(last).a != nac::op_output) return {last};
  std::vector<std::uint32_t> out;
  for (std::size_t k = 0; k < program_.code().arguments_of(at(last)).size(); ++k)
    out.push_back(argument_of(last, k));
  return out;
}

void network::set_inputs(const lower_options& options, std::uint64_t random, double low,
                         double high) {
  for (std::size_t k = 0; k < program_.inputs().size(); ++k) {
    const nac::model_input& in = program_.inputs()[k];
    if (k >= options.shapes.size())
      throw refusal{errc::nac_lower_shape, in.instruction,
                    "input " + std::to_string(k) + " has no shape"};
    machine_.set_input(k, random_input(type_of(options, k), options.shapes[k], random, low, high));
  }
}

/// Integers are 0, which all tables have a row for.
vn::tensor network::random_input(nac::data_type type, const std::vector<std::int64_t>& shape,
                                 std::uint64_t& random, double low, double high) {
  vn::tensor x = vn::make_tensor(machine_.arena(), type, vn::shape(shape));
  vn::visit(type, [&]<class T>(vn::of<T>) {
    for (T& e : x.elements<T>()) {
      const double fraction = static_cast<double>(io::next_bits(random) >> 11) * 0x1p-53;
      if constexpr (std::is_same_v<T, bool>)
        e = fraction < 0.5;
      else if constexpr (std::is_integral_v<T>)
        e = 0;
      else
        e = vn::convert<T>(low + (high - low) * fraction);
    }
  });
  return x;
}

std::int64_t network::index_end(std::uint32_t input) {
  std::vector<bool> follows(size());
  follows[input] = true;
  std::int64_t end = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const nac::step& s = at(i);
    if (s.a < nac::first_regular_op || is_constant(i)) continue;
    for (const nac::argument a : program_.code().arguments_of(s)) {
      if (a.is_constant() || !follows[written(a.index(), i)]) continue;
      const std::int64_t rows = rows_indexed(i, follows);
      if (rows > 0) end = end == 0 ? rows : std::min(end, rows);
      follows[i] = rows == 0 && keeps_values(nac::program::operation_of(s));
    }
  }
  return end;
}

/// The rows of a table that an operation takes by indices that `follows` has.
std::int64_t network::rows_indexed(std::uint32_t i, const std::vector<bool>& follows) {
  using kind = nac::operation;
  const kind what = nac::program::operation_of(at(i));
  const bool by_axis = what == kind::index_select || what == kind::gather;
  if (what != kind::embedding && what != kind::index && what != kind::one_hot && !by_axis) return 0;
  vn::call c = call_of(i);
  const view<nac::argument> given = program_.code().arguments_of(at(i));
  const auto is_index = [&](std::size_t letter, std::size_t k = 0) {
    const nac::argument a = given[c.binding().first[letter] + k];
    return !a.is_constant() && follows[written(a.index(), i)];
  };
  if (what == kind::one_hot) return c.has(1) ? std::max<std::int64_t>(c.whole(1), 0) : 0;
  if (what == kind::embedding) return is_index(1) ? c.tensor_at(0).dim(0) : 0;
  const vn::tensor& table = c.tensor_at(0);
  if (by_axis && is_index(2)) {
    const std::int64_t axis = c.whole(1);
    return table.dim(
        static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(table.rank()) : axis));
  }
  if (what == kind::index)
    for (std::size_t k = 0; k < c.count(1); ++k)
      if (c.has(1, k) && is_index(1, k)) return table.dim(k);
  return 0;
}

std::string network::name_of(std::uint32_t i) const {
  std::string out = "v" + std::to_string(i);
  if (at(i).a >= nac::first_regular_op)
    out.append(" ").append(program_.model().operation_name(at(i).a));
  return out;
}

vn::call network::call_of(std::uint32_t i, std::size_t replaced, const vn::value* by) {
  const nac::step& s = at(i);
  const view<nac::argument> given = program_.code().arguments_of(s);
  std::vector<nac::argument_form> forms;
  std::vector<const vn::value*>& values = arguments_.emplace_back();
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (!given[k].is_constant()) {
      forms.push_back(nac::argument_form::result);
      values.push_back(k == replaced ? by : &results_[written(given[k].index(), i)]);
      continue;
    }
    const nac::constant& c = program_.constant(given[k].id());
    forms.push_back(nac::form_of(c));
    const auto [at, is_new] = constants_.try_emplace(given[k].id());
    if (is_new) at->second = vn::load(machine_.arena(), c);
    values.push_back(&at->second);
  }
  nac::binding& b = bindings_.emplace_back();
  const nac::operation o = nac::program::operation_of(s);
  (void)nac::bind(nac::pattern(o), {forms.data(), forms.size()}, b);
  return {machine_.arena(), work_, o, b, values};
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
