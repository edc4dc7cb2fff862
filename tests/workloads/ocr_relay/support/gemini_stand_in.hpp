#pragma once

#include <openssl/evp.h>

#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "support/http_stand_in.hpp"

namespace rowrunner::testing {

/// Gemini's generateContent: answers with the number of the page (see small_pdf), and counts how
/// often each page was read, which is what one pays for.
class gemini_stand_in {
 public:
  /// Gives the text of a page; may answer otherwise and return "".
  using answerer = std::function<std::string(int page, http_exchange&)>;

  explicit gemini_stand_in(answerer answers = {}) : answers_(std::move(answers)) {
    server_.on("POST /models/gemini-2.5-flash:generateContent",
               [this](http_exchange& x) { serve(x); });
  }

  std::string base_url() const {
    const auto url = server_.url("/");
    return url.substr(0, url.size() - 1);
  }
  std::map<int, int> reads() const {
    const std::lock_guard lock(mutex_);
    return reads_;
  }
  http_stand_in& server() { return server_; }

 private:
  static std::string decode(const std::string& text) {
    std::string out(text.size() / 4 * 3 + 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    out.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return out;
  }

  /// The width of a PNG in its header.
  static int width_of_picture(const std::string& png) {
    int out = 0;
    for (std::size_t i = 16; i < 20; ++i) out = out * 256 + static_cast<unsigned char>(png.at(i));
    return out;
  }

  /// The page by its width, as a PDF or as a picture of 72 dpi; 0 if the request has no page.
  static int page_of(const nlohmann::json& body) {
    for (const auto& part : body.at("contents").at(0).at("parts")) {
      for (const char* name : {"inlineData", "inline_data"}) {
        if (!part.contains(name)) continue;
        const auto pdf = decode(part.at(name).at("data").get<std::string>());
        if (part.at(name).at("mime_type") == "image/png") return width_of_picture(pdf) - 400;
        std::smatch found;
        if (std::regex_search(pdf, found, std::regex("/MediaBox *\\[ *0 0 ([0-9]+)"))) {
          return std::stoi(found[1]) - 400;
        }
      }
    }
    return 0;
  }

  void serve(http_exchange& x) {
    const int page = page_of(nlohmann::json::parse(x.call().body));
    {
      const std::lock_guard lock(mutex_);
      ++reads_[page];
    }
    std::string text = "text of page " + std::to_string(page);
    if (answers_) text = answers_(page, x);
    if (text.empty()) return;
    const nlohmann::json part{{"text", text}};
    const nlohmann::json content{{"parts", nlohmann::json::array({part})}, {"role", "model"}};
    const nlohmann::json candidate{{"content", content}, {"finishReason", "STOP"}};
    x.answer(
        200,
        nlohmann::json{{"candidates", nlohmann::json::array({candidate})},
                       {"usageMetadata", {{"promptTokenCount", 11}, {"candidatesTokenCount", 7}}}}
            .dump(),
        {{"Content-Type", "application/json"}});
  }

  const answerer answers_;
  mutable std::mutex mutex_;
  std::map<int, int> reads_;
  http_stand_in server_;
};

}  // namespace rowrunner::testing
