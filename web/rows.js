// Jobs as rows, or as cards where the window is narrow.
import { h } from './dom.js';
import { number, shortId } from './format.js';
import { jobLink } from './router.js';
import { t } from './strings.js';
import { pill, when } from './ui.js';

/** What a job is about: the columns that its own table adds. */
export function nameOf(job) {
  const own = Object.values(job.own ?? {}).filter((value) => typeof value === 'string' && value);
  return own.length ? own.slice(0, 3).join(' · ') : shortId(job.id);
}

/** A job that is queued for a later time is delayed; without a time it is held. */
export function shownStatus(job, now = Date.now()) {
  if (job.status !== 'queued') return job.status;
  if (job.run_at === null) return 'held';
  return job.run_at && new Date(job.run_at).getTime() > now + 1000 ? 'delayed' : 'queued';
}

export function rows(jobs, { selected, toggle, withKind }) {
  return h(
    'ul',
    { class: `rows ${selected ? 'selectable' : ''}` },
    jobs.map((job) => row(job, selected, toggle, withKind)),
  );
}

function row(job, selected, toggle, withKind) {
  const name = nameOf(job);
  const on = selected?.has(job.id);
  return h(
    'li',
    { key: `${job.kind} ${job.id}`, class: `${on ? 'on' : ''} ${job.left ? 'left' : ''}`, 'data-item': true },
    selected &&
      h(
        'label.check',
        h('input', { type: 'checkbox', checked: on, onchange: () => toggle(job) }),
        h('span.hidden', t('jobs.select', { name })),
      ),
    pill(shownStatus(job)),
    h(
      'a',
      { href: jobLink(job.kind, job.id), 'data-row': true, class: 'name' },
      h('strong', name),
      h('span', withKind && `${job.kind} · `, shortId(job.id)),
    ),
    h('span.detail', detail(job)),
    h('span.attempts', t('jobs.attempts', { n: number(job.attempts), of: number(job.max_attempts) })),
    h('span.time', when(job.failed_at ?? job.updated_at)),
  );
}

function detail(job) {
  const status = shownStatus(job);
  if (job.progress?.total > 0 && status === 'processing') {
    return `${number(job.progress.done)} / ${number(job.progress.total)} ${job.progress.message}`;
  }
  if (status === 'processing') return job.locked_by;
  if (status === 'delayed') return when(job.run_at, t('jobs.runs'));
  const error = job.error ?? job.last_error;
  return error && status !== 'succeeded' ? h('span.error', error) : null;
}
