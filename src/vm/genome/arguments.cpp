// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "arguments.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "parameters.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::genome {

namespace {

using tessera::nac::argument_form;
constexpr std::size_t max_arguments = 255, max_constants = 32, max_keywords = 16;

/// An argument with the form that patterns look at.
struct item {
  compiled_argument what;
  argument_form form = argument_form::result;
};

[[nodiscard]] item input_item(std::uint32_t input) {
  return {{nullptr, input}, argument_form::result};
}
[[nodiscard]] item constant_item(const loaded_constant& c) { return {{&c.value, 0}, c.form}; }

/// An argument of PyTorch's function: one value, or a list of tensors.
struct position_argument {
  std::uint32_t position = 0;
  std::vector<item> items;
};
struct keyword_argument {
  std::string_view name;
  item what;
};

/// Whether a keyword changes nothing here.
[[nodiscard]] bool has_no_effect(const keyword_argument& k) {
  for (const std::string_view name : {"device", "memory_format", "pin_memory", "non_blocking"})
    if (k.name == name) return true;
  if (k.what.form == argument_form::null) return true;
  const nac::value* const v = k.what.what.constant;
  if (v == nullptr) return false;
  if (k.name == "layout")
    return v->what() == nac::value::form::string && v->as_string() == "torch.strided";
  return v->is_tensor() && v->as_tensor().type == nac::data_type::boolean &&
         !*v->as_tensor().as<bool>();
}

/// Collects the arguments of one node.
class collector {
 public:
  collector(call_compiler& compiler, const model::node& n, std::uint32_t inputs)
      : compiler_(compiler), node_(n), inputs_(inputs), name_(compiler.library().operation(n.a)) {}

  [[nodiscard]] compiled_call compile() {
    call_.operation = compiler_.operation_of(node_.a);
    if (call_.operation == operation::unknown) nac::fail(errc::genome_run_operation, name_.target);
    pattern_ = tessera::nac::pattern(call_.operation);
    read_constants();
    read_inputs();
    if (call_.operation == operation::view) settle_view();
    if (slices_) return compile_slice();
    if (single_ == nullptr) {
      if (!bind(in_order())) refuse();
    } else {
      place_single();
    }
    return std::move(call_);
  }

 private:
  [[noreturn]] void refuse() const {
    std::string text(name_.target);
    text += ": found " + std::to_string(inputs_) + (inputs_ == 1 ? " tensor" : " tensors");
    for (const position_argument& p : positions_)
      if (p.items.size() == 1 && p.items[0].what.constant != nullptr)
        text += ", arg" + std::to_string(p.position);
    if (single_ != nullptr) text += ", a constant";
    for (const keyword_argument& k : keywords_) text += ", " + std::string(k.name);
    nac::fail(errc::genome_run_arguments, std::move(text));
  }

  [[nodiscard]] const loaded_constant& constant(std::uint32_t id) {
    const loaded_constant& c = compiler_.constant(id);
    if (c.slice) {
      if (call_.operation != operation::getitem)
        nac::fail(errc::genome_run_constant, "constant ", id,
                  " is a slice; expected a number, a string or a list for ", name_.target);
      slices_ = true;
      slice_ = &c;
    }
    return c;
  }

  void add_position(std::uint32_t position, std::vector<item> items) {
    positions_.push_back({position, std::move(items)});
  }

  void read_constants() {
    if (node_.c > 0) {
      const loaded_constant& c = constant(static_cast<std::uint32_t>(node_.c));
      model::operation_name names = name_;
      std::string_view keyword, second;
      if (names.next_keyword(keyword) && !names.next_keyword(second) && takes_constant(keyword))
        keywords_.push_back({keyword, constant_item(c)});
      else
        single_ = &c;
    } else if (node_.has_group()) {
      model::group_parts parts(compiler_.library().group(node_.group_id()));
      for (model::group_part p; parts.next(p);) {
        if (positions_.size() + keywords_.size() == max_constants) refuse();
        const item what = constant_item(constant(p.constant));
        std::string_view number = p.key;
        std::uint32_t position = 0;
        if (number.substr(0, 3) == "arg") {
          number.remove_prefix(3);
          if (read_number(number, position)) {
            add_position(position, {what});
            continue;
          }
        }
        keywords_.push_back({p.key, what});
      }
    }
  }

  /// A decimal number and nothing else.
  [[nodiscard]] static bool read_number(std::string_view digits, std::uint32_t& out) {
    if (digits.empty() || digits.size() > 5 || (digits.size() > 1 && digits[0] == '0'))
      return false;
    out = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return false;
      out = out * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return true;
  }

  /// Whether a keyword can be a constant: not if its letter takes only tensors.
  [[nodiscard]] bool takes_constant(std::string_view keyword) const {
    const char letter = letter_at(pattern_, letter_of(call_.operation, keyword));
    return letter != 't' && letter != 'T';
  }

  void read_inputs() {
    std::vector<std::uint32_t> direct;
    std::vector<bool> named(inputs_);
    if (node_.b != model::no_variation) {
      model::variation_inputs order(compiler_.library().variation(node_.b));
      for (std::uint32_t i = 0; order.next(i);) {
        if (i >= inputs_ || direct.size() == max_arguments) refuse();
        direct.push_back(i);
        named[i] = true;
      }
    }
    std::vector<item> listed;
    for (std::uint32_t i = 0; i < inputs_; ++i)
      if (!named[i]) listed.push_back(input_item(i));

    // Keywords that no constant has are tensors.
    model::operation_name keywords = name_;
    for (std::string_view k; keywords.next_keyword(k);) {
      const auto same = [&](const keyword_argument& other) { return other.name == k; };
      if (std::none_of(keywords_.begin(), keywords_.end(), same)) tensor_keywords_.push_back(k);
      if (tensor_keywords_.size() > max_keywords) refuse();
    }
    if (tensor_keywords_.size() > direct.size()) refuse();
    const std::size_t positional = direct.size() - tensor_keywords_.size();

    const auto taken = [&](std::uint32_t position) {
      return std::any_of(positions_.begin(), positions_.end(),
                         [&](const position_argument& p) { return p.position == position; });
    };
    if (!listed.empty()) {
      std::uint32_t at = positional == 0 && pattern_[0] != 's' ? 0 : 1;
      while (taken(at)) ++at;
      add_position(at, std::move(listed));
    }
    std::vector<std::uint32_t> free;
    for (std::uint32_t at = 0; free.size() < positional; ++at)
      if (!taken(at)) free.push_back(at);

    // Both in the order of their names as text.
    struct named_tensor {
      std::string name;
      std::uint32_t position = 0;
      std::string_view keyword;
    };
    std::vector<named_tensor> tensors;
    for (const std::uint32_t at : free) tensors.push_back({"arg" + std::to_string(at), at, {}});
    for (const std::string_view k : tensor_keywords_) tensors.push_back({std::string(k), 0, k});
    std::stable_sort(tensors.begin(), tensors.end(),
                     [](const named_tensor& a, const named_tensor& b) { return a.name < b.name; });
    for (std::size_t k = 0; k < tensors.size(); ++k) {
      if (tensors[k].keyword.empty())
        add_position(tensors[k].position, {input_item(direct[k])});
      else
        keywords_.push_back({tensors[k].keyword, input_item(direct[k])});
    }
    std::stable_sort(positions_.begin(), positions_.end(),
                     [](const position_argument& a, const position_argument& b) {
                       return a.position < b.position;
                     });
  }

  /// The arguments by position, lists flattened.
  [[nodiscard]] std::vector<item> in_order() const {
    std::vector<item> out;
    for (const position_argument& p : positions_)
      out.insert(out.end(), p.items.begin(), p.items.end());
    return out;
  }

  /// The compilers of genomes and of containers write squeeze as the same operation.
  void settle_view() {
    if (!keywords_.empty()) return;
    std::vector<argument_form> forms;
    for (const item& i : in_order()) forms.push_back(i.form);
    if (single_ != nullptr) forms.push_back(single_->form);
    call_.operation = tessera::nac::view_or_squeeze(name_.target, {forms.data(), forms.size()});
    pattern_ = tessera::nac::pattern(call_.operation);
  }

  /// Gives arguments to letters; false where they don't fit.
  [[nodiscard]] bool bind(std::vector<item> given) {
    // Keywords that come next in order are as good as positional.
    std::vector<const keyword_argument*> left;
    for (const keyword_argument& k : keywords_) left.push_back(&k);
    std::size_t next = positions_.size() + (single_ != nullptr ? 1 : 0);
    for (bool found = true; found;) {
      found = false;
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (letter_of(call_.operation, left[i]->name) != next) continue;
        if (!tessera::nac::takes(letter_at(pattern_, next), left[i]->what.form)) continue;
        given.push_back(left[i]->what);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        ++next;
        found = true;
        break;
      }
    }
    if (given.size() + left.size() > max_arguments) return false;
    std::vector<argument_form> forms;
    for (const item& i : given) forms.push_back(i.form);
    tessera::nac::binding& b = call_.binding;
    if (tessera::nac::bind(pattern_, {forms.data(), forms.size()}, b).what !=
        tessera::nac::match::kind::fits)
      return false;
    for (const keyword_argument* const k : left) {
      const std::size_t letter = letter_of(call_.operation, k->name);
      const char takes = letter_at(pattern_, letter);
      if (takes != 0 && tessera::nac::takes(takes, k->what.form) && b.count[letter] == 0) {
        b.first[letter] = static_cast<std::uint8_t>(given.size());
        b.count[letter] = 1;
        given.push_back(k->what);
      } else if (!has_no_effect(*k)) {
        return false;
      }
    }
    call_.arguments.clear();
    for (const item& i : given) call_.arguments.push_back(i.what);
    return true;
  }

  /// Whether tensors have met letters of tensors, and constants other letters.
  [[nodiscard]] bool is_strict() const {
    for (std::size_t letter = 0; letter < tessera::nac::max_letters; ++letter) {
      const char c = letter_at(pattern_, letter);
      for (std::size_t k = 0; k < call_.binding.count[letter]; ++k) {
        const bool constant = call_.arguments[call_.binding.first[letter] + k].constant != nullptr;
        const bool tensors = c == 't' || c == 'T';
        if (constant ? tensors && single_->form != argument_form::null : !tensors && c != 'x')
          return false;
      }
    }
    return true;
  }

  void place_single() {
    const std::vector<item> tensors = in_order();
    const auto with_single_at = [&](std::size_t at) {
      std::vector<item> all = tensors;
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), constant_item(*single_));
      return all;
    };
    // Both places fit: the name decides.
    if (name_.target == "aten.pow.Scalar" || name_.target == "aten.where.ScalarSelf") {
      const std::size_t at = name_.target == "aten.pow.Scalar" ? 0 : 1;
      if (at > tensors.size() || !bind(with_single_at(at))) refuse();
      return;
    }
    // After all tensors, and before one where its own letter may be.
    std::vector<std::size_t> places = {tensors.size()};
    for (std::size_t k = std::min(tensors.size(), tessera::nac::max_letters); k-- > 0;)
      places.push_back(k);
    for (const std::size_t k : places)
      if (bind(with_single_at(k)) && is_strict()) return;
    for (const std::size_t k : places)
      if (bind(with_single_at(k))) return;
    refuse();
  }

  /// x[start:end:step] is a slice of the first axis.
  [[nodiscard]] compiled_call compile_slice() {
    const std::span<const nac::value> part = slice_->value.as_list();
    if (inputs_ != 1) refuse();
    call_.operation = operation::slice;
    pattern_ = tessera::nac::pattern(call_.operation);
    const auto whole = [&](const nac::value& v) {
      const argument_form form = v.is_none() ? argument_form::null : argument_form::integer;
      return constant_item(compiler_.keep({v, form}));
    };
    std::vector<item> all = {input_item(0),
                             whole(nac::make_number(compiler_.arena(), std::int64_t{0})),
                             whole(part[0]), whole(part[1])};
    if (!part[2].is_none()) all.push_back(whole(part[2]));
    keywords_.clear();
    if (!bind(std::move(all))) refuse();
    return std::move(call_);
  }

  call_compiler& compiler_;
  const model::node& node_;
  std::uint32_t inputs_;
  model::operation_name name_;
  std::string_view pattern_;
  compiled_call call_;
  std::vector<position_argument> positions_;
  std::vector<keyword_argument> keywords_;
  std::vector<std::string_view> tensor_keywords_;
  const loaded_constant* single_ = nullptr;  // of which the key isn't known
  const loaded_constant* slice_ = nullptr;
  bool slices_ = false;
};

}  // namespace

const loaded_constant& call_compiler::constant(std::uint32_t id) {
  if (places_.size() <= id) places_.resize(std::size_t{id} + 1);
  if (places_[id] == 0) {
    loaded_.push_back(load(arena_, library_, id));
    places_[id] = static_cast<std::uint32_t>(loaded_.size());
  }
  return loaded_[places_[id] - 1];
}

operation call_compiler::operation_of(std::uint8_t a) {
  if (!asked_[a])
    operations_[a] = find_operation(model::operation_name(library_.operation(a)).target);
  asked_[a] = true;
  return operations_[a];
}

operation find_operation(std::string_view target) {
  constexpr std::string_view python = "<built-in function ";
  const operation o = tessera::nac::find_operation(target);
  if (o != operation::unknown || target.substr(0, python.size()) != python ||
      !target.ends_with('>'))
    return o;
  std::string name(target.substr(python.size(), target.size() - python.size() - 1));
  for (const std::string& known :
       {name, "nac." + name, "aten." + name + ".Scalar", "aten." + name + ".default"})
    if (const operation p = tessera::nac::find_operation(known); p != operation::unknown) return p;
  return operation::unknown;
}

void unsupported_operations::add(std::uint8_t a, const model::library& of) {
  if (std::exchange(asked_[a], true)) return;
  const std::string_view target = model::operation_name(of.operation(a)).target;
  if (find_operation(target) == operation::unknown) names_.emplace(target);
}

void unsupported_operations::add(const model::program& p) {
  const model::library& library = p.library();
  patterns_.resize(library.registry().patterns.size());
  std::vector<model::stream_view> left = {p.stream()};
  while (!left.empty()) {
    const model::stream_view code = left.back();
    left.pop_back();
    for (const model::node& n : code.nodes) {
      const std::uint8_t a = n.what() == model::command::copy ? n.b : n.a;
      if (a >= model::first_id) add(a, library);
      if (n.what() != model::command::pattern) continue;
      const std::uint32_t at = library.find_pattern(n.pattern_id());
      if (patterns_[at]) continue;
      patterns_[at] = true;
      left.push_back(library.registry().nodes_of(library.registry().patterns[at]));
    }
  }
}

const compiled_call& call_compiler::compile(const model::node& n, std::uint32_t inputs) {
  const std::uint64_t key = std::uint64_t{n.a} | std::uint64_t{n.b} << 8 |
                            std::uint64_t{static_cast<std::uint16_t>(n.c)} << 16 |
                            std::uint64_t{inputs} << 32;
  const auto known = calls_.find(key);
  if (known != calls_.end()) return known->second;
  return calls_.emplace(key, collector(*this, n, inputs).compile()).first->second;
}

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI
