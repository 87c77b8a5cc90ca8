// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <map>

#include "convert.hpp"
#include "convert_parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

class converter {
 public:
  converter(corpus& to, const genome::library& l, const conversion_options& how)
      : to_(to), library_(l), how_(how) {}

  void run(const genome::stream_view& flat) {
    std::vector<std::uint32_t> inputs;
    for (std::size_t i = 0; i < flat.size(); ++i) {
      inputs.clear();
      for (const std::int32_t d : flat.references(i))
        inputs.push_back(static_cast<std::uint32_t>(d < 0 ? static_cast<std::int64_t>(i) + d : d));
      to_.add(kind_of(flat, i), inputs);
    }
  }

 private:
  [[nodiscard]] std::uint32_t kind_of(const genome::stream_view& flat, std::size_t i) {
    const genome::node& n = flat.nodes[i];
    if (n.what() == genome::command::control_flow) {
      const view<std::int32_t> d = flat.inputs_of(i);
      return control_flow_kind(to_.names(), n.b, static_cast<std::uint32_t>(d[0]),
                               static_cast<std::uint32_t>(d[1]));
    }
    // Kinds of one A, B and C differ only in whether a constant follows a list of tensors.
    const bool nameless = n.what() == genome::command::const_ref && !how_.parameter_names;
    const std::uint64_t key = std::uint64_t{n.a} << 32 | std::uint64_t{n.b} << 24 |
                              std::uint64_t{n.count != 0} << 16 |
                              (nameless ? 0 : static_cast<std::uint16_t>(n.c));
    const auto [at, is_new] = known_.try_emplace(key, 0);
    if (is_new) at->second = new_kind(n);
    return at->second;
  }

  [[nodiscard]] std::uint32_t new_kind(const genome::node& n) {
    parts_.clear();
    if (n.what() != genome::command::operation) {
      const bool named = n.what() == genome::command::const_ref && how_.parameter_names;
      if (named)
        parts_.constant("", "parameter",
                        std::string(library_.parameter(static_cast<std::uint16_t>(n.c))));
      parts_.finish();
      return to_.names().kind(name_of(n.what()), "", parts_.constants());
    }
    const std::string_view operation = library_.operation(n.a);
    const std::string_view variation =
        n.b == genome::no_variation ? std::string_view() : library_.variation(n.b);
    if (n.has_group()) {
      genome::group_parts group(library_.group(n.group_id()));
      for (genome::group_part p; group.next(p);) constant(std::string(p.key), p.constant);
    } else if (n.c > 0) {
      const genome::constant_key key =
          genome::single_constant_key(operation, genome::tensor_arguments(variation, n.count));
      constant(key.keyword.empty() ? key_of(key.position) : std::string(key.keyword),
               static_cast<std::uint32_t>(n.c));
    }
    parts_.finish();
    return to_.names().kind(operation, variation, parts_.constants());
  }

  void constant(std::string key, std::uint32_t id) {
    const genome::constant* const c = library_.constant(id);
    if (c == nullptr) return;  // verification found it
    const genome::registry& r = library_.registry();
    parts_.constant(std::move(key), r.name_of(c->type), std::string(r.name_of(c->value)));
  }

  corpus& to_;
  const genome::library& library_;
  const conversion_options& how_;
  node_parts parts_;
  std::map<std::uint64_t, std::uint32_t> known_;
};

}  // namespace

error add_graph(corpus& to, std::string_view name, const genome::program& from,
                const conversion_options& how) {
  const result<genome::stream> flat = to.expansions().expand(from);
  if (!flat) return flat.error();
  to.begin(name);
  converter(to, from.library(), how).run(*flat);
  return {};
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
