// The search: words of two characters, rights, pages, and the index.
#include "common/http/url.hpp"
#include "queries/documents.hpp"
#include "workloads/documents/support/document_server.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class document_search : public document_server {
 protected:
  /// A document of these pages.
  std::string add(const std::string& user, const std::vector<std::string>& pages) {
    const auto id = db_.value(
        "INSERT INTO documents (document_id, title, user_id, total_pages, bytes, file_key)"
        " VALUES (rowrunner.new_id(), 'a.pdf', '" +
        user + "', " + std::to_string(pages.size()) + ", 1, 'x') RETURNING document_id");
    for (std::size_t i = 0; i < pages.size(); ++i) {
      db_.exec("INSERT INTO document_pages (document_id, page, text) VALUES ('" + id + "', " +
               std::to_string(i + 1) + ", '" + pages[i] + "')");
    }
    return id;
  }
  json search(const std::string& text, const std::string& role = "admin",
              const std::string& more = "") {
    return get("/documents/search?q=" + http::percent_encode(text) + more, role);
  }
  /// "page page" of the hits.
  std::string hits(const std::string& text, const std::string& role = "admin") {
    std::string out;
    const auto found = search(text, role);
    for (const auto& item : found.at("items")) {
      out += (out.empty() ? "" : " ") + std::to_string(item.at("page").get<int>());
    }
    return out;
  }
};

TEST_F(document_search, finds_japanese_words_of_two_characters) {
  add("user", {"東京都港区の請求書", "大阪府", "東 京 タワー", "京東", "東の京"});
  EXPECT_EQ(hits("東京"), "1 3");
  EXPECT_EQ(hits("請求書"), "1");
  EXPECT_EQ(hits("京東"), "4");
  EXPECT_EQ(hits("名古屋"), "");
  EXPECT_THAT(search("東京").at("items")[0].at("snippet").get<std::string>(), HasSubstr("東京都"));
}

TEST_F(document_search, width_and_case_do_not_count) {
  add("user", {"Invoice ＡＢＣ１２３", "ﾄｳｷｮｳ", "in voice"});
  EXPECT_EQ(hits("abc123"), "1");
  EXPECT_EQ(hits("INVOICE"), "1");
  EXPECT_EQ(hits("トウキョウ"), "2");
  EXPECT_EQ(hits("invoice abc"), "1");
}

TEST_F(document_search, letters_that_stand_apart_are_no_hit) {
  add("user", {"ab bc xx cd", "abcd"});
  EXPECT_EQ(hits("abcd"), "2");
  EXPECT_EQ(hits("%_"), "");
  EXPECT_EQ(hits("a''b"), "");
}

TEST_F(document_search, shows_ones_own_documents_and_admins_all) {
  const auto mine = add("user", {"東京 one"});
  add("other", {"東京 two"});
  const auto seen = search("東京", "user").at("items");
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].at("document_id"), mine);
  EXPECT_EQ(search("東京", "admin").at("items").size(), 2u);
  EXPECT_EQ(search("東京", "operator").at("items").size(), 0u);
}

TEST_F(document_search, comes_in_pages_that_miss_nothing) {
  add("user", {"東京", "東京", "東京"});
  add("user", {"東京", "x", "東京"});
  std::vector<std::string> seen;
  std::string more = "&limit=2";
  for (int i = 0; i < 10; ++i) {
    const auto page = search("東京", "user", more);
    for (const auto& item : page.at("items")) {
      seen.push_back(item.at("document_id").get<std::string>() + "/" +
                     std::to_string(item.at("page").get<int>()));
    }
    if (page.at("next").is_null()) break;
    more = "&limit=2&after=" + http::percent_encode(page.at("next").get<std::string>());
  }
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 5u);
}

TEST_F(document_search, bad_texts_are_refused) {
  const std::string why = "422 q must be a text of 2 characters to 400 bytes";
  EXPECT_EQ(refusal(call("GET", "/documents/search")), why);
  EXPECT_EQ(refusal(call("GET", "/documents/search?q=")), why);
  EXPECT_EQ(refusal(call("GET", "/documents/search?q=a")), why);
  EXPECT_EQ(refusal(call("GET", "/documents/search?q=%E6%9D%B1")), why);
  EXPECT_EQ(refusal(call("GET", "/documents/search?q=" + std::string(401, 'a'))), why);
  EXPECT_EQ(call("GET", "/documents/search?q=a%00b").status, 400);
  for (const char* after : {"x", "_", "2026-01-01T00:00:00.000000Z_x", "1_2_3"}) {
    EXPECT_EQ(refusal(call("GET", std::string("/documents/search?q=ab&after=") + after)),
              "422 after is not `next` of a page");
  }
  EXPECT_EQ(call("GET", "/documents/search?q=ab&limit=0").status, 400);
}

/// What reading a search costs, whatever the planner knows: by the rows that are read.
struct search_cost {
  double most = 0;
  std::string indexes;
};

search_cost cost_of(workloads_database& db, const std::string& user) {
  pqxx::work tx(db.connection());
  tx.exec(std::string(queries::search_settings.text));
  std::string sql(queries::search_pages.text);
  const std::map<std::string, std::string> params{{"$1", "'東京'::text"}, {"$2", user},
                                                  {"$3", "NULL"},         {"$4", "NULL"},
                                                  {"$5", "NULL"},         {"$6", "50"}};
  for (const auto& [name, value] : params) {
    for (auto at = sql.find(name); at != std::string::npos; at = sql.find(name, at + 1)) {
      sql.replace(at, name.size(), value);
    }
  }
  const auto plan =
      json::parse(tx.exec("EXPLAIN (ANALYZE, FORMAT JSON) " + sql)[0][0].as<std::string>());
  search_cost out;
  const std::function<void(const json&)> walk = [&](const json& node) {
    const double rows = node.value("Actual Rows", 0.0) + node.value("Rows Removed by Filter", 0.0) +
                        node.value("Rows Removed by Index Recheck", 0.0);
    out.most = std::max(out.most, rows * node.value("Actual Loops", 1.0));
    if (node.value("Actual Loops", 0.0) > 0) {
      out.indexes += node.value("Index Name", std::string()) + " ";
    }
    for (const auto& each : node.value("Plans", json::array())) walk(each);
  };
  walk(plan[0].at("Plan"));
  EXPECT_LE(out.most, 10) << plan.dump(1);
  return out;
}

TEST_F(document_search, reads_only_the_pages_that_have_the_word) {
  const auto id = add("user", {"京都駅"});
  db_.exec("UPDATE documents SET total_pages = 3000");
  db_.exec("INSERT INTO document_pages (document_id, page, text) SELECT '" + id +
           "', n, CASE WHEN n IN (1000, 2000) THEN '東京都' ELSE '大阪府' || n END"
           " FROM generate_series(2, 3000) n");
  EXPECT_THAT(cost_of(db_, "NULL").indexes, HasSubstr("document_pages_bigrams"));
  // So is a user with more pages than can be read one by one.
  db_.exec("UPDATE documents SET total_pages = 30000");
  EXPECT_THAT(cost_of(db_, "'user'").indexes, HasSubstr("document_pages_bigrams"));
  EXPECT_EQ(hits("東京", "user"), "1000 2000");
}

// A word that is on every page of others costs them nothing who have few pages.
TEST_F(document_search, reads_no_pages_of_others) {
  add("user", {"東京", "大阪"});
  const auto theirs = add("other", {"x"});
  db_.exec("INSERT INTO document_pages (document_id, page, text) SELECT '" + theirs +
           "', n, '東京都' FROM generate_series(2, 3000) n");
  EXPECT_THAT(cost_of(db_, "'user'").indexes, Not(HasSubstr("document_pages_bigrams")));
  EXPECT_EQ(hits("東京", "user"), "1");
}

}  // namespace
}  // namespace rowrunner::testing
