// One job: why it does not run, how far it is, what it did and what went wrong.
import { changeAll, retryJob, runNow } from './actions.js';
import { bar, button, dateTime, dot, duration, h, has, icon, link, number, pill, Resource, route, t, when } from './kit.js';
import { nameOf, shownStatus } from './rows.js';

export default function job(app) {
	const [kind, id] = app.route.parts;
	const resource = new Resource(route(['jobs', kind, id]), app.draw);
	const title = () => (resource.data ? nameOf(resource.data) : kind);
	let soon = 0;

	function receive({ type, data }) {
		const shown = resource.data;
		if (type !== 'job' || data.id !== id || data.kind !== kind || !data.status || !shown) return;
		// The state shows at once; steps and attempts are read again.
		const moved = data.status !== shown.status || data.attempts !== shown.job.attempts;
		shown.status = data.status;
		if (data.progress) shown.progress = data.progress;
		clearTimeout(soon);
		soon = setTimeout(resource.refresh, moved ? 50 : 1000);
	}

	function buttons(status, shown) {
		const job = { kind, id };
		const act = async work => (await work) && resource.refresh();
		const again = status === 'failed' || status === 'cancelled';
		const open = status === 'queued' || status === 'processing';
		return h('div.buttons',
			again && button('retry', () => act(retryJob(job)), 'primary'),
			shown === 'delayed' && button('run-now', () => act(runNow(job)), 'primary'),
			open && button('cancel', () => act(changeAll('cancel', [job], title())), 'danger')
		);
	}

	function render() {
		const { data } = resource;
		const { status, job: row } = data;
		const shown = shownStatus({ ...row, status });
		return h('article.job',
			h('header.card',
				pill(shown),
				h('p.muted', h('a', { href: link('jobs', { kind }) }, kind), ' ', h('code', id)),
				app.mayChange() && buttons(status, shown)
			),
			data.waits.length > 0 && why(data),
			data.progress && progress(data),
			row.last_error && status !== 'succeeded' && section('job.error', pre(row.last_error)),
			h('div.columns', columns(row), h('div', timeline(data), data.steps.length > 0 && steps(data.steps)))
		);
	}

	return { title, resource, render, receive, jobs: () => [{ kind, id }] };
}

const section = (title, ...kids) => h('section.card', h('h2', t(title)), kids);
const pre = text => h('pre', { tabindex: 0 }, text);

// In the language of the page, with numbers if the server named them; else in the server's words.
function why({ kind, job, waits }) {
	const words = ({ code, message, before, capped, ...facts }) => {
		const nth = before === undefined ? undefined : (capped ? '≥ ' : '') + number(before + 1);
		const runAt = job.run_at && job.run_at !== 'infinity' ? dateTime(job.run_at) : undefined;
		const key = `why.${code === 'position' && !nth ? 'entering' : code}`;
		const exact = has(key) ? t(key, { kind, nth, run_at: runAt, ...facts, pid: facts.pid && `${facts.pid}` }) : '{';
		// A gap that nothing filled.
		return exact.includes('{') ? h('span', { lang: 'en' }, message) : exact;
	};
	const cause = one => h('li', { key: one.code }, words(one));
	return h('section.card.why', h('h2', icon('clock'), t('why.title')), h('ul', waits.map(cause)));
}

function progress({ progress: { done, total, message }, status, seconds_left: left }) {
	const text = total > 0 ? t('job.done_of', { n: done, of: total }) : number(done);
	const time = status === 'processing' && left !== null && h('span.muted', t('job.left', { time: duration(left) }));
	return section('job.progress', bar(done, total, t('job.progress')), h('p.line', h('strong', text), h('span', message), time));
}

// A job is a row: all of it, under the names of its columns.
function columns(job) {
	const shown = (name, value) => {
		if (value === null || value === 'infinity') return value ? '∞' : '—';
		if (name.endsWith('_at')) return when(value);
		return typeof value === 'object' ? h('code', JSON.stringify(value)) : String(value);
	};
	const column = ([name, value]) => [h('dt', h('code', name)), h('dd', shown(name, value))];
	return section('job.row', h('dl.facts', Object.entries(job).map(column)));
}

const entry = (status, title, time, ...more) => h('li', dot(status), h('div', h('strong', title), ' ', when(time), more));

function timeline({ attempts, job, status }) {
	const attempt = ({ attempt: n, started_at: from, ended_at: to, worker, error }, state = 'failed') => {
		const took = from && to && t('job.took', { time: duration((new Date(to) - new Date(from)) / 1000) });
		const words = h('p.muted', [took, worker].filter(Boolean).join(' · '));
		return entry(state, t('job.attempt', { n }), to ?? from, words, error && h('p.error', error));
	};
	const now = { attempt: job.attempts + 1, started_at: job.locked_at, worker: job.locked_by };
	return section('job.timeline',
		h('ol.timeline',
			entry('queued', t('job.created'), job.created_at),
			attempts.map(one => attempt(one)),
			status === 'processing' && attempt(now, status),
			['succeeded', 'cancelled'].includes(status) && entry(status, t(`status.${status}`), job.updated_at)
		)
	);
}

function steps(list) {
	const result = value => h('details', h('summary', t('job.result')), pre(JSON.stringify(value, null, 2)));
	return section('job.steps', h('ol.timeline', list.map(one => entry('succeeded', one.step, one.created_at, result(one.result)))));
}
