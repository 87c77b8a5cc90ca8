// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "synthesis.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "import/container.hpp"
#include "io/random.hpp"
#include "tessera/nac/all.hpp"
#include "vm/genome/arguments.hpp"
#include "vm/nac/interpreter.hpp"
#include "vm/nac/load.hpp"
#include "vm/nac/operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

namespace vn = vm::nac;
using nac::data_type;
using nac::operation;
using transform::container_builder;
using dims = std::vector<std::int64_t>;

constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr std::uint64_t max_steps = std::uint64_t{1} << 26;  // of one operation
constexpr std::uint64_t steps_of_a_try = 1000;
constexpr std::int64_t max_elements = std::int64_t{1} << 18;
constexpr std::size_t max_candidates = 3, max_productions = 12, max_choices = 12;
constexpr std::uint32_t max_dead_ends = 40;
constexpr std::int64_t vocabulary = 32;  // ids of embeddings

/// Random numbers that are the same everywhere.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] double fraction() {
    return static_cast<double>(io::next_bits(state_) >> 11) * 0x1p-53;
  }
  [[nodiscard]] std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(fraction() * static_cast<double>(n));
  }
  /// Of a normal distribution, by the sum of twelve uniform ones: no library's function.
  [[nodiscard]] double normal() {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += fraction();
    return sum;
  }
  /// Indices in the order in which they are drawn by weight, at most `count`.
  template <class Weight>
  [[nodiscard]] std::vector<std::size_t> order(std::size_t n, std::size_t count,
                                               const Weight& weight) {
    std::vector<double> left(n);
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += left[k] = weight(k);
    std::vector<std::size_t> out;
    while (out.size() < std::min(n, count) && sum > 0) {
      double at = fraction() * sum;
      std::size_t k = 0;
      while (k + 1 < n && (left[k] == 0 || at >= left[k])) at -= left[k++];
      if (left[k] == 0) break;  // rounding left nothing
      out.push_back(k);
      sum -= left[k];
      left[k] = 0;
    }
    return out;
  }

 private:
  std::uint64_t state_;
};

struct argument {
  std::uint32_t node = none;  ///< whose result it is; or
  vn::value constant = {};
};
using arguments = std::vector<argument>;

struct node {
  std::uint32_t name = grammar::parameter;
  operation op = operation::unknown;
  const nac::binding* binding = nullptr;
  arguments given = {};
  vn::value result = {};
  bool is_repaired = false;
  double log_share = 0;
};

[[nodiscard]] const vn::tensor* tensor_of(const vn::value& v) {
  const vn::value& first = vn::decayed(v);
  return first.is_tensor() && !first.as_tensor().is_number ? &first.as_tensor() : nullptr;
}
[[nodiscard]] dims dims_of(const vn::tensor& t) { return {t.dims.begin(), t.dims.end()}; }
/// The place of a parameter in an operation's pattern, by PyTorch's name; none.
[[nodiscard]] std::optional<std::size_t> letter_of(operation o, std::string_view parameter) {
  std::string_view rest = nac::operations[static_cast<std::size_t>(o)].parameters;
  for (std::size_t k = 0; !rest.empty(); ++k) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == parameter) return k;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

class drawing {
 public:
  drawing(const genome::library& library, const grammar& rules, const synthesis_options& how,
          std::uint64_t seed, std::uint64_t& steps)
      : rules_(rules),
        options_(how),
        steps_(steps),
        dice_(seed),
        arena_(how.max_memory),
        compiler_(arena_, library) {}

  /// False: it has too few operations, or, as branches were grown, too many.
  [[nodiscard]] bool run() {
    if (!begin()) return false;
    const std::uint32_t target =
        options_.min_operations + static_cast<std::uint32_t>(dice_.below(
                                      options_.max_operations - options_.min_operations + 1));
    for (std::uint32_t dead_ends = 0;
         operations_ < target && dead_ends < max_dead_ends && steps_ != 0;) {
      const next what = step();
      if (what == next::end) break;
      if (what == next::node) continue;
      ++dead_ends;
      head_ = static_cast<std::uint32_t>(dice_.below(nodes_.size()));
      while (nodes_[head_].name == grammar::parameter) --head_;
    }
    while (head_ != 0 && !nodes_[head_].result.is_tensor()) head_ = source_of(head_);
    keep_needed();
    return operations_ >= options_.min_operations && operations_ <= options_.max_operations;
  }

  [[nodiscard]] result<nac::parts> encode(synthesized& to) const {
    container_builder out(nac::header::v1_8);
    std::vector<std::uint32_t> at(nodes_.size(), none);
    double share = 0;
    for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
      const node& n = nodes_[k];
      if (!needed_[k] && k != 0) continue;
      if (n.name == grammar::data_input) {
        at[k] = out.add(nac::op_input, static_cast<std::uint8_t>(nac::input::user));
        out.parts.add_name(out.parts.input_names, static_cast<std::uint16_t>(at[k]), "input");
        out.parts.inputs = 1;
        to.input = dims_of(n.result.as_tensor());
        to.input_type = n.result.as_tensor().type;
        continue;
      }
      if (n.name == grammar::parameter) {
        at[k] = encode_parameter(out, n.result.as_tensor());
        to.parameters += n.result.as_tensor().size();
        continue;
      }
      at[k] = encode_call(out, n, at);
      ++to.operations;
      to.repaired += n.is_repaired ? 1u : 0u;
      to.macs += macs_of(n);
      share += n.log_share;
    }
    out.parts.outputs = 1;
    out.add(nac::op_output, static_cast<std::uint8_t>(nac::output::model), {0},
            {out.back_to(at[head_])});
    to.log_likelihood = share / std::max(1u, to.operations);
    return out.finish();
  }
  [[nodiscard]] const vn::tensor& input() const { return nodes_[0].result.as_tensor(); }

 private:
  enum class next : std::uint8_t { node, end, nothing };

  // ---- the input

  [[nodiscard]] bool begin() {
    std::vector<std::pair<dims, data_type>> kinds = {{{1, 3, 16, 16}, data_type::float32},
                                                     {{1, 12, 32}, data_type::float32},
                                                     {{1, 12}, data_type::int64},
                                                     {{1, 16}, data_type::float32}};
    if (!options_.input.empty())
      kinds = {{options_.input, data_type::float32}, {options_.input, data_type::int64}};
    for (const std::size_t k :
         dice_.order(kinds.size(), kinds.size(), [](std::size_t) { return 1.0; })) {
      nodes_.clear();
      nodes_.push_back({grammar::data_input});
      nodes_[0].result = random_tensor(kinds[k].second, kinds[k].first);
      head_ = 0;
      if (step() == next::node) return true;
    }
    return false;
  }

  [[nodiscard]] vn::value random_tensor(data_type type, const dims& shape) {
    vn::shape s;
    for (const std::int64_t d : shape) s.push_back(d);
    vn::tensor t = vn::make_tensor(arena_, type, s);
    const std::size_t n = t.size();
    steps_ -= std::min<std::uint64_t>(steps_, n * 16);
    if (type == data_type::int64) {
      for (std::size_t k = 0; k < n; ++k)
        t.as<std::int64_t>()[k] = static_cast<std::int64_t>(dice_.below(vocabulary));
      return t;
    }
    const double fan_in =
        shape.size() < 2 ? 1 : static_cast<double>(n) / static_cast<double>(shape[0]);
    for (std::size_t k = 0; k < n; ++k)
      t.as<float>()[k] = static_cast<float>(shape.size() < 2 ? 0.5 + dice_.fraction()
                                                             : dice_.normal() / std::sqrt(fan_in));
    return t;
  }

  // ---- the next node

  [[nodiscard]] next step() {
    const std::vector<grammar::production>& all = rules_.after(nodes_[head_].name);
    double total = 0;
    for (const grammar::production& p : all) total += p.count;
    for (const std::size_t k :
         dice_.order(all.size(), max_productions, [&](std::size_t i) { return all[i].count; })) {
      const grammar::production& p = all[k];
      if (p.name == grammar::output) {
        if (operations_ >= options_.min_operations && nodes_[head_].result.is_tensor())
          return next::end;
        continue;
      }
      if (add(p, std::log(p.count / total))) return next::node;
    }
    return next::nothing;
  }

  [[nodiscard]] bool add(const grammar::production& p, double log_share) {
    const std::vector<grammar::composition>& all = rules_.compositions(p.name);
    double total = 0;
    for (const grammar::composition& c : all) total += static_cast<double>(c.count);
    for (const std::size_t k : dice_.order(all.size(), max_candidates, [&](std::size_t i) {
           return static_cast<double>(all[i].count);
         })) {
      const grammar::composition& c = all[k];
      const vm::genome::compiled_call* const call = compile(p, c);
      if (call == nullptr) continue;
      node made{p.name, call->operation, &call->binding};
      made.log_share = log_share + std::log(static_cast<double>(c.count) / total);
      if (choose_inputs(p, *call, made)) return true;
    }
    return false;
  }
  [[nodiscard]] const vm::genome::compiled_call* compile(const grammar::production& p,
                                                         const grammar::composition& c) {
    genome::node n;
    n.a = rules_.operation(p.name);
    n.b = c.variation;
    n.c = c.constants;
    n.count = static_cast<std::uint32_t>(p.inputs.size());
    try {
      const vm::genome::compiled_call& call = compiler_.compile(n, n.count);
      if (call.operation == operation::unknown || nac::is_random(call.operation)) return nullptr;
      return &call;
    } catch (const vn::fault&) {
      return nullptr;
    }
  }

  /// Results of a name that a node can take, the last ones first.
  [[nodiscard]] std::vector<std::uint32_t> results_of(std::uint32_t name) const {
    std::vector<std::uint32_t> out;
    for (auto k = static_cast<std::uint32_t>(nodes_.size());
         k-- > 0 && out.size() < max_candidates;)
      if (k != head_ && nodes_[k].name != grammar::parameter &&
          (name == grammar::any || nodes_[k].name == name))
        out.push_back(k);
    return out;
  }

  [[nodiscard]] bool choose_inputs(const grammar::production& p,
                                   const vm::genome::compiled_call& call, const node& made) {
    std::vector<std::vector<std::uint32_t>> choices;  // by input: none is a new parameter
    for (const std::uint32_t wanted : p.inputs) {
      std::vector<std::uint32_t> of;
      if (wanted == grammar::source) {
        of = {head_};
      } else if (wanted == grammar::parameter) {
        of = {none};
      } else {
        of = results_of(wanted);
        if (wanted == grammar::any) of.insert(of.begin(), none);
      }
      choices.push_back(std::move(of));
    }
    if (try_choices(choices, call, made, false)) return true;
    return grow_branches(p, choices) && try_choices(choices, call, made, true);
  }
  /// Inputs of the head's kind that are missing: branches like its own, with other weights.
  [[nodiscard]] bool grow_branches(const grammar::production& p,
                                   std::vector<std::vector<std::uint32_t>>& choices) {
    bool grew = false;
    const std::uint32_t head = head_;
    for (std::size_t k = 0; k < choices.size(); ++k) {
      if (p.inputs[k] == grammar::source || p.inputs[k] != nodes_[head].name) continue;
      const std::uint32_t branch = clone(head);
      if (branch == none) return false;
      choices[k] = {branch};
      grew = true;
    }
    return grew;
  }
  /// The chain that ends in a node, from its nearest weight on, once more.
  [[nodiscard]] std::uint32_t clone(std::uint32_t end) {
    std::vector<std::uint32_t> chain;
    for (std::uint32_t at = end;; at = source_of(at)) {
      if (at == 0 || chain.size() == 8) return none;
      chain.push_back(at);
      if (has_parameter(nodes_[at])) break;
    }
    std::uint32_t before = none, copy = none;
    for (std::size_t k = chain.size(); k-- > 0;) {
      node n = nodes_[chain[k]];
      for (argument& a : n.given) {
        if (a.node == before && before != none) a.node = copy;
        if (a.node != none && nodes_[a.node].name == grammar::parameter)
          a.node = new_parameter(dims_of(nodes_[a.node].result.as_tensor()));
      }
      before = chain[k];
      n.is_repaired = true;
      if (!run_node(n)) return none;
      copy = append(std::move(n));
    }
    return copy;
  }
  [[nodiscard]] bool has_parameter(const node& n) const {
    return std::any_of(n.given.begin(), n.given.end(), [this](const argument& a) {
      return a.node != none && nodes_[a.node].name == grammar::parameter;
    });
  }
  /// The last result that a node takes.
  [[nodiscard]] std::uint32_t source_of(std::uint32_t k) const {
    std::uint32_t out = 0;
    for (const argument& a : nodes_[k].given)
      if (a.node != none && nodes_[a.node].name != grammar::parameter) out = std::max(out, a.node);
    return out;
  }

  [[nodiscard]] bool try_choices(const std::vector<std::vector<std::uint32_t>>& choices,
                                 const vm::genome::compiled_call& call, const node& made,
                                 bool is_repaired) {
    std::vector<std::size_t> at(choices.size());
    for (const auto& of : choices)
      if (of.empty()) return false;
    for (std::size_t tried = 0; tried < max_choices; ++tried) {
      std::vector<std::uint32_t> inputs;
      bool differ = true;
      for (std::size_t k = 0; k < at.size(); ++k) {
        const std::uint32_t of = choices[k][at[k]];
        differ &= of == none || std::find(inputs.begin(), inputs.end(), of) == inputs.end();
        inputs.push_back(of);
      }
      if (differ && try_inputs(inputs, call, made, is_repaired)) return true;
      std::size_t k = 0;
      while (k < at.size() && ++at[k] == choices[k].size()) at[k++] = 0;
      if (k == at.size()) return false;
    }
    return false;
  }

  [[nodiscard]] bool try_inputs(const std::vector<std::uint32_t>& inputs,
                                const vm::genome::compiled_call& call, const node& made,
                                bool is_repaired) {
    node n = made;
    std::vector<std::size_t> parameters;  // positions of arguments
    for (const vm::genome::compiled_argument& a : call.arguments) {
      if (a.constant == nullptr && inputs[a.input] == none) parameters.push_back(n.given.size());
      n.given.push_back(a.constant != nullptr ? argument{none, *a.constant}
                                              : argument{inputs[a.input]});
    }
    const std::vector<arguments> variants = constants_that_fit(n);
    for (std::size_t v = 0; v < variants.size(); ++v) {
      n.given = variants[v];
      n.is_repaired = is_repaired || v != 0;
      if (parameters.empty()) {
        if (run_node(n)) return finish(std::move(n));
        continue;
      }
      for (const std::vector<dims>& shapes : shapes_that_fit(n, parameters))
        if (try_shapes(n, parameters, shapes)) return true;
    }
    return false;
  }
  [[nodiscard]] bool try_shapes(node n, const std::vector<std::size_t>& positions,
                                const std::vector<dims>& shapes) {
    const std::size_t before = nodes_.size();
    for (std::size_t k = 0; k < positions.size(); ++k) {
      std::int64_t count = 1;
      for (const std::int64_t d : shapes[k]) count *= d;
      if (count <= 0 || count > max_elements) return false;
      n.given[positions[k]].node = new_parameter(shapes[k]);
    }
    if (run_node(n)) return finish(std::move(n));
    nodes_.resize(before);
    return false;
  }
  [[nodiscard]] bool finish(node&& n) {
    head_ = append(std::move(n));
    return true;
  }
  std::uint32_t append(node&& n) {
    operations_ += n.name >= grammar::first_operation ? 1u : 0u;
    nodes_.push_back(std::move(n));
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  [[nodiscard]] std::uint32_t new_parameter(const dims& shape) {
    node n;
    n.result = random_tensor(data_type::float32, shape);
    return append(std::move(n));
  }

  /// Runs a node; whether it gives what others can use.
  [[nodiscard]] bool run_node(node& n) {
    std::vector<const vn::value*> values;
    for (const argument& a : n.given)
      values.push_back(a.node != none ? &nodes_[a.node].result : &a.constant);
    const std::uint64_t budget = std::min(max_steps, steps_);
    const vm::meter before = arena_.exchange(vm::meter(budget));
    bool ran = false;
    try {
      vn::call c(arena_, work_, n.op, *n.binding, values);
      n.result = vn::run(c);
      ran = true;
    } catch (const vn::fault&) {
    } catch (const std::bad_alloc&) {}
    // What was refused counts like what ran, and looking itself counts.
    const vm::meter after = arena_.exchange(before);
    steps_ -= std::min(steps_, std::max(after.used(), steps_of_a_try));
    return ran && is_useful(n);
  }
  [[nodiscard]] bool is_useful(const node& n) const {
    const vn::tensor* const t = tensor_of(n.result);
    if (t == nullptr || static_cast<std::int64_t>(t->size()) > max_elements) return false;
    if (t->size() < 4 && operations_ + 1 < options_.min_operations) return false;
    if (t->type != data_type::float32) return t->type != data_type::float64;
    float largest = 0;
    for (const float x : t->elements<float>()) {
      if (!std::isfinite(x)) return false;
      largest = std::max(largest, std::fabs(x));
    }
    return largest > 1e-6F && largest < 1e4F;
  }

  // ---- constants and weights that fit

  /// The argument of a parameter of the operation; none.
  [[nodiscard]] std::optional<std::size_t> position_of(const node& n, std::string_view name) const {
    const auto letter = letter_of(n.op, name);
    if (!letter || n.binding->count[*letter] == 0) return {};
    return n.binding->first[*letter];
  }
  [[nodiscard]] const vn::tensor* tensor_at(const node& n, std::size_t position) const {
    const argument& a = n.given[position];
    return a.node == none ? nullptr : tensor_of(nodes_[a.node].result);
  }
  [[nodiscard]] dims list_of(const node& n, std::string_view name) const {
    const auto at = position_of(n, name);
    if (!at || n.given[*at].node != none) return {};
    const vn::value& v = n.given[*at].constant;
    if (v.what() == vn::value::form::int_list)
      return {v.as_int_list().begin(), v.as_int_list().end()};
    if (v.is_tensor() && v.as_tensor().is_number && v.as_tensor().type == data_type::int64)
      return {*v.as_tensor().as<std::int64_t>()};
    return {};
  }
  /// The first tensor that isn't a weight.
  [[nodiscard]] const vn::tensor* operand_of(const node& n) const {
    for (std::size_t k = 0; k < n.given.size(); ++k)
      if (const vn::tensor* const t = tensor_at(n, k)) return t;
    return nullptr;
  }

  /// The arguments as they are, and with constants that go with the operands' shapes.
  [[nodiscard]] std::vector<arguments> constants_that_fit(const node& n) {
    std::vector<arguments> out{n.given};
    const vn::tensor* const x = operand_of(n);
    if (x == nullptr || x->rank() == 0) return out;
    const dims from = dims_of(*x);
    const auto add_list = [&](std::string_view name, const dims& values) {
      const auto at = position_of(n, name);
      if (!at || n.given[*at].node != none) return;
      out.push_back(n.given);
      out.back()[*at].constant = vn::value::int_list(values);
    };
    const auto add_number = [&](std::string_view name, std::int64_t v) {
      const auto at = position_of(n, name);
      if (!at || n.given[*at].node != none) return;
      out.push_back(n.given);
      out.back()[*at].constant = vn::value(vn::make_number(arena_, v));
    };
    add_list("normalized_shape", {from.back()});
    if (from.size() > 1)
      for (const std::string_view name : {"groups", "num_groups"})
        if (const dims groups = list_of(n, name); !groups.empty() && groups[0] != 1) {
          add_number(name, from[1]);
          if (from[1] % 4 == 0) add_number(name, 4);
        }
    for (const std::string_view name : {"size", "shape", "sizes"})
      if (const dims wanted = list_of(n, name); !wanted.empty())
        for (const dims& d : sizes_that_fit(from, wanted)) add_list(name, d);
    return out;
  }
  /// Sizes of as many axes as those wanted, for a view of `from`.
  [[nodiscard]] static std::vector<dims> sizes_that_fit(const dims& from, const dims& wanted) {
    std::vector<dims> out;
    const std::size_t rank = from.size();
    if (wanted.size() == rank) out.push_back(from);
    if (wanted.size() == rank + 1) {  // heads: as many as before, where they divide
      for (const std::int64_t heads : {wanted[rank - 1], std::int64_t{4}, std::int64_t{2}}) {
        if (heads <= 0 || from.back() % heads != 0) continue;
        dims d(from.begin(), from.end() - 1);
        d.push_back(heads);
        d.push_back(from.back() / heads);
        out.push_back(std::move(d));
        break;
      }
      dims d(from);
      d.insert(d.begin() + 1, 1);
      out.push_back(std::move(d));
    }
    if (wanted.size() + 1 == rank && rank > 1) {
      dims last(from.begin(), from.end() - 2);
      last.push_back(from[rank - 2] * from[rank - 1]);
      out.push_back(std::move(last));
    }
    if (wanted.size() < rank) {
      dims d(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(wanted.size()) - 1);
      d.push_back(-1);
      out.push_back(std::move(d));
    }
    return out;
  }

  /// Shapes of the weights at these positions, alternatives.
  [[nodiscard]] std::vector<std::vector<dims>> shapes_that_fit(
      const node& n, const std::vector<std::size_t>& positions) {
    const vn::tensor* const x = operand_of(n);
    if (x == nullptr || x->rank() == 0) return {};
    const dims from = dims_of(*x);
    const std::int64_t last = from.back(), channels = from.size() > 1 ? from[1] : last;
    std::vector<std::vector<dims>> out;
    const auto weight = position_of(n, "weight"), bias = position_of(n, "bias");
    // A matrix or a filter, and its bias.
    const auto layer = [&](const dims& w, std::int64_t outputs) {
      std::vector<dims> all;
      for (const std::size_t at : positions) all.push_back(bias && at == *bias ? dims{outputs} : w);
      out.push_back(std::move(all));
    };
    const auto same = [&](const dims& w) { out.emplace_back(positions.size(), w); };
    if (n.op == operation::linear) {
      for (const std::int64_t width : widths(last)) layer({width, last}, width);
    } else if (is_convolution(n.op)) {
      for (const std::int64_t width : widths(channels)) {
        const dims w = filter_of(n, from, width);
        if (!w.empty()) layer(w, w[0]);
      }
    } else if (n.op == operation::embedding) {
      same({vocabulary, 16 << dice_.below(2)});
    } else if (n.op == operation::addmm) {
      for (const std::int64_t width : widths(last)) {
        std::vector<dims> all;
        for (const std::size_t at : positions)
          all.push_back(at == 0 ? dims{width} : dims{last, width});
        out.push_back(std::move(all));
      }
    } else if (n.op == operation::matmul) {
      for (const std::int64_t width : widths(last)) same({last, width});
    } else if (weight && from.size() > 1) {
      same({channels});
    }
    same({last});
    if (from.size() > 2) {
      dims by_channel(from.size() - 1, 1);
      by_channel[0] = channels;
      same(by_channel);
    }
    same({1});
    same(from);
    return out;
  }
  [[nodiscard]] static bool is_convolution(operation o) {
    return o == operation::conv1d || o == operation::conv2d || o == operation::conv3d ||
           o == operation::convolution || o == operation::conv_padded;
  }
  /// Outputs of a layer: as many as inputs, or another power of two.
  [[nodiscard]] std::vector<std::int64_t> widths(std::int64_t now) {
    const std::int64_t most = options_.max_width;
    std::int64_t other = 8;
    while (other < most && dice_.below(3) != 0) other *= 2;
    std::vector<std::int64_t> out{std::min(other, most)};
    if (now <= most) dice_.below(2) == 0 ? out.push_back(now) : (void)out.insert(out.begin(), now);
    return out;
  }
  /// [outputs, inputs / groups, sizes …] of a convolution; sizes follow from the padding.
  [[nodiscard]] dims filter_of(const node& n, const dims& from, std::int64_t width) const {
    const std::size_t axes = n.op == operation::conv1d   ? 1
                             : n.op == operation::conv3d ? 3
                             : n.op == operation::conv2d
                                 ? 2
                                 : from.size() - std::min<std::size_t>(2, from.size());
    if (from.size() != axes + 2 || axes == 0) return {};
    const std::int64_t channels = from[1];
    const dims groups = list_of(n, "groups");
    const std::int64_t parts = groups.empty() || groups[0] < 1 ? 1 : groups[0];
    if (channels % parts != 0) return {};
    const std::int64_t outputs = parts == 1 ? width : (width % parts == 0 ? width : channels);
    dims out{outputs, channels / parts};
    const dims padding = list_of(n, "padding"), stride = list_of(n, "stride"),
               dilation = list_of(n, "dilation");
    const auto of = [](const dims& d, std::size_t k, std::int64_t otherwise) {
      return d.empty() ? otherwise : d[std::min(k, d.size() - 1)];
    };
    for (std::size_t k = 0; k < axes; ++k) {
      const std::int64_t p = of(padding, k, 0), step = of(stride, k, 1);
      out.push_back(p > 0 ? 2 * p / std::max<std::int64_t>(1, of(dilation, k, 1)) + 1 : step);
    }
    return out;
  }

  [[nodiscard]] std::uint64_t macs_of(const node& n) const {
    const vn::tensor* const y = tensor_of(n.result);
    const auto weight = position_of(n, "weight");
    const vn::tensor* const w = weight ? tensor_at(n, *weight) : nullptr;
    if (w != nullptr && w->rank() > 1 && (is_convolution(n.op) || n.op == operation::linear))
      return y->size() * (w->size() / static_cast<std::size_t>(w->dim(0)));
    const bool is_product =
        n.op == operation::matmul || n.op == operation::addmm || n.op == operation::baddbmm;
    const std::size_t left = n.op == operation::addmm || n.op == operation::baddbmm ? 1 : 0;
    const vn::tensor* const a = is_product ? tensor_at(n, left) : nullptr;
    if (a != nullptr && a->rank() > 0)
      return y->size() * static_cast<std::size_t>(a->dim(a->rank() - 1));
    if (n.op == operation::attention && n.given.size() > 1)
      if (const vn::tensor* const k = tensor_at(n, 1); k != nullptr && k->rank() > 1)
        return 2 * y->size() * static_cast<std::size_t>(k->dim(k->rank() - 2));
    return 0;
  }

  // ---- what is left

  void keep_needed() {
    needed_.assign(nodes_.size(), false);
    needed_[head_] = true;
    operations_ = 0;
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      if (!needed_[k]) continue;
      operations_ += nodes_[k].name >= grammar::first_operation ? 1u : 0u;
      for (const argument& a : nodes_[k].given)
        if (a.node != none) needed_[a.node] = true;
    }
  }

  [[nodiscard]] static std::uint32_t encode_parameter(container_builder& to, const vn::tensor& of) {
    nac::tensor_part t;
    t.id = static_cast<std::uint16_t>(to.parts.parameters.size() + 1);
    t.type = of.type;
    std::vector<std::uint32_t> shape;
    for (const std::int64_t d : of.dims.dims()) shape.push_back(static_cast<std::uint32_t>(d));
    t.shape = to.parts.add_numbers({shape.data(), shape.size()});
    std::vector<std::byte> data(of.bytes());
    vn::store(of, data.data());  // little-endian
    t.data = to.parts.keep(bytes(data.data(), data.size()));
    to.parts.tensors.push_back(t);
    to.parts.add_name(to.parts.parameters, t.id, "weight." + std::to_string(t.id));
    return to.add(nac::op_input, static_cast<std::uint8_t>(nac::input::parameter), {t.id});
  }
  [[nodiscard]] std::uint32_t encode_call(container_builder& to, const node& n,
                                          const std::vector<std::uint32_t>& at) const {
    container_builder::operands of;
    for (const argument& a : n.given) {
      if (a.node != none)
        of.push_back({'T', at[a.node], 0});
      else
        of.push_back(encode_constant(to, a.constant));
    }
    const std::string_view name = rules_.name(n.name);
    return to.call(std::string(name.substr(0, name.find(":node_args("))), of);
  }
  [[nodiscard]] static container_builder::operand encode_constant(container_builder& to,
                                                                  const vn::value& v) {
    constexpr std::uint32_t no_result = container_builder::none;
    switch (v.what()) {
      case vn::value::form::string: return {'s', no_result, to.string(v.as_string())};
      case vn::value::form::int_list: {
        std::vector<std::uint32_t> words;
        for (const std::int64_t x : v.as_int_list())
          words.push_back(static_cast<std::uint32_t>(
              static_cast<std::int32_t>(std::clamp<std::int64_t>(x, INT32_MIN, INT32_MAX))));
        return {'S', no_result, to.list(nac::constant_type::int32_list, words)};
      }
      case vn::value::form::numbers: {
        std::vector<std::uint32_t> words;
        for (const double x : v.as_numbers())
          words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(x)));
        return {'S', no_result, to.list(nac::constant_type::float32_list, words)};
      }
      case vn::value::form::tensor: break;
      case vn::value::form::none:
      case vn::value::form::list:
      case vn::value::form::complex: return {'c', no_result, to.null()};
    }
    const vn::tensor& t = v.as_tensor();
    if (t.type == data_type::boolean) return {'b', no_result, to.boolean(*t.as<bool>())};
    if (t.type == data_type::float64) return {'f', no_result, to.real(*t.as<double>())};
    return {'i', no_result, to.integer(*t.as<std::int64_t>())};
  }

  const grammar& rules_;
  const synthesis_options& options_;
  std::uint64_t& steps_;  // that are left
  dice dice_;
  vn::memory arena_;
  vn::workspaces work_;
  vm::genome::call_compiler compiler_;
  std::vector<node> nodes_;
  std::vector<bool> needed_;
  std::uint32_t head_ = 0, operations_ = 0;
};

/// Runs what was made; whether it gives numbers.
[[nodiscard]] bool runs(const nac::parts& parts, const vn::tensor& input,
                        const synthesis_options& how, synthesized& to) {
  const result<pool<std::byte>> written = nac::write(parts);
  if (!written) return false;
  const result<nac::model> model = nac::read(bytes(written->data(), written->size()));
  if (!model) return false;
  const result<nac::program> program = nac::verify(*model);
  if (!program) return false;
  vn::memory arena(how.max_memory);
  vn::interpreter machine(*program, {.max_memory = how.max_memory, .arena = &arena});
  machine.set_input(0, input);
  if (!machine.made() || !machine.run({.max_steps = how.max_steps})) return false;
  to.peak_memory = machine.figures().peak;
  const vn::tensor* const y = tensor_of(machine.outputs()[0]);
  if (y == nullptr || y->type != data_type::float32) return y != nullptr;
  const std::span<const float> all = y->elements<float>();
  return std::all_of(all.begin(), all.end(), [](float x) { return std::isfinite(x); });
}

}  // namespace

synthesizer::synthesizer(const genome::library& of, const synthesis_options& how)
    : library_(of), options_(how), grammar_(of) {}

std::optional<synthesized> synthesizer::operator()(
    std::uint64_t seed, const std::function<bool(const synthesized&)>& accepts) const {
  if (!has_rules()) return {};
  std::uint64_t state = seed, steps = options_.max_steps;
  for (std::uint32_t k = 0; k < options_.attempts && steps != 0; ++k) {
    drawing one(library_, grammar_, options_, io::next_bits(state), steps);
    if (!one.run()) continue;
    synthesized out;
    result<nac::parts> parts = one.encode(out);
    if (!parts || out.parameters > options_.max_parameters || out.macs > options_.max_macs ||
        !runs(*parts, one.input(), options_, out))
      continue;
    out.parts = std::move(*parts);
    if (!accepts || accepts(out)) return out;
  }
  return {};
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
