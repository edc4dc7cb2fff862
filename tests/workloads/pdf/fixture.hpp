#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "workloads/pdf/pdf.hpp"
#include "workloads/pdf/sample.hpp"

namespace rowrunner::testing {

namespace asio = boost::asio;
using child::failure;
using std::filesystem::path;

/// Children of this program, and a folder for files.
class pdf_files : public ::testing::Test {
 protected:
  pdf_files() {
    how = child::options_from(environment({}));
    how.size = 1;
    std::string pattern = ::testing::TempDir() + "rowrunner-pdf-XXXXXX";
    folder = ::mkdtemp(pattern.data());
  }
  ~pdf_files() override { std::filesystem::remove_all(folder); }

  child::pool& children() {
    if (!pool_) pool_.emplace(io.get_executor(), how);
    return *pool_;
  }

  template <typename Result>
  Result wait_for(asio::awaitable<Result> work) {
    auto done = asio::co_spawn(io, std::move(work), asio::use_future);
    io.restart();
    io.run();
    return done.get();
  }

  path file(const std::string& name, const std::string& text) {
    write_all(folder / name, text);
    return folder / name;
  }

  /// The error of a call that must have one.
  template <typename Result>
  child::error error_of(asio::awaitable<Result> work) {
    try {
      wait_for(std::move(work));
    } catch (const child::error& error) {
      return error;
    }
    ADD_FAILURE() << "it was not refused";
    return {failure::unavailable, "it was not refused"};
  }

  asio::io_context io;
  child::options how;
  path folder;

 private:
  std::optional<child::pool> pool_;
};

}  // namespace rowrunner::testing
