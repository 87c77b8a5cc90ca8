// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The pickles that list the tensors of earlier archives: what is read of them, and what is refused
// where.

#include "pt2/samples.hpp"
// Keeps the line above where it is.
#include <set>

#include "support/allocations.hpp"

using namespace tessera;
using pt2_samples::archive;
using pt2_samples::put;

namespace {

using namespace std::string_literals;

// ---- a writer of pickles

[[nodiscard]] std::string unicode(const std::string& s) {
  std::string out = "X";
  put(out, s.size(), 4);
  return out + s;
}
[[nodiscard]] std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
/// Up to 255.
[[nodiscard]] std::string number(std::size_t value) { return "K"s + static_cast<char>(value); }
[[nodiscard]] std::string storage(const std::string& type, const std::string& key,
                                  const std::string& elements) {
  return "(" + unicode("storage") + global("torch", type) + unicode(key) + unicode("cpu") +
         elements + "tQ";
}
const std::string rebuild = global("torch._utils", "_rebuild_tensor_v2");
const std::string hooks = global("collections", "OrderedDict") + ")R";
/// A tensor of three floats of the storage "0".
const std::string floats = storage("FloatStorage", "0", number(3));
[[nodiscard]] std::string tensor(const std::string& of = floats,
                                 const std::string& offset = number(0),
                                 const std::string& sizes = number(3) + "\x85",
                                 const std::string& strides = number(1) + "\x85") {
  return rebuild + "(" + of + offset + sizes + strides + "\x89" + hooks + "tR";
}
[[nodiscard]] std::string weights(const std::string& items) { return "\x80\x02}" + items + "."; }

/// A flat archive whose weights are those of a pickle.
struct pickled {
  explicit pickled(std::string pickle)
      : pickled({{"archive/data.pkl", std::move(pickle)},
                 {"archive/byteorder", "little"},
                 {"archive/data/0", std::string(12, '\1')}}) {}
  explicit pickled(std::vector<pt2_samples::entry> members) {
    inner.entries = std::move(members);
    outer.entries = {
        {"serialized_exported_program.json",
         pt2_samples::open("two").at(pt2_samples::program_json).content},
        {"serialized_state_dict.pt", inner.zip()},
        {"serialized_constants.pt",
         archive{{{"archive/data.pkl", weights("")}, {"archive/byteorder", "little"}}, {}, 0}
             .zip()},
        {"version", "8.20"}};
    source = outer.zip();
  }
  [[nodiscard]] error failure(const pt2::read_options& options = {}) const {
    return pt2::read(source, options).error();
  }
  /// A place in the inner archive's member.
  [[nodiscard]] std::uint64_t place(std::string_view member, std::size_t at) {
    return outer.data_of("serialized_state_dict.pt") + inner.data_of(member) + at;
  }
  /// The error of a place in the pickle.
  [[nodiscard]] error at(errc code, std::size_t position) {
    return {code, place("data.pkl", position)};
  }

  archive inner, outer;
  std::string source;
};
/// That the pickle is refused at its end, less so many bytes.
void check_refused(const std::string& pickle, errc code, std::size_t before_end = 0) {
  pickled p(pickle);
  INFO(error(code).name() << " in a pickle of " << pickle.size());
  CHECK(p.failure() == p.at(code, pickle.size() - before_end));
}
[[nodiscard]] bool is_read(const std::string& pickle) {
  return pickled(pickle).failure().code == errc::ok;
}

}  // namespace

TEST_CASE("pt2/pickle: a dictionary of tensors", "[pt2]") {
  const pickled p(weights(unicode("w") + tensor() + "s"));
  const pt2::model m = pt2_samples::model(p.source, {.checksums = true});
  CHECK(m.container == pt2::container_kind::flat);
  CHECK(m.has_byte_order);
  REQUIRE(m.weights.count == 1);
  REQUIRE(m.constants.count == 0);
  const pt2::stored_tensor& w = m.stored[0];
  CHECK(text_of(m, w.name) == "w");
  CHECK(text_of(m, w.path) == "0");
  CHECK(text_of(m, m.members[w.member].name) == "archive/data/0");
  CHECK_FALSE(w.is_parameter);
  CHECK(pt2_samples::text_of(payload(m, w)) == std::string(12, '\1'));
  CHECK(payload(m, w).data() >= as_bytes(p.source).data());  // in place
  const pt2::tensor_meta& t = m.tensors[w.meta];
  CHECK(t.type == pt2::element_type::float32);
  CHECK(text_of(m, t.device) == "cpu");
  REQUIRE(t.sizes.count == 1);
  CHECK(m.scalars[t.sizes.first].integer == 3);
  CHECK(m.scalars[t.strides.first].integer == 1);
}

TEST_CASE("pt2/pickle: every opcode that is interpreted", "[pt2]") {
  // Numbers of all widths, in a tensor of no elements; parameters; attributes; memos.
  const auto size_of = [](const std::string& size) {
    const pickled p(weights(
        unicode("w") +
        tensor(floats, number(0), number(0) + size + "\x86", number(1) + number(1) + "\x86") +
        "s"));
    const pt2::model m = pt2_samples::model(p.source);
    return m.scalars[m.tensors[m.stored[0].meta].sizes.first + 1].integer;
  };
  CHECK(size_of("M\xff\xff"s) == 65535);
  CHECK(size_of("J\xff\xff\xff\x7f"s) == 2147483647);
  CHECK(size_of("J\xff\xff\xff\xff"s) == -1);
  CHECK(size_of("\x8a\0"s) == 0);
  CHECK(size_of("\x8a\x01\xff"s) == -1);
  CHECK(size_of("\x8a\x05\0\0\0\0\1"s) == std::int64_t{1} << 32);
  CHECK(size_of("\x8a\x08\0\0\0\0\0\0\0\x80"s) == INT64_MIN);

  const std::string parameter = global("torch._utils", "_rebuild_parameter");
  const std::string with_state = global("torch._utils", "_rebuild_parameter_with_state");
  const std::string attributes = "}" + unicode("mark") + unicode("of the exporter") + "s";
  const pickled p(weights("("s + unicode("a") + parameter + tensor() + "q\0"s + "\x88" + hooks +
                          "\x87R" + unicode("b") + "h\0"s + unicode("c") + "j\0\0\0\0"s +
                          unicode("d") + with_state + "(" + "h\0"s + "\x89" + hooks + attributes +
                          "tRr\1\0\0\0"s + "u}b"));
  const pt2::model m = pt2_samples::model(p.source);
  REQUIRE(m.weights.count == 4);
  CHECK(m.stored[0].is_parameter);
  CHECK(m.tensors[m.stored[0].meta].requires_grad);
  CHECK_FALSE(m.stored[1].is_parameter);
  CHECK(m.stored[1].meta == m.stored[2].meta);
  CHECK(m.stored[3].is_parameter);
  CHECK_FALSE(m.tensors[m.stored[3].meta].requires_grad);
  for (const pt2::stored_tensor& t : m.stored) CHECK(t.member == m.stored[0].member);
}

TEST_CASE("pt2/pickle: storages of every type and device", "[pt2]") {
  struct of_type {
    const char* storage;
    const char* name;
    std::size_t elements;
  };
  for (const of_type t : {of_type{"FloatStorage", "f32", 3},
                          {"DoubleStorage", "f64", 0},
                          {"HalfStorage", "f16", 6},
                          {"BFloat16Storage", "bf16", 6},
                          {"LongStorage", "i64", 0},
                          {"IntStorage", "i32", 3},
                          {"ShortStorage", "i16", 6},
                          {"CharStorage", "i8", 12},
                          {"ByteStorage", "u8", 12},
                          {"BoolStorage", "bool", 12},
                          {"ComplexFloatStorage", "c64", 0},
                          {"ComplexDoubleStorage", "c128", 0}}) {
    INFO(t.storage);
    const std::string pickle = weights(unicode("w") +
                                       tensor(storage(t.storage, "0", number(t.elements)),
                                              number(0), number(0) + "\x85", number(1) + "\x85") +
                                       "s");
    const pickled p({{"archive/data.pkl", pickle},
                     {"archive/data/0", std::string(t.elements == 0 ? 0 : 12, '\0')}});
    const pt2::model m = pt2_samples::model(p.source);
    CHECK(info(m.tensors[m.stored[0].meta].type).name == t.name);
    CHECK_FALSE(m.has_byte_order);
  }
  const auto device = [](const std::string& name) {
    return weights(unicode("w") +
                   tensor("(" + unicode("storage") + global("torch", "FloatStorage") +
                          unicode("0") + unicode(name) + number(3) + "tQ") +
                   "s");
  };
  const pickled cuda(device("cuda:12"));
  const pt2::model m = pt2_samples::model(cuda.source);
  const pt2::tensor_meta& t = m.tensors[m.stored[0].meta];
  CHECK(text_of(m, t.device) == "cuda");
  CHECK(t.has_device_index);
  CHECK(t.device_index == 12);
  for (const char* const wrong : {"cuda:", "cuda:x", "cuda:123456"})
    check_refused(device(wrong), errc::pt2_pickle_tensor, 3);
}

TEST_CASE("pt2/pickle: protocol and end", "[pt2]") {
  for (const std::string& s : {""s, "\x80"s, "\x80\x04}."s, "}."s}) {
    pickled p(s);
    CHECK(p.failure() == p.at(errc::pt2_pickle_protocol, 0));
  }
  check_refused("\x80\x02}", errc::pt2_pickle_end);
  check_refused("\x80\x02}.}", errc::pt2_pickle_end, 1);
  check_refused("\x80\x02X\x01\0\0"s, errc::pt2_pickle_end, 4);
  check_refused("\x80\x02X\x02\0\0\0a"s, errc::pt2_pickle_end, 6);
  check_refused("\x80\x02X\xff\xff\xff\xff"s, errc::pt2_pickle_end, 5);
  check_refused("\x80\x02"s + "ctorch\nFloat", errc::pt2_pickle_end, 12);
  check_refused("\x80\x02"s + "ctorch", errc::pt2_pickle_end, 6);
  for (const std::string& s :
       {"K"s, "M\0"s, "J\0\0\0"s, "q"s, "r\0\0\0"s, "h"s, "j\0"s, "\x8a"s, "\x8a\x02\0"s})
    check_refused("\x80\x02}"s + s, errc::pt2_pickle_end, s.size());
}

TEST_CASE("pt2/pickle: every other opcode is refused", "[pt2]") {
  std::set<unsigned char> interpreted;
  for (const char c : "().JKMQRXbchjqrstu}\x85\x86\x87\x88\x89\x8a"s)
    interpreted.insert(static_cast<unsigned char>(c));
  for (int byte = 0; byte < 256; ++byte) {
    if (interpreted.count(static_cast<unsigned char>(byte)) != 0) continue;
    check_refused("\x80\x02}"s + static_cast<char>(byte), errc::pt2_pickle_opcode, 1);
  }
  const pickled p("\x80\x02}\x93."s);
  const tessera::text shown = describe(p.failure(), as_bytes(p.source), "m.pt2");
  CHECK(shown.view().find("at member serialized_state_dict.pt, archive/data.pkl (STACK_GLOBAL), "
                          "offset ") != std::string_view::npos);
}

TEST_CASE("pt2/pickle: every other global is refused by its name", "[pt2]") {
  for (const auto& [module, name] : {std::pair("os", "system"),
                                     {"torch", "floatStorage"},
                                     {"torch", ""},
                                     {"", "FloatStorage"},
                                     {"torch._utils", "_rebuild_tensor_v3"},
                                     {"builtins", "eval"}}) {
    const std::string of = global(module, name);
    check_refused("\x80\x02"s + of, errc::pt2_pickle_global, of.size());
  }
  const pickled p("\x80\x02"s + global("posix", "system") + unicode("true") + "\x85R.");
  const tessera::text shown = describe(p.failure(), as_bytes(p.source), "m.pt2");
  CHECK(shown.view().find("archive/data.pkl (posix system), offset ") != std::string_view::npos);
}

TEST_CASE("pt2/pickle: text, integers and memos", "[pt2]") {
  check_refused("\x80\x02"s + unicode("\xff"), errc::pt2_pickle_text, 6);
  check_refused("\x80\x02\x8a\x09"s + std::string(9, '\0'), errc::pt2_pickle_integer, 11);
  check_refused("\x80\x02h\0"s, errc::pt2_pickle_memo, 2);
  check_refused("\x80\x02j\0\0\0\0"s, errc::pt2_pickle_memo, 5);
  check_refused("\x80\x02}q\1"s, errc::pt2_pickle_memo, 2);
  check_refused("\x80\x02}r\xff\xff\xff\xff"s, errc::pt2_pickle_memo, 5);
  check_refused("\x80\x02}q\0h\1"s, errc::pt2_pickle_memo, 2);
  CHECK(is_read(weights("q\0r\1\0\0\0q\0"s)));
}

TEST_CASE("pt2/pickle: operands", "[pt2]") {
  for (const std::string& s :
       {"\x85"s,   "K\1\x86"s,     "K\1K\1\x87"s, "(\x85"s,  "t"s,  "K\1t"s,               // tuples
        "s"s,      "}K\1s"s,       "K\1K\1K\1s"s, "}(K\1s"s, "u"s,  "}K\1u"s,              // items
        "}(K\1u"s, "K\1(K\1K\1u"s, "(u"s,         "R"s,      ")R"s, "})R"s,   "K\1K\1R"s,  // calls
        "b"s,      "}b"s,          "}K\1b"s,      "K\1}b"s,  // attributes
        "q\0"s,    "(q\0"s})                                 // memos
    check_refused("\x80\x02"s + s, errc::pt2_pickle_operand,
                  s.substr(s.size() - 1) == "\0"s ? 2 : 1);
  check_refused("\x80\x02"s + global("collections", "OrderedDict") + "K\1\x85R"s,
                errc::pt2_pickle_operand, 1);
  check_refused("\x80\x02"s + global("torch", "FloatStorage") + ")R", errc::pt2_pickle_operand, 1);
}

TEST_CASE("pt2/pickle: storages", "[pt2]") {
  const std::string start = "\x80\x02";
  const std::string type = global("torch", "FloatStorage");
  const auto reference = [&](const std::string& items) { return start + "(" + items + "tQ"; };
  for (const std::string& items :
       {""s, unicode("storage") + type + unicode("0") + unicode("cpu"),
        unicode("module") + type + unicode("0") + unicode("cpu") + number(3),
        unicode("storage") + global("collections", "OrderedDict") + unicode("0") + unicode("cpu") +
            number(3),
        unicode("storage") + type + number(0) + unicode("cpu") + number(3),
        unicode("storage") + type + unicode(std::string(21, '0')) + unicode("cpu") + number(3),
        unicode("storage") + type + unicode("0") + unicode("cpu") + number(3) + number(3)})
    check_refused(reference(items), errc::pt2_pickle_storage, 1);
  check_refused(start + "Q", errc::pt2_pickle_storage, 1);
  check_refused(start + storage("FloatStorage", "1", number(3)), errc::pt2_no_payload, 1);
  check_refused(start + storage("FloatStorage", "0/..", number(3)), errc::pt2_no_payload, 1);
  for (const std::string& elements :
       {number(2), number(4), "J\xff\xff\xff\xff"s, "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"s})
    check_refused(start + storage("FloatStorage", "0", elements), errc::pt2_storage_size, 1);
  check_refused(start + floats + storage("IntStorage", "0", number(3)), errc::pt2_pickle_storage,
                1);
  check_refused(start + floats + storage("FloatStorage", "0", number(2)), errc::pt2_pickle_storage,
                1);
}

TEST_CASE("pt2/pickle: tensors", "[pt2]") {
  const std::string start = "\x80\x02", one = number(1) + "\x85";
  const auto call = [&](const std::string& arguments) {
    return start + rebuild + "(" + arguments + "tR";
  };
  for (const std::string& arguments :
       {floats + number(0) + one + one + "\x89", floats + number(0) + one + one + number(0) + hooks,
        floats + one + one + one + "\x89" + hooks, floats + number(0) + number(1) + one + "\x89}",
        floats + number(0) + one + unicode("1") + "\x89}",
        number(0) + number(0) + one + one + "\x89}",
        floats + number(0) + unicode("1") + "\x85" + one + "\x89}",
        floats + number(0) + one + one + "\x89}}"})
    check_refused(call(arguments), errc::pt2_pickle_tensor, 1);
  for (const char* const name : {"_rebuild_parameter", "_rebuild_parameter_with_state"}) {
    check_refused(start + global("torch._utils", name) + floats + "\x89}\x87R",
                  errc::pt2_pickle_tensor, 1);
    check_refused(
        start + global("torch._utils", name) + "(" + tensor() + "\x89}" + number(1) + "tR",
        errc::pt2_pickle_tensor, 1);
  }
  // As many dimensions as PyTorch's operators take.
  const auto of_rank = [&](std::size_t rank) {
    std::string sizes = "(";
    for (std::size_t i = 0; i < rank; ++i) sizes += number(1);
    return unicode("w") + tensor(floats, number(0), sizes + "t", sizes + "t");
  };
  CHECK(is_read(weights(of_rank(64) + "s")));
  check_refused(start + "}" + of_rank(65), errc::pt2_pickle_tensor, 1);
}

TEST_CASE("pt2/pickle: the dictionary that is left", "[pt2]") {
  const std::string start = "\x80\x02";
  for (const std::string& s : {""s, number(1), "}}"s, "(}"s, ")"s, tensor()})
    check_refused(start + s + ".", errc::pt2_pickle_root, 1);
  check_refused(weights(unicode("w") + number(1) + "s"), errc::pt2_pickle_root, 2);
  check_refused(weights(number(1) + tensor() + "s"), errc::pt2_pickle_root, 2);
  check_refused(weights(unicode("w") + floats + "s"), errc::pt2_pickle_root, 2);
  check_refused(weights(unicode("w") + tensor() + "s" + unicode("w") + tensor() + "s"),
                errc::pt2_pickle_key, 2);
  // Items of other dictionaries are dropped.
  CHECK(is_read(weights("}" + number(1) + number(1) + "sb")));
  CHECK(is_read(start + hooks + unicode("w") + tensor() + "s}" + unicode("_metadata") + hooks +
                "sb."));
}

TEST_CASE("pt2/pickle: the inner archive", "[pt2]") {
  const std::string good = weights(unicode("w") + tensor() + "s");
  const pt2_samples::entry pickle{"archive/data.pkl", good},
      data{"archive/data/0", std::string(12, '\1')};
  pickled none({data});
  CHECK(none.failure() ==
        error(errc::pt2_pickle_missing,
              none.outer.data_of("serialized_state_dict.pt") + none.inner.directory));
  pickled big({pickle, {"archive/byteorder", "big"}, data});
  CHECK(big.failure() == error(errc::pt2_byte_order, big.place("byteorder", 0)));
  // Its zip is read as strictly as the outer one.
  pickled p(good);
  p.outer.at("serialized_state_dict.pt").content.back() = 1;
  const std::size_t size = p.outer.at("serialized_state_dict.pt").content.size();
  p.source = p.outer.zip();
  CHECK(p.failure() == error(errc::pt2_end, p.outer.data_of("serialized_state_dict.pt") + size));
  pickled changed(good);
  changed.source[static_cast<std::size_t>(changed.place("data.pkl", 3))] ^= 1;
  CHECK(changed.failure() == changed.at(errc::pt2_checksum, 0));
  pickled weight(good);
  weight.source[static_cast<std::size_t>(weight.place("data/0", 3))] ^= 1;
  CHECK(weight.failure().code == errc::ok);
  CHECK(weight.failure({.checksums = true}) ==
        error(errc::pt2_checksum, weight.place("data/0", 0)));
  CHECK(pt2::write(pt2_samples::model(weight.source)).error() ==
        error(errc::pt2_checksum, weight.place("data/0", 0)));
  pickled limited(good);
  const std::size_t json = limited.outer.at("serialized_exported_program.json").content.size();
  CHECK(limited.failure({.limit = {.max_bytes = json}}).code == errc::ok);
  CHECK(limited.failure({.limit = {.max_items = 4}}).code == errc::too_many_items);
  std::string longer = "\x80\x02}";
  while (longer.size() < json) longer += "K\1K\1s";
  pickled too_large(longer + ".");
  CHECK(too_large.failure({.limit = {.max_bytes = json}}) ==
        too_large.at(errc::input_too_large, 0));
}

TEST_CASE("pt2/pickle: deflated archives", "[pt2]") {
  const std::string good = weights(unicode("w") + tensor() + "s");
  const pt2::read_options with{.inflate = {pt2_samples::inflate}};
  pickled p(good);
  p.outer.deflate("serialized_state_dict.pt");
  p.source = p.outer.zip();
  const std::size_t member = p.outer.data_of("serialized_state_dict.pt");
  CHECK(p.failure() == error(errc::pt2_deflated, member));
  const pt2::model m = pt2_samples::model(p.source, with);
  CHECK(pt2_samples::text_of(payload(m, m.stored[0])) == std::string(12, '\1'));
  CHECK(check(m).code == errc::ok);
  CHECK(pt2::write(m));
  CHECK(pt2::verify(pt2_samples::model(p.source, with)));
  // What is wrong inside is at the member.
  pickled wrong("\x80\x02}0."s);
  wrong.outer.deflate("serialized_state_dict.pt");
  wrong.source = wrong.outer.zip();
  CHECK(wrong.failure(with) ==
        error(errc::pt2_pickle_opcode, wrong.outer.data_of("serialized_state_dict.pt")));
  // Within the inner archive, nothing is inflated.
  for (const std::string_view name : {"data.pkl", "data/0"}) {
    pickled q(good);
    q.inner.deflate(name);
    q.outer.at("serialized_state_dict.pt").content = q.inner.zip();
    q.source = q.outer.zip();
    CHECK(q.failure(with) == error(errc::pt2_inner_deflated, q.place(name, 0)));
  }
}

TEST_CASE("pt2/pickle: the version of a flat archive", "[pt2]") {
  pickled p(weights(unicode("w") + tensor() + "s"));
  const auto with = [&](const std::string& version) {
    p.outer.at("version").content = version;
    p.source = p.outer.zip();
    const error e = p.failure();
    if (e.code != errc::ok) CHECK(e.offset == p.outer.data_of("version"));
    return e.code;
  };
  CHECK(with("8.20") == errc::ok);
  CHECK(with("8") == errc::ok);
  for (const char* const wrong : {"", "8.", ".20", "8.2.1", "8.20\n", "x", "1234567890.1"})
    CHECK(with(wrong) == errc::pt2_flat_version);
  CHECK(with("6.0") == errc::pt2_torch_2_4);
  CHECK(with("1") == errc::pt2_torch_2_4);
  CHECK(with("9.1") == errc::pt2_schema_major);
  // The program's own version agrees with it.
  p.outer.at("version").content = "7.3";
  p.source = p.outer.zip();
  const std::string& json = p.outer.at("serialized_exported_program.json").content;
  CHECK(p.failure() ==
        error(errc::pt2_schema_major,
              p.outer.data_of("serialized_exported_program.json") + json.find("\"major\": ") + 9));
  p.outer.remove("version");
  p.source = p.outer.zip();
  CHECK(p.failure() == error(errc::pt2_flat_version, p.outer.directory));
  p.outer.entries.push_back({"serialized_state_dict.json", "{}"});
  p.source = p.outer.zip();
  CHECK(p.failure() == error(errc::pt2_torch_2_4, p.outer.directory));
  p.outer.remove("serialized_state_dict.json");
  p.outer.entries.push_back({"version", "8.20"});
  p.outer.remove("serialized_constants.pt");
  p.source = p.outer.zip();
  CHECK(p.failure() == error(errc::pt2_no_config, p.outer.directory));
  CHECK(p.failure({.program = "other"}) == error(errc::pt2_no_program, p.outer.directory));
}

TEST_CASE("pt2/pickle: memory is a multiple of the pickle", "[pt2]") {
  const std::string shared = "\x80\x02}" + tensor() + "q\0"s;
  std::string tied = shared;
  for (int i = 0; i < 20000; ++i) tied += unicode(std::to_string(i)) + "h\0s"s;
  for (const std::string& unit : {")"s, "("s, "\x88"s, "}"s, "K\1\x85"s, ")\x85"s, "}q\0"s, tied}) {
    std::string pickle = unit == tied ? tied : "\x80\x02";
    while (pickle.size() < 200000) pickle += unit;
    const pickled p(pickle + ".");
    const tessera_tests::allocations used;
    (void)pt2::read(p.source);
    INFO("a pickle of " << unit.substr(0, 4));
    CHECK(used.peak() <= 100 * pickle.size() + 65536);
  }
}
