// A list of jobs by kind and status. The rows stay where they are while one reads: states change in place,
// new jobs are announced, and what no longer fits the filter is dimmed until the next load.
import { bulk, retryAll } from './actions.js';
import { Resource, get, jobPath, query } from './api.js';
import { h } from './dom.js';
import { count, number } from './format.js';
import { go, jobLink, link } from './router.js';
import { rows } from './rows.js';
import { t } from './strings.js';
import { button, empty, kindSelect, loading, pages, toast } from './ui.js';

const STATUSES = ['', 'queued', 'processing', 'delayed', 'succeeded', 'failed', 'cancelled'];
const LIMIT = 50;

export default function jobs(app) {
  let params;
  let resource;
  let shown; // the rows, in the order of the first load
  let fresh; // ids of jobs that came since
  const selected = new Set();

  function follow(route) {
    params = route.params;
    resource?.stop();
    shown = null;
    fresh = new Set();
    selected.clear();
    const { kind, status, after } = params;
    const url = query('/api/jobs', { kind, status, after, limit: LIMIT });
    resource = new Resource(url, { changed: merge });
    if (resource.data) merge();
    return true;
  }

  /** Takes a newer answer without moving any row. */
  function merge() {
    const items = resource.data?.items;
    if (items && (!shown || resource.error === null)) {
      const known = new Map((shown ?? []).map((job) => [job.id, job]));
      if (!shown || (shown.length === 0 && !params.after)) shown = items.map((job) => ({ ...job }));
      else for (const job of items) known.has(job.id) ? Object.assign(known.get(job.id), job) : fresh.add(job.id);
      const still = new Set(items.map((job) => job.id));
      for (const job of shown) job.left = !still.has(job.id);
    }
    app.draw();
  }

  function receive({ type, data }) {
    if (type === 'resync') resource.refresh();
    if (type !== 'job' || !shown) return;
    const job = shown.find((row) => row.id === data.id && row.kind === data.kind);
    if (job && data.status) Object.assign(job, data);
  }

  function reload() {
    shown = null;
    fresh.clear();
    selected.clear();
    return resource.refresh();
  }

  const chosen = () => shown.filter((job) => selected.has(job.id));

  async function act(name) {
    if (await bulk(name, chosen(), filterWords(params))) {
      selected.clear();
      await resource.refresh();
    }
  }

  async function actOnAll() {
    const { kind } = params;
    const operation = await retryAll({ kind, matching: resource.data.count });
    if (!operation) return;
    selected.clear();
    app.draw();
  }

  function selectAll(on) {
    selected.clear();
    if (on) for (const job of shown) selected.add(job.id);
    app.draw();
  }

  function toggle(job) {
    if (!selected.delete(job.id)) selected.add(job.id);
    app.draw();
  }

  function render() {
    return [
      toolbar(),
      !shown && !resource.error && loading(),
      shown && h('section.list', { 'aria-label': t('nav.jobs') }, summary(), announced(), table(), pages('jobs', params, resource.data.next)),
      selected.size > 0 && actions(),
    ];
  }

  function toolbar() {
    const to = (change) => link('jobs', [], { ...params, after: '', ...change });
    const chip = (status) =>
      h(
        'a',
        { href: to({ status }), 'aria-current': (params.status ?? '') === status ? 'true' : null, key: status },
        status && h('i', { class: status, 'aria-hidden': 'true' }),
        status ? t(`status.${status}`) : t('jobs.all'),
      );
    return h(
      'div.toolbar',
      h('nav.chips', { 'aria-label': t('jobs.status') }, STATUSES.map(chip)),
      kindSelect(app, params.kind, (kind) => go(to({ kind }))),
      search(),
    );
  }

  function search() {
    const submit = async (event) => {
      event.preventDefault();
      const id = new FormData(event.target).get('id').trim();
      if (id) await find(id);
    };
    const props = { name: 'id', type: 'search', placeholder: t('jobs.search'), 'aria-label': t('jobs.search') };
    return h(
      'form.search',
      { role: 'search', onsubmit: submit },
      h('input', { ...props, 'data-search': true, autocomplete: 'off', spellcheck: 'false' }),
      h('kbd', { 'aria-hidden': 'true' }, '/'),
    );
  }

  /** Ids are unique in a kind only: ask each. */
  async function find(id) {
    const names = params.kind ? [params.kind] : app.kinds().map((kind) => kind.kind);
    for (const kind of names) {
      const found = await get(jobPath(kind, id)).catch(() => null);
      if (found) return go(jobLink(kind, id));
    }
    return toast(t('jobs.not_found', { id }), 'bad');
  }

  function summary() {
    const { count: n, complete } = resource.data;
    const all = shown.length > 0 && shown.every((job) => selected.has(job.id));
    return h(
      'div.summary',
      app.mayChange() &&
        h(
          'label.check',
          h('input', { type: 'checkbox', checked: all, onchange: (event) => selectAll(event.target.checked) }),
          h('span.hidden', t('jobs.select_page')),
        ),
      h('p', n ? t('jobs.count', { n: count(n), count: n.n }) : t('jobs.shown', { n: number(shown.length) })),
      !complete && h('p.muted', t('jobs.window')),
    );
  }

  /** A live region must exist before its words change. */
  const announced = () =>
    h(
      'div',
      { role: 'status', class: 'fresh' },
      fresh.size > 0 &&
        h(
          'button',
          { type: 'button', class: 'button', onclick: reload },
          t('jobs.fresh', { n: fresh.size >= LIMIT ? `≥ ${LIMIT}` : number(fresh.size), count: fresh.size }),
        ),
    );

  function table() {
    if (!shown.length) return empty(t('jobs.none'), t('jobs.none_text'));
    return rows(shown, { selected: app.mayChange() ? selected : null, toggle, withKind: !params.kind });
  }

  function actions() {
    const n = selected.size;
    const all = resource.data.count;
    const more = params.status === 'failed' && params.kind && n === shown.length && (all?.capped || all?.n > n);
    return h(
      'div.actions',
      { role: 'region', 'aria-label': t('jobs.actions'), 'data-bulk': true },
      h('strong', t('jobs.selected', { n: number(n) })),
      button(t('act.retry'), () => act('retry'), { name: 'retry', class: 'primary', 'data-action': 'retry' }),
      button(t('act.run'), () => act('run'), { name: 'now' }),
      button(t('act.cancel'), () => act('cancel'), { name: 'cancel', class: 'danger' }),
      more && button(t('act.retry_matching', { n: count(all) }), actOnAll, { name: 'retry' }),
      button(t('act.clear'), () => selectAll(false), { class: 'quiet' }),
    );
  }

  follow(app.route);
  return {
    title: () => t('nav.jobs'),
    render,
    follow,
    receive,
    resource: () => resource,
    jobs: () => shown ?? [],
    escape: () => selectAll(false),
    stop: () => resource.stop(),
  };
}

/** The filter in words, for a confirmation. */
export function filterWords({ kind, status }) {
  const words = status ? t(`status.${status}`) : t('jobs.all');
  return kind ? t('filter.of', { status: words, kind }) : words;
}
