// Failed jobs grouped by what went wrong: retry one, see whether that helped, then all of them.
import { attempt, retryAll, retryJob } from './actions.js';
import { Resource, post, query } from './api.js';
import { h } from './dom.js';
import { count, number, shortId } from './format.js';
import { go, jobLink, link } from './router.js';
import { rows } from './rows.js';
import { t } from './strings.js';
import { bar, button, empty, icon, kindSelect, loading, pages, pill, when } from './ui.js';

export default function failed(app) {
  let params;
  let groups;
  let members;
  const operations = new Resource('/api/operations', { every: 2000, changed });
  const canaries = new Map(); // fingerprint -> {kind, id, status}

  const keyOf = (group) => `${group.kind} ${group.fingerprint}`;

  function follow(route) {
    params = route.params;
    groups?.stop();
    members?.stop();
    members = null;
    groups = new Resource(query('/api/failed', { kind: params.kind }), { every: 10_000, changed: app.draw });
    if (params.fingerprint) {
      const { kind, fingerprint, after } = params;
      const url = query('/api/failed/jobs', { kind, fingerprint, after, limit: 50 });
      members = new Resource(url, { every: 10_000, changed: app.draw });
    }
    return true;
  }

  /** Watched closely only while something runs. */
  function changed() {
    const running = operations.data?.items?.some((one) => one.state === 'running');
    if (operations.every === 2000 && !running) groups?.refresh();
    operations.every = running ? 2000 : 15_000;
    app.draw();
  }

  function receive({ type, data }) {
    if (type === 'resync') groups.refresh();
    if (type !== 'job') return;
    for (const canary of canaries.values()) {
      if (canary.id === data.id && data.status) canary.status = data.status;
    }
  }

  async function retryOne(group) {
    const job = { kind: group.kind, id: group.sample.job_id };
    if (!(await retryJob(job))) return;
    canaries.set(keyOf(group), { ...job, status: 'queued' });
    app.draw();
  }

  async function retryGroup(group) {
    const { kind, fingerprint, count: matching } = group;
    if (await retryAll({ kind, fingerprint, matching, error: group.sample.error })) refreshBoth();
  }

  function refreshBoth() {
    operations.every = 2000;
    operations.refresh();
    groups.refresh();
  }

  const stopOperation = async (one) => {
    await attempt(() => post(`/api/operations/${encodeURIComponent(one.id)}/cancel`), () => t('done.stopped'));
    operations.refresh();
  };

  function render() {
    const items = groups.data?.items;
    return [
      toolbar(),
      running(),
      !items && !groups.error && loading(),
      items?.length === 0 && empty(t('failed.none'), t('failed.none_text')),
      h('div.groups', items?.filter(wanted).map((group) => card(group))),
      groups.data && !groups.data.complete && h('p.muted', t('failed.more')),
      members?.data && memberList(),
    ];
  }

  const wanted = (group) => !params.fingerprint || group.fingerprint === params.fingerprint;

  const toolbar = () =>
    h(
      'div.toolbar',
      kindSelect(app, params.kind, (kind) => go(link('failed', [], { kind }))),
      params.fingerprint && h('a.button', { href: link('failed', [], { kind: params.kind }) }, icon('back'), t('failed.all')),
    );

  /** The runs that are under way, and the one that ended last. */
  function running() {
    const items = operations.data?.items ?? [];
    const minuteAgo = Date.now() - 60_000;
    const shown = items.filter((one) => one.state === 'running' || new Date(one.ended_at) > minuteAgo).slice(0, 5);
    return h('div', { role: 'status', class: 'operations' }, shown.map(operation));
  }

  function operation(one) {
    const done = one.requeued + one.skipped;
    const title = t(`operation.${one.state}`, { n: number(one.requeued), of: count(one.matching), kind: one.kind });
    return h(
      'div.card.operation',
      { key: one.id },
      h('strong', title),
      bar(one.state === 'done' ? 1 : done, one.state === 'done' ? 1 : Math.max(one.matching?.n ?? 0, done), title),
      app.mayChange() && one.state === 'running' && button(t('act.stop'), () => stopOperation(one), { class: 'small' }),
    );
  }

  function card(group) {
    const { kind, fingerprint, sample } = group;
    const canary = canaries.get(keyOf(group));
    return h(
      'section.card.group',
      { key: keyOf(group), 'data-item': true, 'aria-label': sample.error },
      h('b.many', count(group.count)),
      h(
        'div.what',
        h('a.error', { 'data-row': true, href: link('failed', [], { kind, fingerprint }) }, sample.error),
        h(
          'p.muted',
          h('span.tag', kind),
          h('span', t('failed.first'), ' ', when(group.first_failed_at)),
          h('span', t('failed.last'), ' ', when(group.last_failed_at)),
          h('a', { href: jobLink(kind, sample.job_id) }, t('failed.sample'), ' ', shortId(sample.job_id)),
        ),
        canary &&
          h('p.canary', { role: 'status' }, t('failed.canary'), pill(canary.status), h('a', { href: jobLink(kind, canary.id) }, shortId(canary.id))),
      ),
      app.mayChange() && buttons(group, canary),
    );
  }

  const buttons = (group, canary) =>
    h(
      'div.buttons',
      button(t('act.retry_one'), () => retryOne(group), { name: 'retry', class: canary ? '' : 'primary', 'data-action': 'retry' }),
      button(t('act.retry_all', { n: count(group.count) }), () => retryGroup(group), { class: canary ? 'primary' : '' }),
    );

  const memberList = () =>
    h(
      'section.list',
      { 'aria-label': t('failed.members') },
      h('h2', t('failed.members')),
      rows(members.data.items, {}),
      pages('failed', params, members.data.next),
    );

  follow(app.route);
  return {
    title: () => t('nav.failed'),
    render,
    follow,
    receive,
    resource: () => groups,
    jobs: () => [...canaries.values(), ...(members?.data?.items ?? [])],
    stop: () => [groups, members, operations].forEach((one) => one?.stop()),
  };
}
