# Run by embed_web.cmake at build time: writes FILES, which are below ROOT, into OUT.
set(bytes "")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH path ${ROOT} ${file})
  file(READ ${file} hex HEX)
  file(SHA256 ${file} hash)
  file(SIZE ${file} size)
  string(SUBSTRING ${hash} 0 32 hash)
  # No line may be too long for a compiler, and no array empty.
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND bytes "const unsigned char file_${number}[] = {\n${hex}0};\n\n")
  string(APPEND table "    {\"/${path}\", view(file_${number}, ${size}), \"\\\"${hash}\\\"\"},\n")
  math(EXPR number "${number} + 1")
endforeach()
set(source "#include \"api/web_files.hpp\"

namespace rowrunner::api {
namespace {

${bytes}[[maybe_unused]] std::string_view view(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

const std::vector<web_file>& web_files() {
  static const std::vector<web_file> all{
${table}  };
  return all;
}

}  // namespace rowrunner::api
")
file(WRITE ${OUT} "${source}")
