#include "api/pages.hpp"

#include <algorithm>
#include <array>

#include "api/services.hpp"

namespace rowrunner::api {
namespace {

struct media_type {
  std::string_view ending;
  std::string_view type;
};

constexpr std::array media_types{
    media_type{".html", "text/html; charset=utf-8"},
    media_type{".css", "text/css; charset=utf-8"},
    media_type{".js", "text/javascript; charset=utf-8"},
    media_type{".json", "application/json"},
    media_type{".svg", "image/svg+xml"},
    media_type{".png", "image/png"},
    media_type{".ico", "image/x-icon"},
    media_type{".txt", "text/plain; charset=utf-8"},
    media_type{".webmanifest", "application/manifest+json"},
    media_type{".woff2", "font/woff2"},
};

/// Nothing from elsewhere runs in the page. Pictures may lie in any storage.
constexpr const char* policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; "
    "img-src 'self' data: https: http://127.0.0.1:* http://localhost:*; worker-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

std::string_view type_of(std::string_view path) {
  const auto* const found =
      std::find_if(media_types.begin(), media_types.end(),
                   [&](const media_type& each) { return path.ends_with(each.ending); });
  return found == media_types.end() ? "application/octet-stream" : found->type;
}

const web_file* file_named(const std::vector<web_file>& pages, std::string_view path) {
  const auto found = std::find_if(pages.begin(), pages.end(),
                                  [&](const web_file& each) { return each.path == path; });
  return found == pages.end() ? nullptr : &*found;
}

asio::awaitable<answer> serve_page(services& with, const request& asked) {
  const web_file* page = find_page(with.pages, asked.path);
  answer out;
  out.headers = {{"ETag", std::string(page->etag)},
                 {"Cache-Control", "no-cache"},
                 {"Content-Security-Policy", policy},
                 {"Referrer-Policy", "same-origin"}};
  if (asked.head[http::field::if_none_match] == page->etag) {
    out.status = 304;
  } else {
    out.status = 200;
    out.content_type = type_of(page->path);
    out.body = page->bytes;
  }
  co_return out;
}

}  // namespace

const web_file* find_page(const std::vector<web_file>& pages, std::string_view path) {
  return file_named(pages, path == "/" ? "/index.html" : path);
}

const route& page_route() {
  static const route one{.method = http::verb::get,
                         .path = "/",
                         .who = access::anyone,
                         .run = serve_page,
                         .summary = "The page"};
  return one;
}

}  // namespace rowrunner::api
