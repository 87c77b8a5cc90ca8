// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// All ranks of a model together: what rules.tsv can't say of the rules M, and the schedule.

#include "ark/verbs.hpp"
#include "findings.hpp"
// Keeps the line above where it is.
#include <algorithm>
#include <map>
#include <random>

using namespace findings;

namespace {

std::string tags(std::string_view name, int rank, const std::vector<std::pair<int, int>>& all) {
  std::string list;
  for (const auto& [peer, tag] : all)
    list += (list.empty() ? "[" : ",[") + std::to_string(peer) + "," + std::to_string(tag) + "]";
  const std::string none = "[]";
  const bool send = name == "SendTags";
  return R"("Rank":)" + std::to_string(rank) + R"(,"SendTags":)" +
         (send ? "[" + list + "]" : none) + R"(,"RecvTags":)" + (send ? none : "[" + list + "]");
}
patch labelled(patch p, std::string text) {
  p.tags = std::move(text);
  return p;
}

/// The file of one rank, from messages in order; every buffer is its own.
class script {
 public:
  script(int rank, int world_size) : rank_(rank), world_size_(world_size) {}
  script& send(int to, int tag) {
    const patch data = labelled({id_++, buffer_++}, tags("SendTags", -1, {{to, tag}}));
    patch out = labelled({id_++, buffer_++}, tags("RecvTags", to, {{-1, tag}}));
    patch result = out;
    result.id = id_++;
    return add(op("Send", {data}, {out}, {result}));
  }
  /// Two tags for one buffer of the other rank.
  script& send_both(int to, int tag, int other) {
    const patch data = labelled({id_++, buffer_++}, tags("SendTags", -1, {{to, tag}, {to, other}}));
    patch out = labelled({id_++, buffer_++}, tags("RecvTags", to, {{-1, tag}, {-1, other}}));
    patch result = out;
    result.id = id_++;
    return add(op("Send", {data}, {out}, {result}));
  }
  script& recv(int from, int tag) {
    const patch label = labelled({id_++, buffer_++}, tags("SendTags", from, {{-1, tag}}));
    patch out = labelled({id_++, buffer_++}, tags("RecvTags", -1, {{from, tag}}));
    patch result = out;
    result.id = id_++;
    return add(op("Recv", {label}, {out}, {result}));
  }
  script& sync() {
    const patch in{id_++, buffer_++};
    patch out = in, result = in;
    out.id = id_++;
    result.id = id_++;
    return add(op("DeviceSync", {in}, {out}, {result},
                  R"({"Rank":{"INT":)" + std::to_string(rank_) + R"(},"PeerNum":{"INT":)" +
                      std::to_string(world_size_ - 1) + "}}"));
  }
  [[nodiscard]] std::string text() const { return file(nodes_, rank_, world_size_); }

 private:
  script& add(const std::string& operation) {
    nodes_.push_back(node(static_cast<std::int64_t>(nodes_.size()), {}, {}, operation));
    return *this;
  }
  int rank_, world_size_;
  std::int64_t id_ = 0, buffer_ = 0;
  std::vector<std::string> nodes_;
};

struct model {
  explicit model(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      auto p = ark_test::verify(graph(text));
      REQUIRE(p);
      programs.push_back(std::move(*p));
    }
    for (const ark::program& p : programs) ranks.push_back(&p);
  }
  [[nodiscard]] ark::world world() const {
    auto w = ark_test::verify_ranks({ranks.data(), ranks.size()});
    if (!w) FAIL(std::string(w.error().name()));
    return std::move(*w);
  }
  std::deque<ark::program> programs;
  std::vector<const ark::program*> ranks;
};

std::string steps(const ark::world& w) {
  ark::schedule order(w);
  std::string out;
  for (ark::schedule::step s; order.next(s);)
    out += std::to_string(s.rank) + "." + std::to_string(s.node) + " ";
  CHECK(order.unfinished() == 0);
  return out;
}

}  // namespace

TEST_CASE("ark/ranks: one program is a world", "[ark][ranks]") {
  const model m({single(op("Relu", {{0, 0}}, {{1, 1}}, {{2, 1}}))});
  const ark::world w = m.world();
  CHECK(w.size() == 1);
  CHECK(&w.rank(0) == m.ranks[0]);
  CHECK(w.owner_buffer(0, 0) == ark::none);
  CHECK(w.channels().empty());
  CHECK(steps(w) == "0.0 ");
  CHECK(ark_test::verify_ranks({}).error().code == tessera::errc::ark_m01_ranks);
}

TEST_CASE("ark/ranks: stand-ins represent their owners' buffers", "[ark][ranks]") {
  // Given in the wrong order.
  const model m({script(1, 2).recv(0, 7).text(), script(0, 2).send(1, 7).text()});
  const ark::world w = m.world();
  CHECK(&w.rank(0) == m.ranks[1]);
  const auto find = [&](std::size_t r, std::int64_t id) {
    const auto& all = w.rank(r).model().buffers;
    for (std::uint32_t b = 0; b < all.size(); ++b)
      if (all[b].id == id) return b;
    return ark::none;
  };
  CHECK(w.owner_buffer(0, find(0, 0)) == ark::none);
  CHECK(w.owner_buffer(0, find(0, 1)) == find(1, 1));  // data
  CHECK(w.owner_buffer(1, find(1, 0)) == find(0, 0));  // a label
  REQUIRE(w.channels().size() == 1);
  CHECK((w.channels()[0] == ark::channel{0, 1, 7}));
  CHECK(w.sends(0, 0).size() == 1);
  CHECK(w.receives(0, 0).empty());
  CHECK(w.receives(1, 0).size() == 1);
}

TEST_CASE("ark/ranks: each runs until it waits", "[ark][ranks]") {
  CHECK(steps(model({script(0, 2).send(1, 1).recv(1, 2).send(1, 3).text(),
                     script(1, 2).recv(0, 1).send(0, 2).recv(0, 3).text()})
                  .world()) == "0.0 1.0 1.1 0.1 0.2 1.2 ");
  CHECK(steps(model({script(0, 3).sync().sync().text(), script(1, 3).sync().sync().text(),
                     script(2, 3).sync().sync().text()})
                  .world()) == "2.0 0.0 1.0 1.1 0.1 2.1 ");
  // A ring: each sends on what it received.
  CHECK(steps(model({script(0, 3).send(1, 0).recv(2, 0).text(),
                     script(1, 3).recv(0, 0).send(2, 0).text(),
                     script(2, 3).recv(1, 0).send(0, 0).text()})
                  .world()) == "0.0 1.0 1.1 2.0 2.1 0.1 ");
}

TEST_CASE("ark/ranks: those that wait for each other are named", "[ark][ranks]") {
  SECTION("messages in a ring") {
    const list found =
        of({script(0, 3).recv(2, 5).send(1, 5).text(), script(1, 3).recv(0, 5).send(2, 5).text(),
            script(2, 3).recv(1, 5).send(0, 5).text()});
    REQUIRE(rules(found) == "E M08");
    CHECK(found[0].text ==
          "rank 0 waits at node 0 (Recv) for a message from rank 2 to rank 0 with tag 5; "
          "rank 1 waits at node 0 (Recv) for a message from rank 0 to rank 1 with tag 5; "
          "rank 2 waits at node 0 (Recv) for a message from rank 1 to rank 2 with tag 5");
  }
  SECTION("a DeviceSync and a message") {
    const list found =
        of({script(0, 2).sync().send(1, -3).text(), script(1, 2).recv(0, -3).sync().text()});
    REQUIRE(rules(found) == "E M08");
    CHECK(found[0].text ==
          "rank 0 waits at node 0 (DeviceSync) for all ranks; "
          "rank 1 waits at node 0 (Recv) for a message from rank 0 to rank 1 with tag -3");
    CHECK(found[0].file == 0);
    CHECK(found[0].path == "$.Nodes[0].Op");
  }
}

TEST_CASE("ark/ranks: all tags of a stand-in are of one buffer", "[ark][ranks]") {
  const list found =
      of({script(0, 2).send_both(1, 5, 6).text(), script(1, 2).recv(0, 5).recv(0, 6).text()});
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].rule == "M02");
  CHECK(found[0].path == "$.Nodes[0].Op.WriteTensors[0].Buffer.RecvTags[1]");
  CHECK(found[0].text ==
        "a different buffer than for the previous tags of rank 1 has [0,6] in its RecvTags");
}

TEST_CASE("ark/ranks: a tag is of one buffer of its owner", "[ark][ranks]") {
  const list found =
      of({script(0, 2).send(1, 7).text(), script(1, 2).recv(0, 7).recv(0, 7).text()});
  REQUIRE(rules(found) == "E B05");
  CHECK(found[0].text == "[0,7] is also a tag of buffer 1");
}

TEST_CASE("ark/ranks: a tag without a partner is missed in the other list", "[ark][ranks]") {
  const auto missed = [](const script& one, std::string_view text) {
    const list found = of({one.text(), script(1, 2).text()});
    for (const auto& f : found)
      if (f.rule == "M04" && f.text == text) return true;
    return false;
  };
  CHECK(missed(script(0, 2).recv(1, 5), "no buffer of rank 1 has [0,5] in its SendTags"));
  CHECK(missed(script(0, 2).send(1, 5), "no buffer of rank 1 has [0,5] in its RecvTags"));
}

TEST_CASE("ark/ranks: random exchanges end as a plain simulation says", "[ark][ranks]") {
  std::mt19937 r(3);
  int stuck = 0;
  for (int round = 0; round < 300; ++round) {
    const int count = 2 + static_cast<int>(r() % 3);
    std::vector<script> files;
    struct step {
      int kind, peer, tag;  // 0: send, 1: receive, 2: sync
    };
    std::vector<std::vector<step>> plain(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) files.emplace_back(k, count);
    const int messages = 1 + static_cast<int>(r() % 6);
    std::vector<std::vector<step>> events(static_cast<std::size_t>(count));
    for (int tag = 0; tag < messages; ++tag) {
      const int from = static_cast<int>(r() % static_cast<unsigned>(count));
      const int to = (from + 1 + static_cast<int>(r() % static_cast<unsigned>(count - 1))) % count;
      events[static_cast<std::size_t>(from)].push_back({0, to, tag});
      events[static_cast<std::size_t>(to)].push_back({1, from, tag});
    }
    const bool sync = r() % 2 == 0;
    for (std::size_t k = 0; k < events.size(); ++k) {
      if (sync) events[k].push_back({2, 0, 0});
      std::shuffle(events[k].begin(), events[k].end(), r);
      for (const step& s : events[k])
        s.kind == 0   ? files[k].send(s.peer, s.tag)
        : s.kind == 1 ? files[k].recv(s.peer, s.tag)
                      : files[k].sync();
    }
    std::vector<std::size_t> at(events.size());
    std::map<int, int> sent;  // by tag, which is of one pair here
    for (bool moved = true; moved;) {
      moved = false;
      bool all_at_sync = true;
      for (std::size_t k = 0; k < events.size(); ++k) {
        while (at[k] < events[k].size()) {
          const step& s = events[k][at[k]];
          if (s.kind == 2 || (s.kind == 1 && sent[s.tag] == 0)) break;
          if (s.kind == 0) ++sent[s.tag];
          ++at[k];
          moved = true;
        }
        all_at_sync = all_at_sync && at[k] < events[k].size() && events[k][at[k]].kind == 2;
      }
      if (!moved && all_at_sync) {
        for (std::size_t& a : at) ++a;
        moved = true;
      }
    }
    bool ends = true;
    for (std::size_t k = 0; k < events.size(); ++k) ends = ends && at[k] == events[k].size();
    std::vector<std::string> texts;
    for (const script& f : files) texts.push_back(f.text());
    const list found = of(texts);
    INFO(summary(found));
    CHECK(rules(found) == (ends ? "" : "E M08"));
    if (ends) {
      const model m(texts);
      const ark::world w = m.world();
      ark::schedule order(w);
      for (ark::schedule::step s; order.next(s);) {}
      CHECK(order.unfinished() == 0);
      CHECK(order.left_over() == 0);
    }
    stuck += ends ? 0 : 1;
  }
  CHECK((stuck > 50 && stuck < 250));
}

TEST_CASE("ark/ranks: files that are no model", "[ark][ranks]") {
  const auto relu = [](int rank, int size) {
    return single(op("Relu", {{0, 0}}, {{1, 1}}, {{2, 1}}), rank, size);
  };
  list found = of({relu(0, 3), relu(0, 3)});
  CHECK(rules(found) == "E M01, E M01");
  CHECK(found[0].text == "Rank is 0, as in another file; expected each rank once");
  CHECK(found[1].text == "no files for 2 of 3 ranks: 1, 2");
  found = of({relu(0, 2), relu(1, 3)});
  REQUIRE(rules(found) == "E M01");
  CHECK(found[0].text == "WorldSize is 3; the first file has 2");
  CHECK(found[0].file == 1);
  found = of({relu(7, 2147483647)});
  REQUIRE(rules(found) == "E M01");
  CHECK(found[0].text ==
        "no files for 2147483646 of 2147483647 ranks: 0, 1, 2, 3, 4, 5, 6, 8, ...");
}

TEST_CASE("ark/ranks: the format's own sets verify and end", "[ark][ranks]") {
  std::error_code absent;
  std::map<std::string, std::map<int, std::string>> sets;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(shared() / "upstream", absent)) {
    std::string name = entry.path().filename().string();
    const std::size_t at = name.find("-r");
    if (at == std::string::npos || name.ends_with(".plan.json") || name.ends_with(".io.json"))
      continue;
    const int rank = name[at + 2] - '0';
    name[at + 2] = 'N';
    sets[entry.path().parent_path().string() + "/" + name][rank] = content_of(entry.path());
  }
  for (const auto& [name, ranks] : sets) {
    INFO(name);
    std::vector<std::string> files;
    for (const auto& [rank, text] : ranks) files.push_back(text);
    const list found = of(files);
    INFO(summary(found));
    CHECK(rules(found).find("E ") == std::string::npos);
    const model m(files);
    const ark::world w = m.world();
    ark::schedule order(w);
    std::size_t count = 0, expected = 0;
    for (const std::string& text : files) expected += graph(text).ops.size();
    for (ark::schedule::step s; order.next(s);) ++count;
    CHECK(order.unfinished() == 0);
    CHECK(order.left_over() == 0);
    CHECK(count == expected);
  }
  if (sets.empty()) WARN("no samples at " << shared().string());
}
