// Failed jobs grouped by what went wrong: retry one, see whether that helped, then all of them.
import { retryAll, retryJob } from './actions.js';
import { bar, button, count, empty, h, jobLink, kindSelect, link, pages, pill, post, Resource, route, shortId, t, when } from './kit.js';
import { rows } from './rows.js';

const BUSY = 2000;

export default function failed(app) {
	let params;
	let groups;
	let members;
	const operations = new Resource('/api/operations', watchOperations, BUSY);
	const canaries = new Map(); // "kind fingerprint" -> job

	const keyOf = ({ kind, fingerprint }) => `${kind} ${fingerprint}`;

	function follow() {
		({ params } = app.route);
		const { kind, fingerprint, after } = params;
		groups?.stop();
		members?.stop();
		groups = new Resource(route(['failed'], { kind }), app.draw, 10_000);
		const url = route(['failed', 'jobs'], { kind, fingerprint, after, limit: 50 });
		members = fingerprint ? new Resource(url, app.draw, 10_000) : null;
		return true;
	}

	// They are watched closely only while one runs; the counts are read again when it ends.
	function watchOperations() {
		const running = operations.data?.items.some(one => one.state === 'running');
		if (operations.every === BUSY && !running) groups.refresh();
		operations.every = running ? BUSY : 15_000;
		app.draw();
	}

	function receive({ type, data }) {
		for (const canary of canaries.values()) if (type === 'job' && canary.id === data.id) canary.status = data.status;
	}

	async function retryOne(group) {
		const job = { kind: group.kind, id: group.sample.job_id, status: 'queued' };
		if (await retryJob(job)) canaries.set(keyOf(group), job);
		app.draw();
	}

	async function retryGroup({ kind, fingerprint, count: matching, sample }) {
		if (!(await retryAll({ kind, fingerprint }, matching, sample.error))) return;
		operations.every = BUSY;
		operations.refresh();
	}

	async function stopOperation({ id }) {
		await post(route(['operations', id, 'cancel'])).catch(() => {});
		operations.refresh();
	}

	function operation(one) {
		const { id, state, requeued, skipped, matching, kind } = one;
		const title = t(`operation.${state}`, { n: requeued, of: count(matching), kind });
		const most = state === 'done' ? requeued + skipped : (matching?.n ?? 0);
		return h('div.card.operation', { key: id },
			h('strong', title),
			bar(requeued + skipped, most, title),
			app.mayChange() && state === 'running' && button('stop', () => stopOperation(one), 'small')
		);
	}

	function card(group) {
		const { kind, fingerprint, sample } = group;
		const canary = canaries.get(keyOf(group));
		const example = { kind, id: sample.job_id };
		return h('section.card.group.item', { key: keyOf(group), label: sample.error },
			h('b.many', count(group.count)),
			h('div',
				h('a.error.row', { href: link('failed', { kind, fingerprint }) }, sample.error),
				h('p.muted',
					h('span.tag', kind),
					when(group.first_failed_at, t('failed.first')),
					when(group.last_failed_at, t('failed.last')),
					h('a', { href: jobLink(example) }, `${t('failed.sample')} ${shortId(example.id)}`)
				),
				canary && h('p', { role: 'status' }, t('failed.canary'), pill(canary.status))
			),
			app.mayChange() &&
				h('div.buttons',
					button('retry_one', () => retryOne(group), canary ? 'retry' : 'retry primary'),
					button('retry_all', () => retryGroup(group), canary && 'primary', { n: count(group.count) })
				)
		);
	}

	function render() {
		const { items, complete } = groups.data;
		const shown = items.filter(group => !params.fingerprint || group.fingerprint === params.fingerprint);
		const minuteAgo = Date.now() - 60_000;
		const current = operations.data?.items.filter(one => one.state === 'running' || new Date(one.ended_at) > minuteAgo);
		return [
			h('div', { role: 'status' }, current?.slice(0, 5).map(operation)),
			shown.length ? h('div.groups', shown.map(card)) : empty(t('failed.none')),
			!complete && h('p.muted', t('more')),
			members?.data &&
				h('section.list', { label: t('failed.members') },
					h('h2', t('failed.members')),
					rows(members.data.items, {}),
					pages('failed', params, members.data.next)
				)
		];
	}

	follow();
	return {
		get resource() {
			return groups;
		},
		toolbar: () =>
			h('div.toolbar',
				kindSelect(app, 'failed', params),
				params.fingerprint && h('a.button', { href: link('failed', { kind: params.kind }) }, '‹ ', t('failed.all'))
			),
		render,
		follow,
		receive,
		jobs: () => [...canaries.values(), ...(members?.data?.items ?? [])],
		stop: () => [members, operations].forEach(one => one?.stop())
	};
}
