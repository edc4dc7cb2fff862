// What changes something. Each asks first where many jobs or a loss are involved, says what came of it,
// and leaves the address, and with it filters and page, as they are.
import { jobPath, kindPath, post } from './api.js';
import { count, number } from './format.js';
import { t } from './strings.js';
import { ask, reason, toast } from './ui.js';

export async function attempt(work, done) {
  try {
    const result = await work();
    if (done) toast(done(result));
    return result;
  } catch (error) {
    toast(error.code === 'conflict' ? error.message : reason(error), 'bad');
    return null;
  }
}

export const retryJob = ({ kind, id }) =>
  attempt(() => post(jobPath(kind, id, 'retry')), () => t('done.retried', { n: 1 }));

export const runNow = ({ kind, id }) =>
  attempt(() => post(jobPath(kind, id, 'run-now')), () => t('done.run_now', { n: 1 }));

export async function cancelJob({ kind, id }, name) {
  const sure = await ask({
    title: t('ask.cancel_one', { name }),
    text: t('ask.cancel_text'),
    action: t('act.cancel'),
    danger: true,
  });
  if (!sure) return null;
  return attempt(
    () => post(jobPath(kind, id, 'cancel')),
    (answer) => t(answer.result === 'requested' ? 'done.cancel_requested' : 'done.cancelled', { n: 1 }),
  );
}

/** One request a job, a few at a time; says how many were refused. */
async function each(jobs, action, words) {
  let done = 0;
  let refused = 0;
  const left = [...jobs];
  const run = async () => {
    for (let job = left.shift(); job; job = left.shift()) {
      try {
        await post(jobPath(job.kind, job.id, action));
        done += 1;
      } catch {
        refused += 1;
      }
    }
  };
  await Promise.all([run(), run(), run()]);
  toast(t(words, { n: done }) + (refused ? ` ${t('done.refused', { n: refused })}` : ''), refused ? 'bad' : 'ok');
}

const BULK = {
  retry: { action: 'retry', ask: 'ask.retry', words: 'done.retried' },
  cancel: { action: 'cancel', ask: 'ask.cancel', words: 'done.cancelled', danger: true },
  run: { action: 'run-now', ask: 'ask.run', words: 'done.run_now' },
};

/** `filter` says in words which jobs the list shows. */
export async function bulk(name, jobs, filter) {
  const { action, ask: title, words, danger } = BULK[name];
  const n = jobs.length;
  const sure = await ask({
    title: t(title, { n: number(n), filter }),
    text: t('ask.bulk_text', { n: number(n), filter }),
    action: t(`act.${name}`),
    danger,
  });
  if (sure) await each(jobs, action, words);
  return sure;
}

/** All failed jobs of a kind, or of one error; the server works through them. */
export async function retryAll({ kind, fingerprint, matching, error }) {
  const filter = error ? t('filter.error', { kind, error }) : t('filter.of', { status: t('status.failed'), kind });
  const sure = await ask({
    title: t('ask.retry', { n: count(matching), filter }),
    text: t('ask.retry_all_text', { n: count(matching), filter }),
    action: t('act.retry_all', { n: count(matching) }),
  });
  if (!sure) return null;
  const body = fingerprint === undefined ? { kind } : { kind, fingerprint };
  return attempt(() => post('/api/failed/retry', body), () => t('done.operation'));
}

export async function setPaused(kind, paused, waiting) {
  if (paused) {
    const sure = await ask({
      title: t('ask.pause', { kind }),
      text: t('ask.pause_text', { n: count(waiting), kind }),
      action: t('act.pause'),
    });
    if (!sure) return null;
  }
  return attempt(
    () => post(kindPath(kind, paused ? 'pause' : 'resume')),
    () => t(paused ? 'done.paused' : 'done.resumed', { kind }),
  );
}
