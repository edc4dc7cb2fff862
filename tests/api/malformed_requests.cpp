#include "api/malformed_requests.hpp"

namespace rowrunner::testing {
namespace {

using requests = std::vector<malformed_request>;
using std::string;

string times(std::size_t count, const string& text) {
  string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

void add_request_lines(requests& out) {
  const auto add = [&](const string& line, int expected) {
    out.push_back({"line " + line.substr(0, 60), line + "\r\nHost: a\r\n\r\n", expected});
  };
  for (const char* line : {"",
                           " ",
                           "GET",
                           "GET ",
                           "GET /",
                           "GET / ",
                           "GET  /livez HTTP/1.1",
                           "GET /livez  HTTP/1.1",
                           " GET /livez HTTP/1.1",
                           "GET /livez HTTP/1.1 ",
                           "GET /livez HTTP/1.1 x",
                           "GET /livez HTTP/1.2",
                           "GET /livez HTTP/2.0",
                           "GET /livez HTTP/0.9",
                           "GET /livez HTTP/11",
                           "GET /livez HTTP/1.",
                           "GET /livez HTTP/1.1.1",
                           "GET /livez http/1.1",
                           "GET /livez HTTPS/1.1",
                           "GET /livez XTTP/1.1",
                           "GET /livez HTTP 1.1",
                           "G@T /livez HTTP/1.1",
                           "G\"T /livez HTTP/1.1",
                           "GET\t/livez HTTP/1.1",
                           "GET /livez\tHTTP/1.1",
                           "(GET) /livez HTTP/1.1",
                           "GET livez HTTP/1.1",
                           "GET * HTTP/1.1",
                           "OPTIONS * HTTP/1.1",
                           "CONNECT a:80 HTTP/1.1",
                           "GET https://a/livez HTTP/1.1",
                           "GET ftp://a/livez HTTP/1.1",
                           "GET //a/livez?%zz HTTP/1.1",
                           "PRI * HTTP/2.0",
                           "HTTP/1.1 200 OK",
                           "{\"json\":true}",
                           "<xml/>",
                           "\x80\x80 / HTTP/1.1"}) {
    add(line, 400);
  }
  for (const char* line :
       {"get /livez HTTP/1.1", "PUT /livez HTTP/1.1", "TRACE /livez HTTP/1.1",
        "PROPFIND /livez HTTP/1.1", "X /livez HTTP/1.1", "OPTIONS /api/session HTTP/1.1"}) {
    add(line, 405);
  }
  add(times(9000, "G") + " /livez HTTP/1.1", 414);
  add("GET /" + times(9000, "a") + " HTTP/1.1", 414);
  add("GET /livez?" + times(9000, "a") + " HTTP/1.1", 414);
}

void add_targets(requests& out) {
  const auto add = [&](const string& target, int expected) {
    out.push_back({"target " + target,
                   "GET " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                   expected});
  };
  for (const char* target : {"/%", "/%2", "/%gg", "/%00", "/livez%00", "/%0d%0a", "/%0AX:%20y",
                             "/%ff", "/%c0%af", "/%ed%a0%80", "/%f4%90%80%80", "/%e9%87", "/?%",
                             "/livez?a=%00", "/livez?%ff=1", "/livez?a=%c0%80", "/livez#x"}) {
    add(target, 400);
  }
  for (const char* target :
       {"//", "/livez/", "//livez", "/./livez", "/../livez", "/livez/..", "/%2e%2e/livez",
        "/livez%2f", "/%2flivez", "/LIVEZ", "/livez;x=1", "/api/session/x", "/api",
        "/..%2f..%2fetc%2fpasswd", "/livez%20", "/~%7e", "/api/tickets/"}) {
    add(target, 404);
  }
}

void add_fields(requests& out) {
  const auto add = [&](const string& fields, int expected = 400) {
    out.push_back(
        {"fields " + fields.substr(0, 80), "GET /livez HTTP/1.1\r\n" + fields + "\r\n", expected});
  };
  for (const char* fields : {"",
                             "Host: a\r\nHost: b\r\n",
                             "Host: a\r\nhost: a\r\n",
                             "Host: a b\r\n",
                             "Host: a/b\r\n",
                             "Host: u@a\r\n",
                             "Host: a,b\r\n",
                             "Host : a\r\n",
                             "Host\r\n",
                             ": a\r\n",
                             " Host: a\r\n",
                             "Host: a\r\n folded\r\n",
                             "Host: a\r\n\tfolded\r\n",
                             "Host: a\r\nX: b\r\n c\r\n",
                             "Host: a\r\nX y: b\r\n",
                             "Host: a\r\nX\t: b\r\n",
                             "Host: a\r\nX(: b\r\n",
                             "Host: a\r\n\"X\": b\r\n",
                             "Host: a\r\nX\xC3\xA4: b\r\n",
                             "Host: a\nX: b\r\n",
                             "Host: a\r\nX: b\rY: c\r\n",
                             "Host: a\r\r\n",
                             "Host: a\r\nno colon\r\n",
                             "Host: a\r\nConnection: ,;,\r\n",
                             "Host: a\r\nAuthorization: a\r\nAuthorization: b\r\n"}) {
    add(fields);
  }
  add("Host: a\r\nExpect: everything\r\n", 417);
  add("Host: a\r\nX: " + times(17000, "a") + "\r\n", 431);
  add("Host: a\r\n" + times(200, "X: b\r\n"), 431);
  add("Host: a\r\n" + times(17000, "a") + ": b\r\n", 431);
  out.push_back({"a TLS hello", string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), 400});
  out.push_back({"line feeds alone", "GET /livez HTTP/1.1\nHost: a\n\n", 400});
  out.push_back({"empty lines first", "\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n", 400});
  out.push_back({"NULs", string(100, '\0'), 400});
  out.push_back({"nothing", "", closed});
  out.push_back({"half a request", "GET /livez HTTP/1.1\r\nHost: a\r\n", closed});
}

void add_lengths(requests& out) {
  const string evil = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
  const auto add = [&](const string& fields, const string& body, int expected = 400) {
    out.push_back({"length " + fields.substr(0, 80),
                   "POST /api/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" +
                       fields + "\r\n" + body,
                   expected});
  };
  for (const char* value : {"", "-1", "+5", "0x5", "5 5", "5,5", "5, 6", "5.0", "five", "1e1", "٣",
                            "99999999999999999999", "18446744073709551616", "5;", "\"5\""}) {
    add("Content-Length: " + string(value) + "\r\n", "abcde" + evil);
  }
  add("Content-Length: 5\r\nContent-Length: 5\r\n", "abcde" + evil);
  add("Content-Length: 5\r\nContent-Length: 6\r\n", "abcde" + evil);
  add("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + evil);
  add("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n" + evil);
  for (const char* value :
       {"gzip", "identity", "chunked, gzip", "gzip, chunked", "chunked, chunked", "xchunked",
        "chunked;q=1", "\"chunked\"", ",chunked", "chunked,"}) {
    add("Transfer-Encoding: " + string(value) + "\r\n", "0\r\n\r\n" + evil);
  }
  add("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + evil);
  add("Content-Length: 9223372036854775807\r\n", "abc");
  add("Content-Length: 999999999999999999\r\n", "abc", 413);
  add("Content-Length: 4097\r\n", "abc", 413);
  add("Content-Length: 100\r\n", "abc", closed);
}

void add_chunks(requests& out) {
  const auto add = [&](const string& body, int expected = 400) {
    out.push_back({"chunks " + body.substr(0, 60),
                   "POST /api/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n" +
                       body,
                   expected});
  };
  for (const char* body :
       {"x\r\nabc\r\n", "-1\r\na\r\n", "\r\n\r\n", "0x2\r\nab\r\n0\r\n\r\n",
        "2\r\nabc\r\n0\r\n\r\n", "2\r\nab0\r\n\r\n", "2 \r\nab\r\n0\r\n\r\nGET",
        "2;=\r\nab\r\n0\r\n\r\n", "11111111111111111\r\nab\r\n", "0\r\nContent-Length: 5\r\n\r\n",
        "0\r\nno colon\r\n\r\n", "0\r\n X: y\r\n\r\n"}) {
    add(body);
  }
  add("ffffffffffffffff\r\nabc", 413);
  add("1001\r\nabc", 413);
  add(times(1100, "4\r\naaaa\r\n"), 413);
  add("2;" + times(30'000, "x") + "\r\nab\r\n", 413);
  add("0\r\nX: " + times(30'000, "x") + "\r\n\r\n", 413);
  add("5\r\nab", closed);
  add("2;a=\"\r\nab\r\n0\r\n\r\n", closed);
  add("2\nab\n0\n\n", closed);
  add("", closed);
}

void add_bodies(requests& out) {
  const auto add = [&](const string& body, int expected, const string& type = "application/json") {
    out.push_back(
        {"body " + body.substr(0, 60),
         "POST /api/session HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: " + type +
             "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body,
         expected});
  };
  for (const char* body : {"",
                           " ",
                           "null",
                           "true",
                           "7",
                           "\"rr\"",
                           "[]",
                           "{",
                           "}",
                           "{}",
                           "{{}}",
                           "{]",
                           "[}",
                           "{\"token\"",
                           "{\"token\":",
                           "{\"token\":}",
                           "{\"token\":\"",
                           "{\"token\":\"a\"",
                           "{\"token\":\"a\"}}",
                           "{\"token\":\"a\",}",
                           "{token:\"a\"}",
                           "{'token':'a'}",
                           "{\"token\":null}",
                           "{\"token\":7}",
                           "{\"token\":1e999}",
                           "{\"token\":true}",
                           "{\"token\":[]}",
                           "{\"token\":{}}",
                           "{\"token\":[\"a\"]}",
                           "{\"token\":\"a\",\"role\":\"admin\"}",
                           "{\"Token\":\"a\"}",
                           "{\"token\":\"a\\u0000b\"}",
                           "{\"token\":\"\\ud800\"}",
                           "{\"token\":\"\\x41\"}",
                           "{\"token\":\"\xff\"}",
                           "{\"token\":\"\xc0\xaf\"}",
                           "{\"token\":\"\xed\xa0\x80\"}",
                           "{\"token\":\"a\nb\"}",
                           "{\"token\":NaN}",
                           "{\"token\":-}",
                           "{\"token\":01}",
                           "// {}",
                           "{\"token\":\"a\"} x",
                           "<token>a</token>",
                           "token=a",
                           "{\"\\u0000\":1}",
                           "\xff\xfe{\0}"}) {
    add(body, *body == '\0' ? 415 : 400, *body == '\0' ? "text/plain" : "application/json");
  }
  add(string("{\"token\":\"a\0b\"}", 15), 400);
  add(string(64, '\0'), 400);
  add(times(2000, "["), 400);
  add(times(400, "{\"token\":"), 400);
  add("{\"token\":\"" + times(4090, "a") + "\"}", 413);
  for (const char* token :
       {"", "rr", "rr_1_", "rr_0_x", "Bearer x", "' OR 1=1 --", "%00", "金閣寺",
        "rr_1_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "rr_999999999999999999_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "rr_99999999999999999999_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}) {
    add("{\"token\":\"" + string(token) + "\"}", 401);
  }
  for (const char* type :
       {"", "text/plain", "application/jsonx", "application/x-www-form-urlencoded",
        "multipart/form-data", "json", "text/html; application/json"}) {
    add("{\"token\":\"a\"}", 415, type);
  }
}

void add_credentials(requests& out) {
  const auto add = [&](const string& fields) {
    out.push_back(
        {"credentials " + fields.substr(0, 80),
         "GET /api/session HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + fields + "\r\n\r\n",
         401});
  };
  const string secret(43, 'A');
  for (const string& value : std::vector<string>{
           "Bearer", "Bearer ", "Bearer rr_1_" + secret, "Bearer rr_1_" + secret + "=",
           "Bearer rr_1_" + secret + " x", "Basic dTpw", "Bearer  ", "rr_1_" + secret,
           "Bearer rs_1_" + secret, "Bearer rr_-1_" + secret, "Bearer \xC3\xA4",
           "Bearer rr_9223372036854775807_" + secret, "Bearer rr_9223372036854775808_" + secret,
           "Negotiate abc", "Bearer " + times(5000, "a")}) {
    add("Authorization: " + value);
  }
  for (const string& value :
       std::vector<string>{"rowrunner_session=", "rowrunner_session=rs_1_" + secret,
                           "rowrunner_session=rr_1_" + secret, "rowrunner_session", ";;;=;",
                           "a=b; rowrunner_session=\"rs_1_" + secret + "\"", "=rowrunner_session",
                           times(3000, "a=b;") + "rowrunner_session=x"}) {
    add("Cookie: " + value);
  }
}

}  // namespace

requests malformed_requests() {
  requests out;
  add_request_lines(out);
  add_targets(out);
  add_fields(out);
  add_lengths(out);
  add_chunks(out);
  add_bodies(out);
  add_credentials(out);
  return out;
}

}  // namespace rowrunner::testing
