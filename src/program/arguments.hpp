#pragma once

#include <string>
#include <vector>

namespace rowrunner {

/// The arguments behind the program's name, copied; a password in --database-url is overwritten in
/// argv, since every user of the machine can read the command line of a process.
std::vector<std::string> take_arguments(int argc, char** argv);

}  // namespace rowrunner
