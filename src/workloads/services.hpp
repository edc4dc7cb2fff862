#pragma once

#include <boost/asio/thread_pool.hpp>
#include <map>
#include <memory>
#include <rowrunner/services.hpp>
#include <typeindex>

#include "common/child/pool.hpp"
#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "common/http/guarded_client.hpp"
#include "common/offload.hpp"
#include "common/storage/store.hpp"
#include "workloads/limits/limits.hpp"

namespace rowrunner {

/// Work that blocks runs on these threads, which must outlive what uses it.
offload on_threads(boost::asio::thread_pool& threads);

/// What the handlers of the built-in workloads share in a process, besides the worker's own
/// services.
struct workload_services {
  /// Throws usage_error for settings that make no sense, and storage::error if the storage cannot
  /// be written.
  workload_services(services& from_worker, environment settings);

  const environment env;
  services& engine;
  boost::asio::thread_pool threads{2};
  /// Files are read, written and synced on threads of their own: a disk that is slow must not hold
  /// up the engine.
  const offload files;
  http::client http;
  /// For addresses that others name.
  http::guarded_client outbound;
  std::unique_ptr<storage::store> storage;
  /// Limits of services outside, shared by all replicas. It runs no statement until it is used.
  limits::service limits;
  /// Where foreign files are read.
  child::pool children;

  /// The T that all handlers of the process share, made as T(workload_services&) when it is first
  /// asked for.
  template <typename T>
  T& shared() {
    auto& made = shared_[typeid(T)];
    if (!made) made = std::make_shared<T>(*this);
    return *static_cast<T*>(made.get());
  }

 private:
  /// The last member: what is in it uses the others.
  std::map<std::type_index, std::shared_ptr<void>> shared_;
};

}  // namespace rowrunner
