// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "in_place.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "schedule.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

constexpr std::uint32_t none = changes::none;
constexpr std::size_t max_again = std::size_t{1} << 20;
/// Results looked at for all changes: a moment.
constexpr std::size_t max_seen = std::size_t{1} << 25;

/// What a result is to the first operand.
enum class link : std::uint8_t {
  other,  ///< a new tensor
  same,   ///< the operand itself
  view,   ///< other elements, or another order of them
  maybe,  ///< a view or a new tensor
};

/// "relu_" of "aten.relu_.default".
[[nodiscard]] std::string_view base_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == name.npos) return name;
  const std::string_view rest = name.substr(dot + 1);
  return rest.substr(0, rest.find('.'));
}

[[nodiscard]] bool is_one_of(std::string_view word, std::string_view words) {
  while (!words.empty()) {
    const std::size_t blank = words.find(' ');
    if (words.substr(0, blank) == word) return true;
    words = blank == words.npos ? std::string_view() : words.substr(blank + 1);
  }
  return false;
}

constexpr std::string_view gives_operand =
    "detach alias pass lift lift_fresh resolve_conj resolve_neg positive conj";
constexpr std::string_view gives_views =
    "view _unsafe_view _reshape_alias view_as expand expand_as broadcast_to permute transpose t "
    "swapaxes swapdims "
    "movedim moveaxis select slice narrow squeeze unsqueeze split split_with_sizes chunk "
    "tensor_split hsplit vsplit dsplit unsafe_split unsafe_split_with_sizes unsafe_chunk unbind "
    "diagonal linalg_diagonal unfold unflatten as_strided numpy_T mT mH adjoint matrix_H "
    "broadcast_tensors";
constexpr std::string_view may_give_views =
    "reshape reshape_as flatten ravel contiguous to type_as atleast_1d atleast_2d atleast_3d "
    "view_as_real view_as_complex real imag";
constexpr std::string_view drops = "dropout feature_dropout alpha_dropout feature_alpha_dropout";
/// In place, these change no element.
constexpr std::string_view changes_shapes =
    "detach_ squeeze_ unsqueeze_ t_ transpose_ swapaxes_ swapdims_ as_strided_ resize_";

class change_finder {
 public:
  change_finder(const model::program& p, std::uint32_t& at)
      : p_(p), steps_(p.code().steps), at_(at) {}

  [[nodiscard]] changes find() {
    find_forms();
    if (!any_) return {};
    const std::size_t n = steps_.size();
    out_.of.assign(n, none);
    out_.kept.assign(n, false);
    nodes_.resize(n);
    resolve();
    written_.assign(n, false);
    find_all();
    // A base that some change writes has to have its value from the first change on.
    if (std::find(written_.begin(), written_.end(), true) != written_.end()) find_all();
    at_ = none;
    return std::move(out_);
  }

 private:
  struct node {
    std::uint32_t parent = none;           // the operand that it shares elements with
    link to_parent = link::other;          //
    std::uint32_t same = 0;                // the first result that is the same tensor
    std::uint32_t top = 0;                 // the one that made the elements
    std::uint32_t family = 0;              // the same, where whatever may be a view is one
    std::uint32_t object = 0, latest = 0;  // of the first result: the last change of its shape
    std::uint32_t last_use = 0;            //
    std::uint32_t list = none;             // whose element it is, where that is no view
    std::vector<std::uint32_t> members;    // of a family: results, in their order
    std::vector<std::uint32_t> used;       // those that are used later
    std::size_t next = 0;                  // of `members`, that aren't in `used` yet
    bool is_changed = false;               // of a family, by an instruction so far
    bool has_elements = false;             // getitem takes one that is no view
    std::uint32_t last_whole_use = 0;      // by others than getitem
  };

  [[noreturn]] void refuse(const std::string& why) const {
    fail(errc::nac_run_in_place,
         std::string(p_.model().operation_name(steps_[at_].a)) + ": " + why);
  }
  [[nodiscard]] std::string shown(std::uint32_t i) const {
    std::string out = "v" + std::to_string(i);
    if (steps_[i].a >= model::first_regular_op)
      out.append(", ").append(p_.model().operation_name(steps_[i].a)).append(",");
    return out;
  }

  void find_all() {
    out_.all.clear();
    out_.path.clear();
    out_.again.clear();
    seen_ = 0;
    for (node& n : nodes_) {
      n.used.clear();
      n.next = 0;
    }
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      at_ = i;
      const std::uint8_t a = steps_[i].a;
      if (a < model::first_regular_op || !in_place_[a]) continue;
      if (!shapes_[a])
        find_change(i);
      else if (links_[a] != link::same)  // another result may be the same tensor
        (void)used_later(nodes_[out_.source[steps_[i].first]].top);
    }
  }

  /// Which operations are forms in place, by id.
  void find_forms() {
    bool asked[256] = {};
    for (const model::step& s : steps_) {
      if (s.a < model::first_regular_op || std::exchange(asked[s.a], true)) continue;
      const std::string_view name = p_.model().operation_name(s.a), base = base_of(name);
      in_place_[s.a] = model::is_in_place(name);
      shapes_[s.a] = in_place_[s.a] && is_one_of(base, changes_shapes);
      any_ = any_ || in_place_[s.a];
      links_[s.a] = in_place_[s.a]                    ? link::same
                    : is_one_of(base, gives_operand)  ? link::same
                    : is_one_of(base, gives_views)    ? link::view
                    : is_one_of(base, may_give_views) ? link::maybe
                                                      : link::other;
      if (shapes_[s.a]) links_[s.a] = base == "detach_" ? link::same : link::view;
      drops_[s.a] = !in_place_[s.a] && is_one_of(base, drops);
    }
  }

  /// Sources of all arguments, and what each result is to others.
  void resolve() {
    const blocks in(p_);
    std::map<std::pair<std::uint32_t, double>, std::uint32_t> elements;
    out_.source.assign(p_.code().arguments.size(), none);
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      at_ = i;
      const model::step& s = steps_[i];
      const view<model::argument> given = p_.code().arguments_of(s);
      node& to = nodes_[i];
      to.same = to.top = to.family = to.object = to.latest = to.last_use = i;
      for (std::size_t k = 0; k < operands_of(s); ++k) {
        if (given[k].is_constant()) continue;
        std::uint32_t from = given[k].index();
        if (const std::uint32_t latest = nodes_[nodes_[from].object].latest; latest > from) {
          if (!in.contains(in.of(latest), i))
            refuse("whether " + shown(latest) + " changed the shape of v" + std::to_string(from) +
                   " depends on a branch");
          from = latest;
          out_.kept[from] = true;
        }
        out_.source[s.first + k] = from;
        nodes_[from].last_use = i;
        if (k != 0 || s.a < model::first_regular_op || !is_element(s))
          nodes_[from].last_whole_use = i;
      }
      if (s.a < model::first_regular_op || given.size() == 0 || given[0].is_constant()) {
        if (s.a >= model::first_regular_op && in_place_[s.a])
          refuse("the target is a constant; expected a value of the program");
        begin_family(i);
        continue;
      }
      join(i, out_.source[s.first], elements);
      if (shapes_[s.a]) nodes_[nodes_[i].object].latest = i;
    }
  }

  [[nodiscard]] static bool is_element(const model::step& s) {
    return model::program::operation_of(s) == model::operation::getitem;
  }
  [[nodiscard]] link link_of(std::uint32_t i) const {
    const model::step& s = steps_[i];
    if (is_element(s)) return link::view;
    if (!drops_[s.a]) return links_[s.a];
    const view<model::argument> given = p_.code().arguments_of(s);
    if (given.size() < 3) return link::same;
    if (!given[2].is_constant() || p_.form(given[2]) != model::argument_form::integer)
      return link::maybe;
    return number_of(p_.constant(given[2].id())) == 0 ? link::same : link::other;
  }

  /// Of a constant that is an integer.
  [[nodiscard]] static double number_of(const model::constant& c) {
    switch (c.type) {
      case model::constant_type::boolean: return c.boolean() ? 1 : 0;
      case model::constant_type::int64: return static_cast<double>(c.int64());
      case model::constant_type::float64: return c.float64();
      case model::constant_type::null:
      case model::constant_type::string:
      case model::constant_type::int32_list:
      case model::constant_type::float32_list: break;
    }
    return -1;
  }

  void join(std::uint32_t i, std::uint32_t from,
            std::map<std::pair<std::uint32_t, double>, std::uint32_t>& elements) {
    const model::step& s = steps_[i];
    link how = link_of(i);
    if (is_element(s) && nodes_[nodes_[from].same].to_parent != link::view) {
      // One of several results, each a tensor of its own, or a row of one result.
      nodes_[from].has_elements = true;
      how = link::maybe;
      const model::argument index = p_.code().arguments_of(s)[1];
      const double k =
          p_.form(index) == model::argument_form::integer ? number_of(p_.constant(index.id())) : -1;
      if (k < 0) {  // any of them
        nodes_[from].last_whole_use = i;
      } else if (const auto [at, is_new] = elements.try_emplace({from, k}, i); is_new) {
        nodes_[i].list = from;
      } else {
        from = at->second;
        how = link::same;
        if (nodes_[nodes_[from].family].is_changed)
          refuse("it reads an element of a list again after an in-place change");
      }
    }
    if (how == link::other) return begin_family(i);
    node& to = nodes_[i];
    const node& parent = nodes_[from];
    to.parent = from;
    to.to_parent = how;
    if (how == link::same) to.same = parent.same;
    if (how != link::maybe) to.top = parent.top;
    to.family = parent.family;
    if (in_place_[s.a]) to.object = parent.object;
    nodes_[to.family].members.push_back(i);
    if (in_place_[s.a] && !shapes_[s.a]) nodes_[to.family].is_changed = true;
  }
  void begin_family(std::uint32_t i) { nodes_[i].members.push_back(i); }

  /// Several INPUTs may give one parameter, state or constant.
  void check_input(std::uint32_t top) {
    const model::step& s = steps_[top];
    if (s.a != model::op_input || s.b == static_cast<std::uint8_t>(model::input::user)) return;
    if (inputs_.empty())
      for (const model::step& other : steps_)
        if (other.a == model::op_input && other.b != static_cast<std::uint8_t>(model::input::user))
          ++inputs_[{other.b, p_.code().arguments_of(other)[0].id()}];
    if (inputs_[{s.b, p_.code().arguments_of(s)[0].id()}] > 1)
      refuse(shown(top) +
             " and another INPUT have the same contents; only one of them would change");
  }

  /// The results that have elements of `top` and that later instructions use.
  [[nodiscard]] std::vector<std::uint32_t> used_later(std::uint32_t top) {
    node& family = nodes_[nodes_[top].family];
    while (family.next < family.members.size() && family.members[family.next] < at_)
      family.used.push_back(family.members[family.next++]);
    seen_ += family.used.size();
    if (seen_ > max_seen)
      refuse("too many results share elements; expected at most " + std::to_string(max_seen) +
             " checks of them in a program");
    std::erase_if(family.used, [&](std::uint32_t m) {
      return nodes_[m].last_use <= at_ && !(m == top && written_[top]);
    });
    std::vector<std::uint32_t> out;
    for (const std::uint32_t m : family.used) {
      if (nodes_[m].top == top)
        out.push_back(m);
      else if (!is_beside(m, top))
        refuse("whether " + shown(m) +
               " changes with it depends on strides, which NAC doesn't store");
    }
    return out;
  }

  void find_change(std::uint32_t i) {
    const std::uint32_t target = out_.source[steps_[i].first], top = nodes_[target].top;
    check_input(top);
    if (nodes_[top].has_elements)
      refuse("the target is a view of " + shown(top) +
             ", which has several results; expected one tensor");
    change c;
    c.base = top;
    c.first_again = static_cast<std::uint32_t>(out_.again.size());
    const bool is_state = steps_[top].a == model::op_input &&
                          steps_[top].b == static_cast<std::uint8_t>(model::input::state);
    c.writes = (is_state || written_[top]) && nodes_[target].same != nodes_[top].same;
    std::vector<std::uint32_t> needed = used_later(top);
    for (const std::uint32_t m : needed)
      c.writes = c.writes || nodes_[m].same != nodes_[target].same;
    if (c.writes) add_ancestors(needed, top);
    for (const std::uint32_t m : needed) add_renewed(m, target);
    if (out_.again.size() > max_again)
      refuse("too many results change; expected at most " + std::to_string(max_again) +
             " in a program");
    c.again = static_cast<std::uint32_t>(out_.again.size()) - c.first_again;
    c.first_step = static_cast<std::uint32_t>(out_.path.size());
    if (c.writes) {
      out_.kept[top] = written_[top] = true;
      for (std::uint32_t m = target; m != top; m = nodes_[m].parent) {
        out_.path.push_back(m);
        keep_operands(m);
      }
      std::reverse(out_.path.begin() + c.first_step, out_.path.end());
      if (out_.path.size() > max_again)
        refuse("too many views of views; expected at most " + std::to_string(max_again) +
               " in a program");
    }
    c.steps = static_cast<std::uint32_t>(out_.path.size()) - c.first_step;
    out_.of[i] = static_cast<std::uint32_t>(out_.all.size());
    out_.all.push_back(c);
  }

  /// Whether `m` has nothing of `top`, one of several results: another one, or the list of all that
  /// only getitem takes from now on.
  [[nodiscard]] bool is_beside(std::uint32_t m, std::uint32_t top) const {
    const std::uint32_t list = nodes_[top].list;
    if (list == none) return false;
    return m == list ? nodes_[list].last_whole_use <= at_ : nodes_[nodes_[m].top].list == list;
  }

  /// What lies between the base and those that are made again of it.
  void add_ancestors(std::vector<std::uint32_t>& needed, std::uint32_t top) {
    std::set<std::uint32_t> all(needed.begin(), needed.end());
    for (const std::uint32_t first : needed)
      for (std::uint32_t m = first; m != top && (m == first || all.insert(m).second);)
        m = nodes_[m].parent;
    if (all.size() > max_again)
      refuse("too many results change; expected at most " + std::to_string(max_again));
    needed.assign(all.begin(), all.end());
  }

  void add_renewed(std::uint32_t m, std::uint32_t target) {
    using by = renewed::by;
    const bool is_result = nodes_[m].same == nodes_[target].same;
    const by how = is_result                           ? by::result
                   : nodes_[m].to_parent == link::same ? by::parent
                                                       : by::again;
    if (how == by::again && m == nodes_[m].top) return;  // the base itself, which is written
    if (how == by::again) keep_operands(m);
    out_.again.push_back({m, nodes_[m].parent, how, nodes_[m].last_use > at_});
  }
  /// All but the first one, of which it is a view.
  void keep_operands(std::uint32_t m) {
    const model::step& s = steps_[m];
    for (std::size_t k = 1; k < operands_of(s); ++k)
      if (const std::uint32_t from = out_.source[s.first + k]; from != none) out_.kept[from] = true;
  }

  const model::program& p_;
  view<model::step> steps_;
  std::uint32_t& at_;
  changes out_;
  bool any_ = false;
  bool in_place_[256] = {}, shapes_[256] = {}, drops_[256] = {};
  link links_[256] = {};
  std::vector<node> nodes_;
  std::size_t seen_ = 0;
  std::vector<bool> written_;  // by instruction: some change writes its elements
  std::map<std::pair<std::uint8_t, std::uint16_t>, std::uint32_t> inputs_;  // by variant and id
};

}  // namespace

changes find_changes(const model::program& p, std::uint32_t& at) {
  return change_finder(p, at).find();
}

bool may_share_elements(std::string_view name) {
  const std::string_view base = base_of(name);
  return model::is_in_place(name) || base == "getitem" || is_one_of(base, gives_operand) ||
         is_one_of(base, gives_views) || is_one_of(base, may_give_views) || is_one_of(base, drops);
}

bool changes_shape_only(std::string_view name) {
  return model::is_in_place(name) && is_one_of(base_of(name), changes_shapes);
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
