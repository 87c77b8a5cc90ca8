// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The messages of ark_s02, s05, s08, s09, s10 and ark_plan_member, which the source decides: the
// members that an object lacks, or the kind of value that a member has instead of its own; and the
// DataType that an unknown one is near to.

#ifndef TESSERA_ARK_DETAIL_MEMBER_MESSAGE_HPP
#define TESSERA_ARK_DETAIL_MEMBER_MESSAGE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/json.hpp"
#include "../../core/suggest.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// An object of the format: `key` holds it, or with `is_element` is the array that holds it.
struct object_row {
  errc code;
  std::string_view key;  ///< empty: the root
  bool is_element;
  std::string_view what;
  std::string_view members;  ///< that it must have, blanks between them
};
inline constexpr std::string_view op_members =
    "Type Name IsVirtual ReadTensors WriteTensors ResultTensors Args";
inline constexpr std::string_view tensor_members = "Id DataType Shape Strides Offsets Buffer";
inline constexpr object_row object_rows[] = {
    {errc::ark_s02_root_member, "", false, "the root", "Rank WorldSize Nodes"},
    {errc::ark_s05_node_member, "Nodes", true, "a node", "Id ProducerNodeIds ConsumerNodeIds"},
    {errc::ark_s08_op_member, "Op", false, "an operation", op_members},
    {errc::ark_s08_op_member, "Ops", true, "an operation", op_members},
    {errc::ark_s09_tensor_member, "ReadTensors", true, "a tensor", tensor_members},
    {errc::ark_s09_tensor_member, "WriteTensors", true, "a tensor", tensor_members},
    {errc::ark_s09_tensor_member, "ResultTensors", true, "a tensor", tensor_members},
    {errc::ark_s10_buffer_member, "Buffer", false, "a buffer", "Id Rank SendTags RecvTags"},
    {errc::ark_plan_member, "", false, "a plan",
     "Rank WorldSize NumProcessors NumWarpsPerProcessor TaskInfos ProcessorGroups"},
    {errc::ark_plan_member, "TaskInfos", true, "a task", "Id NumWarps SramBytes Ops"},
    {errc::ark_plan_member, "ProcessorGroups", true, "a processor group",
     "ProcessorRange ResourceGroups"},
    {errc::ark_plan_member, "ResourceGroups", true, "a resource group",
     "ProcessorRange WarpRange SramRange TaskGroups"},
    {errc::ark_plan_member, "TaskGroups", true, "a task group", "TaskId TaskRange Granularity"},
};

/// What a member of that key has in every object.
struct member_row {
  std::string_view key;
  std::string_view expected;
};
inline constexpr std::string_view an_integer = "an integer";
inline constexpr member_row member_rows[] = {
    {"Id", an_integer},
    {"Rank", an_integer},
    {"NumProcessors", an_integer},
    {"NumWarpsPerProcessor", an_integer},
    {"NumWarps", an_integer},
    {"SramBytes", an_integer},
    {"TaskId", an_integer},
    {"Granularity", an_integer},
    {"ProducerNodeIds", "an array of integers"},
    {"ConsumerNodeIds", "an array of integers"},
    {"Shape", "an array of integers"},
    {"Strides", "an array of integers"},
    {"Offsets", "an array of integers"},
    {"PaddedShape", "an array of integers"},
    {"Pads", "an array of integers"},
    {"Type", "a string"},
    {"Name", "a string"},
    {"DataType", "a string"},
    {"Architecture", "a string"},
    {"IsVirtual", "true or false"},
    {"IsExternal", "true or false"},
    {"Args", "an object, null or an empty array"},
    {"ReadTensors", "an array of tensors"},
    {"WriteTensors", "an array of tensors"},
    {"ResultTensors", "an array of tensors"},
    {"Buffer", "an object"},
    {"SendTags", "an array of pairs [rank, tag]"},
    {"RecvTags", "an array of pairs [rank, tag]"},
    {"Ops", "an array of operations"},
    {"ResourceGroups", "an array of resource groups"},
    {"TaskGroups", "an array of task groups"},
    {"TaskInfos", "an array of tasks, or null"},
    {"ProcessorGroups", "an array of processor groups, or null"},
};

[[nodiscard]] constexpr std::string_view name_of(json::kind k) noexcept {
  switch (k) {
    case json::kind::none: return "no value";
    case json::kind::object: return "an object";
    case json::kind::array: return "an array";
    case json::kind::string: return "a string";
    case json::kind::number: return "a number";
    case json::kind::boolean: return "true or false";
    case json::kind::null: return "null";
  }
  return {};  // unreachable: all kinds are above
}

/// Whether the object that `source` begins with has a member.
[[nodiscard, gnu::cold]] inline bool has_member(std::string_view source, std::string_view wanted) {
  json::reader in(source);
  std::string_view key;
  for (in.object(); in.key(key); in.skip())
    if (key == wanted) return true;
  return false;
}

/// Whether an object of this row has a member of that name.
[[nodiscard]] constexpr bool is_member(const object_row& row, std::string_view key) noexcept {
  const std::size_t at = row.members.find(key);
  return at != row.members.npos && (at == 0 || row.members[at - 1] == ' ') &&
         (at + key.size() == row.members.size() || row.members[at + key.size()] == ' ');
}

/// The message of an unknown DataType that is near to one.
[[gnu::cold]] inline void append_data_type(text& to, const error& e, std::string_view source) {
  json::reader in(source.substr(to_size(e.offset)));
  const std::string_view near = nearest(in.string(), data_type_table);
  if (!in.failed() && !near.empty()) to << e.message() << "; did you mean " << near << '?';
}

[[gnu::cold]] inline void append_missing(text& to, const object_row& row, std::string_view source) {
  text names;
  std::size_t count = 0;
  const auto add = [&](std::string_view member) { names << (count++ == 0 ? "" : ", ") << member; };
  for (std::string_view left = row.members; !left.empty();) {
    const std::string_view member = left.substr(0, left.find(' '));
    left.remove_prefix(member.size() == left.size() ? left.size() : member.size() + 1);
    if (!has_member(source, member)) add(member);
  }
  if (row.code == errc::ark_s09_tensor_member) {
    const bool padded = has_member(source, "PaddedShape"), pads = has_member(source, "Pads");
    if (padded && pads && count == 0)
      to << row.what << " has both PaddedShape and Pads; expected one of them";
    if (!padded && !pads) add("PaddedShape (or Pads)");
  }
  if (count == 0) return;
  to << (count == 1 ? "missing member of " : "missing members of ") << row.what << ": "
     << names.view();
  if (count != 1) return;
  // A misspelt key is an unknown member to the reader.
  suggestion near(names.view());
  json::reader in(source);
  std::string_view key;
  text kept;  // the reader reuses the memory of keys with escapes
  for (in.object(); in.key(key); in.skip())
    if (!is_member(row, key)) kept << key << '\n';
  for (std::string_view left = kept.view(); !left.empty();) {
    const std::string_view word = left.substr(0, left.find('\n'));
    near.offer(word);
    left.remove_prefix(word.size() + 1);
  }
  if (near.word().empty()) return;
  append_shown(to << "; \"", near.word());
  to << "\" is unknown";
}

/// Appends the message of an error; nothing where its code's own says all. `path` leads to its place.
[[gnu::cold]] inline void append_member_message(text& to, const error& e, std::string_view source,
                                                std::string_view path) {
  switch (e.code) {
    case errc::ark_s02_root_member:
    case errc::ark_s05_node_member:
    case errc::ark_s08_op_member:
    case errc::ark_s09_tensor_member:
    case errc::ark_s10_buffer_member:
    case errc::ark_plan_member: break;
    case errc::ark_t06_data_type:
      if (e.offset < source.size()) append_data_type(to, e, source);
      return;
    default: return;
  }
  if (e.offset >= source.size()) return;
  source.remove_prefix(to_size(e.offset));
  json::reader in(source);
  const json::kind found = in.peek();
  // The last key of the path, and the index after it.
  const std::size_t index = path.rfind('[');
  const bool is_element = !path.empty() && path.back() == ']' && index != path.npos;
  const std::string_view up_to_key = is_element ? path.substr(0, index) : path;
  const std::size_t dot = up_to_key.rfind('.');
  const std::string_view key = dot == path.npos ? std::string_view() : up_to_key.substr(dot + 1);

  const auto wrong = [&](std::string_view expected) {
    to << (dot == path.npos ? path : path.substr(dot + 1)) << ": expected " << expected
       << ", found " << name_of(found);
    if (key == "Args" && found == json::kind::array) to << " with elements";
  };
  for (const object_row& row : object_rows) {
    if (row.code != e.code || row.key != key || row.is_element != is_element) continue;
    return found == json::kind::object ? append_missing(to, row, source) : wrong("an object");
  }
  if (is_element) {
    if (key == "ProducerNodeIds" || key == "ConsumerNodeIds") wrong(an_integer);
    return;
  }
  for (const member_row& row : member_rows)
    if (row.key == key && !(row.expected == an_integer && found == json::kind::number))
      return wrong(row.expected);
}

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_MEMBER_MESSAGE_HPP
