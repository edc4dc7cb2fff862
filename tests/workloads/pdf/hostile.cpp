#include "workloads/pdf/hostile.hpp"

#include <zlib.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "workloads/pdf/sample.hpp"

namespace rowrunner::testing {
namespace {

const std::string catalog = "<< /Type /Catalog /Pages 2 0 R >>";
const std::string one_page_tree = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
const std::string page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] ";

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string deflated(const std::string& text) {
  auto size = compressBound(text.size());
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(text.data()), text.size(), 9) != Z_OK) {
    throw std::runtime_error("not deflated");
  }
  out.resize(size);
  return out;
}

std::string stream(const std::string& keys, const std::string& data) {
  return "<< /Length " + std::to_string(data.size()) + " " + keys + " >>\nstream\n" + data +
         "\nendstream";
}

std::string with_content(const std::string& keys, const std::string& data) {
  return pdf_of({catalog, one_page_tree, page + "/Contents 4 0 R >>", stream(keys, data)});
}

std::string form_that_draws_itself() {
  const std::string resources = "/Resources << /XObject << /F 5 0 R >> >>";
  return pdf_of(
      {catalog, one_page_tree, page + "/Contents 4 0 R " + resources + " >>", stream("", "/F Do"),
       stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9] " + resources, "/F Do /F Do")});
}

std::string huge_picture() {
  return pdf_of({catalog, one_page_tree,
                 page + "/Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>",
                 stream("", "/I Do"),
                 stream("/Type /XObject /Subtype /Image /Width 2000000000 /Height 2000000000 "
                        "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode",
                        deflated("x"))});
}

std::vector<hostile_file> known() {
  return {{"empty", ""},
          {"header_only", "%PDF-1.7\n"},
          {"text", "Dear Sir or Madam,\n"},
          {"zip", std::string("PK\x03\x04\0\0\0\0", 8)},
          {"huge_page", pdf_of_a_huge_page()},
          {"claims_a_million", pdf_that_claims(1'000'000)},
          {"claims_minus_one", pdf_that_claims(-1)},
          {"many_pages", pdf_of_many_pages(200'000)},
          {"bomb", pdf_bomb(64)},
          {"encrypted", encrypted_pdf()},
          {"kids_of_itself", pdf_of({catalog, "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"})},
          {"nested_arrays", with_content("/X " + repeated("[", 100'000), "")},
          {"nested_dictionaries", with_content("/X " + repeated("<< /A ", 100'000), "")},
          {"nested_content", with_content("", repeated("q ", 3'000'000))},
          {"nested_text", with_content("", repeated("BT ", 100'000) + repeated("(", 100'000))},
          {"form_of_itself", form_that_draws_itself()},
          {"huge_picture", huge_picture()},
          {"huge_length", with_content("/Length 99999999999", "x")},
          {"endless_filters",
           with_content("/Filter [" + repeated("/FlateDecode ", 1000) + "]", deflated("x"))},
          {"table_of_itself",
           "%PDF-1.5\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Root 1 0 R "
           "/Size 1 /Prev 9 >>\nstartxref\n9\n%%EOF\n"}};
}

std::string mutated(std::string text, std::mt19937& chance) {
  const auto at = [&] { return chance() % std::max<std::size_t>(1, text.size()); };
  switch (chance() % 5) {
    case 0:
      return text.substr(0, at());
    case 1:
      for (auto left = 1 + chance() % 64; left > 0; --left) {
        text[at()] ^= static_cast<char>(1U << (chance() % 8));
      }
      return text;
    case 2:
      return text.erase(at(), 1 + chance() % 512);
    case 3: {
      const auto from = at();
      return text.insert(at(), text.substr(from, 1 + chance() % 2048));
    }
    default:
      for (int left = 20; left > 0; --left) {
        const auto digit = text.find_first_of("0123456789", at());
        if (digit != std::string::npos) text.insert(digit, "99999");
      }
      return text;
  }
}

}  // namespace

std::string pdf_of_a_huge_page() {
  return pdf_of(
      {catalog, one_page_tree, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600000 600000] >>"});
}

std::string pdf_that_claims(int pages) {
  return pdf_of({catalog, "<< /Type /Pages /Kids [3 0 R] /Count " + std::to_string(pages) + " >>",
                 page + ">>"});
}

std::string pdf_of_many_pages(int pages) {
  return pdf_of({catalog, "<< /Type /Pages /Kids [" + repeated("3 0 R ", pages) + "] /Count 1 >>",
                 page + ">>"});
}

std::string pdf_bomb(int megabytes) {
  const std::string content(static_cast<std::size_t>(megabytes) << 20, ' ');
  return with_content("/Filter [/FlateDecode /FlateDecode]", deflated(deflated(content)));
}

std::string encrypted_pdf() {
  // The strings are of no known password.
  const std::string key(32, 'k');
  auto out = pdf_of({catalog, one_page_tree, page + ">>",
                     "<< /Filter /Standard /V 1 /R 2 /P -4 /O (" + key + ") /U (" + key + ") >>"});
  const std::string trailer = "trailer\n<< ";
  return out.insert(out.find(trailer) + trailer.size(),
                    "/Encrypt 4 0 R /ID [(0123456789abcdef) (0123456789abcdef)] ");
}

std::vector<hostile_file> hostile_files(const std::vector<std::string>& good, std::size_t count,
                                        std::uint32_t seed) {
  auto out = known();
  std::mt19937 chance(seed);
  while (out.size() < count) {
    const auto which = chance() % good.size();
    out.push_back({"mutant_" + std::to_string(out.size()), mutated(good[which], chance)});
  }
  return out;
}

}  // namespace rowrunner::testing
