// Jobs by kind and status. Rows stay where they are: states change in place, new rows are only announced.
import { changeAll, retryAll } from './actions.js';
import { button, count, dot, empty, get, h, jobLink, kindSelect, link, pages, Resource, route, t, toast } from './kit.js';
import { checkbox, rows } from './rows.js';

const STATUSES = ['', 'queued', 'processing', 'delayed', 'succeeded', 'failed', 'cancelled'];
const LIMIT = 50;

export default function jobs(app) {
	let params;
	let resource;
	let shown; // the rows, in the order of the first load
	let fresh; // ids that came since
	const selected = new Set();

	function follow() {
		({ params } = app.route);
		resource?.stop();
		clear();
		const { kind, status, after } = params;
		resource = new Resource(route(['jobs'], { kind, status, after, limit: LIMIT }), merge);
		if (resource.data) merge();
		return true;
	}

	function clear() {
		shown = null;
		fresh = new Set();
		selected.clear();
	}

	// Takes a newer answer without moving any row.
	function merge() {
		const { data, error } = resource;
		if (data && !(shown && error)) {
			const newer = new Map(data.items.map(job => [job.id, job]));
			if (!shown?.length) shown = data.items.map(job => ({ ...job }));
			for (const job of shown) {
				job.left = !newer.has(job.id);
				Object.assign(job, newer.get(job.id));
				newer.delete(job.id);
			}
			fresh = newer;
		}
		app.draw();
	}

	function receive({ type, data }) {
		const job = type === 'job' && data.status && shown?.find(({ id, kind }) => id === data.id && kind === data.kind);
		if (job) Object.assign(job, data);
	}

	function reload() {
		clear();
		resource.refresh();
	}

	async function act(action) {
		const filter = [params.kind, t(params.status ? `status.${params.status}` : 'jobs.all')].filter(Boolean).join(', ');
		const chosen = shown.filter(job => selected.has(job.id));
		if (!(await changeAll(action, chosen, filter))) return;
		selected.clear();
		resource.refresh();
	}

	async function actOnAll() {
		if (await retryAll({ kind: params.kind }, resource.data.count)) select([]);
	}

	function select(list) {
		selected.clear();
		for (const job of list) selected.add(job.id);
		app.draw();
	}

	function toggle(job) {
		if (!selected.delete(job.id)) selected.add(job.id);
		app.draw();
	}

	function toolbar() {
		const chip = status => {
			const current = (params.status ?? '') === status && 'true';
			const href = link('jobs', { ...params, after: '', status });
			const words = t(status ? `status.${status}` : 'jobs.all');
			return h('a', { href, 'aria-current': current }, status && dot(status), words);
		};
		return h('div.toolbar',
			h('nav.chips', { label: t('jobs.status') }, STATUSES.map(chip)),
			kindSelect(app, 'jobs', params),
			search()
		);
	}

	function search() {
		const onsubmit = event => {
			event.preventDefault();
			find(event.target.elements.id.value.trim());
		};
		const label = t('jobs.search');
		const props = { name: 'id', type: 'search', placeholder: label, label };
		return h('form.search', { role: 'search', onsubmit }, h('input', props), h('kbd', { hide: true }, '/'));
	}

	// Ids are unique in a kind only: ask each.
	async function find(id) {
		for (const kind of params.kind ? [params.kind] : app.kinds().map(one => one.kind)) {
			if (await get(route(['jobs', kind, id])).catch(() => null)) {
				location.hash = jobLink({ kind, id });
				return;
			}
		}
		toast(t('jobs.not_found', { id }), 'bad');
	}

	function render() {
		if (!shown) return null;
		const { count: n, complete, next } = resource.data;
		const all = shown.length > 0 && shown.every(job => selected.has(job.id));
		const mayChange = app.mayChange();
		const selectAll = checkbox(t('jobs.select_page'), all, () => select(all ? [] : shown));
		const list = rows(shown, { selected: mayChange && selected, toggle });
		return [
			h('section.list', { label: t('nav.jobs') },
				h('div.summary',
					mayChange && selectAll,
					h('p', n ? t('jobs.count', { n: count(n) }) : t('jobs.shown', { n: shown.length })),
					!complete && h('p.muted', t('jobs.window'))
				),
				// A live region must exist before its words change.
				h('div.fresh', { role: 'status' }, fresh.size > 0 && button('fresh', reload, '', { n: fresh.size })),
				shown.length ? list : empty(t('jobs.none')),
				pages('jobs', params, next)
			),
			selected.size > 0 && actions(n)
		];
	}

	function actions(all) {
		const n = selected.size;
		const more = params.status === 'failed' && params.kind && n === shown.length && (all?.capped || all?.n > n);
		return h('div.actions', { role: 'region', label: t('jobs.actions') },
			h('strong', t('jobs.selected', { n })),
			button('retry', () => act('retry'), 'primary'),
			button('run-now', () => act('run-now')),
			button('cancel', () => act('cancel'), 'danger'),
			more && button('retry_matching', actOnAll, '', { n: count(all) }),
			button('clear', () => select([]), 'quiet')
		);
	}

	follow();
	return {
		get resource() {
			return resource;
		},
		toolbar,
		render,
		follow,
		receive,
		jobs: () => shown ?? [],
		escape: () => select([])
	};
}
