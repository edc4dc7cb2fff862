// One job: why it does not run, how far it is, what it did and what went wrong.
import { cancelJob, retryJob, runNow } from './actions.js';
import { Resource, jobPath } from './api.js';
import { h } from './dom.js';
import { dateTime, duration, number } from './format.js';
import { link } from './router.js';
import { shownStatus } from './rows.js';
import { has, t } from './strings.js';
import { bar, button, icon, loading, pill, when } from './ui.js';

// Columns that every job table has; the others tell what the job is about.
const ENGINE = 'id status attempts max_attempts last_error created_at updated_at locked_at locked_by lease run_at priority'.split(' ');

export default function job(app) {
  const [kind, id] = app.route.parts;
  const resource = new Resource(jobPath(kind, id), { changed: app.draw });
  let soon = 0;

  function receive({ type, data }) {
    if (type === 'resync') resource.refresh();
    if (type !== 'job' || data.id !== id || data.kind !== kind || !resource.data) return;
    const { data: shown } = resource;
    const moved = data.status !== shown.status || data.attempts !== shown.job.attempts;
    // The state shows at once; steps and attempts are read again.
    if (data.status) shown.status = data.status;
    if (data.progress) shown.progress = { ...shown.progress, ...data.progress };
    clearTimeout(soon);
    soon = setTimeout(() => resource.refresh(), moved ? 50 : 1000);
  }

  const act = async (action, ...more) => (await action({ kind, id }, ...more)) && resource.refresh();

  function render() {
    const { data } = resource;
    if (!data) return resource.error ? null : loading();
    return h(
      'article.job',
      h(
        'header.card',
        h('div', h('p.muted', h('a', { href: link('jobs', [], { kind }) }, kind), ' ', h('code', id)), pill(statusOf(data))),
        app.mayChange() && buttons(data),
      ),
      data.waits.length > 0 && why(data),
      data.progress && progress(data),
      data.job.last_error && data.status !== 'succeeded' && failure(data),
      h('div.columns', facts(data), h('div', timeline(data), steps(data.steps))),
    );
  }

  function buttons(data) {
    const status = statusOf(data);
    const open = data.status === 'queued' || data.status === 'processing';
    const again = data.status === 'failed' || data.status === 'cancelled';
    return h(
      'div.buttons',
      again && button(t('act.retry'), () => act(retryJob), { name: 'retry', class: 'primary', 'data-action': 'retry' }),
      status === 'delayed' && button(t('act.run'), () => act(runNow), { name: 'now', class: 'primary' }),
      open && button(t('act.cancel'), () => act(cancelJob, nameOf(data)), { name: 'cancel', class: 'danger' }),
    );
  }

  return {
    title: () => (resource.data ? nameOf(resource.data) : t('job.title')),
    render,
    receive,
    resource: () => resource,
    jobs: () => [{ kind, id }],
    stop: () => {
      clearTimeout(soon);
      resource.stop();
    },
  };
}

const statusOf = ({ status, job }) => shownStatus({ status, run_at: job.run_at === 'infinity' ? null : job.run_at });

const ownColumns = (job) => Object.entries(job).filter(([name]) => !ENGINE.includes(name));

function nameOf({ kind, job }) {
  const own = ownColumns(job).map(([, value]) => value);
  return own.filter((value) => typeof value === 'string' && value.length < 80).slice(0, 2).join(' · ') || kind;
}

function why(data) {
  const vars = { kind: data.kind, run_at: data.job.run_at && dateTime(data.job.run_at) };
  return h(
    'section.card.why',
    h('h2', icon('clock'), t('why.title')),
    h('ul', data.waits.map((cause) => h('li', { key: cause.code, 'data-code': cause.code }, words(cause, vars)))),
  );
}

/** The cause in the language of the page; with numbers if the server named them, else in its words. */
function words(cause, vars) {
  const before = cause.before === undefined ? {} : { nth: (cause.capped ? '≥ ' : '') + number(cause.before + 1) };
  const all = { ...vars, ...cause, ...before };
  const exact = has(`why.${cause.code}`) && t(`why.${cause.code}`, all);
  // A sentence with a gap: the server did not say what belongs there.
  if (exact && !exact.includes('{')) return exact;
  return h('span', { lang: 'en' }, cause.message);
}

function progress({ progress: { done, total, message }, status, seconds_left: left }) {
  const text = total > 0 ? t('job.done_of', { n: number(done), of: number(total) }) : number(done);
  return h(
    'section.card.progress',
    h('h2', t('job.progress')),
    bar(done, total, t('job.progress')),
    h(
      'p',
      h('strong', text),
      h('span', message),
      status === 'processing' && left !== null && h('span.muted', t('job.left', { time: duration(left) })),
    ),
  );
}

const failure = ({ job }) => h('section.card.failure', h('h2', t('job.error')), h('pre', { tabindex: 0 }, job.last_error));

function facts({ job }) {
  const rows = [
    [t('job.attempts'), `${number(job.attempts)} / ${number(job.max_attempts)}`],
    [t('job.priority'), number(job.priority ?? 0)],
    [t('job.created'), when(job.created_at)],
    [t('job.run_at'), job.run_at === 'infinity' ? '∞' : when(job.run_at)],
    [t('job.updated'), when(job.updated_at)],
    job.locked_by && [t('job.worker'), job.locked_by],
  ];
  const pair = ([name, value]) => [h('dt', name), h('dd', value)];
  const own = ownColumns(job).map(([name, value]) => [h('code', name), shown(value)]);
  return h('section.card', h('h2', t('job.facts')), h('dl.facts', rows.filter(Boolean).map(pair), own.map(pair)));
}

function shown(value) {
  if (value === null) return '—';
  return typeof value === 'object' ? h('code', JSON.stringify(value)) : String(value);
}

function timeline({ attempts, job, status }) {
  const items = attempts.map((one) => entry(one.attempt, 'failed', one.started_at, one.ended_at, one.worker, one.error));
  if (status === 'processing') {
    items.push(entry(job.attempts + 1, status, job.locked_at, null, job.locked_by));
  } else if (status === 'succeeded' || status === 'cancelled') {
    items.push(entry(null, status, null, job.updated_at, job.locked_by));
  }
  return h(
    'section.card',
    h('h2', t('job.timeline')),
    h('ol.timeline', h('li', { key: 'created' }, h('i.queued'), h('div', h('strong', t('job.created')), ' ', when(job.created_at))), items),
  );
}

function entry(n, status, from, to, worker, error) {
  const took = from && to ? duration((new Date(to) - new Date(from)) / 1000) : null;
  return h(
    'li',
    { key: `${n} ${status}` },
    h('i', { class: status }),
    h(
      'div',
      h('strong', n ? t('job.attempt', { n: number(n) }) : t(`status.${status}`)),
      ' ',
      when(to ?? from),
      h('p.muted', [took && t('job.took', { time: took }), worker].filter(Boolean).join(' · ')),
      error && h('p.error', error),
    ),
  );
}

function steps(list) {
  const item = (one) =>
    h(
      'li',
      { key: one.step },
      h('i.succeeded'),
      h('div', h('strong', one.step), ' ', when(one.created_at), h('details', h('summary', t('job.result')), h('pre', { tabindex: 0 }, JSON.stringify(one.result, null, 2)))),
    );
  return list.length > 0 && h('section.card', h('h2', t('job.steps')), h('ol.timeline', list.map(item)));
}
