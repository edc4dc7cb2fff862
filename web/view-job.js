// One job: why it does not run, how far it is, what it did and what went wrong.
import { cancelJob, retryJob, runNow } from './actions.js';
import { bar, button, dateTime, dot, duration, h, has, icon, link, number, pill, Resource, route, t, when } from './kit.js';
import { nameOf, shownStatus } from './rows.js';

// Columns that every job table has; the others tell what the job is about.
const ENGINE =
	'id status attempts max_attempts last_error created_at updated_at locked_at locked_by lease run_at priority'.split(' ');

const ownColumns = job => Object.entries(job).filter(([name]) => !ENGINE.includes(name));

export default function job(app) {
	const [kind, id] = app.route.parts;
	const resource = new Resource(route(['jobs', kind, id]), app.draw);
	const title = () => nameOf(Object.fromEntries(ownColumns(resource.data?.job ?? {})), kind);
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
		const act = async action => (await action({ kind, id }, title())) && resource.refresh();
		const again = status === 'failed' || status === 'cancelled';
		const open = status === 'queued' || status === 'processing';
		return h('div.buttons',
			again && button('retry', () => act(retryJob), 'primary'),
			shown === 'delayed' && button('run-now', () => act(runNow), 'primary'),
			open && button('cancel', () => act(cancelJob), 'danger')
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
			h('div.columns', facts(row), h('div', timeline(data), data.steps.length > 0 && steps(data.steps)))
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
		const exact = has(`why.${code}`) ? t(`why.${code}`, { kind, nth, run_at: runAt, ...facts, pid: facts.pid && `${facts.pid}` }) : '{';
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

function facts(job) {
	const list = [
		[t('job.attempts'), `${number(job.attempts)} / ${number(job.max_attempts)}`],
		[t('job.priority'), number(job.priority ?? 0)],
		[t('job.created'), when(job.created_at)],
		[t('job.run_at'), job.run_at === 'infinity' ? '∞' : when(job.run_at)],
		[t('job.updated'), when(job.updated_at)],
		[t('job.worker'), job.locked_by ?? '—'],
		...ownColumns(job).map(([name, value]) => [h('code', name), shown(value)])
	];
	return section('job.facts', h('dl.facts', list.map(([name, value]) => [h('dt', name), h('dd', value)])));
}

function shown(value) {
	if (value === null) return '—';
	return typeof value === 'object' ? h('code', JSON.stringify(value)) : String(value);
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
