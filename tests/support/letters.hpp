#pragma once

#include <string_view>

namespace rowrunner::testing {

/// The job table of tests that need any: letter_jobs of kind `letter`, a letter per batch and
/// recipient. It has all that attach would add, so that it stays as it is.
inline constexpr std::string_view letters_schema = R"sql(
CREATE TABLE public.letter_jobs (
  id           uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  batch_id     text NOT NULL,
  recipient    text NOT NULL CHECK (recipient <> ''),
  status       text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'processing', 'succeeded', 'failed')),
  attempts     integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL DEFAULT 3,
  last_error   text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  locked_at    timestamptz,
  locked_by    text,
  lease        bigint,
  priority     smallint NOT NULL DEFAULT 0,
  run_at       timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX letter_jobs_key ON public.letter_jobs (batch_id, recipient);
SELECT rowrunner.attach('public.letter_jobs', kind => 'letter');
)sql";

}  // namespace rowrunner::testing
