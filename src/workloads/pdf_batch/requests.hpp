#pragma once

#include "api/route.hpp"
#include "workloads/pdf_batch/files.hpp"

/// What the routes of routes.cpp run.
namespace rowrunner::pdf_batch {

/// POST /api/pdf-batch: the document's message. A user may have only files of their own analysed.
asio::awaitable<api::answer> post_message(api::services& with, const api::request& asked);

/// GET /api/pdf-batch/{job_id}: the document's six fields.
asio::awaitable<api::answer> show_status(api::services& with, const api::request& asked);

/// POST /api/pdf-batch/upload: the file for a job, which gets an id if none is given.
asio::awaitable<api::answer> upload(server_files& files, api::services& with,
                                    const api::request& asked);

/// GET /api/pdf-batch/{job_id}/result: the file that the worker wrote.
asio::awaitable<api::answer> show_result(server_files& files, api::services& with,
                                         const api::request& asked);

}  // namespace rowrunner::pdf_batch
