// Jobs as rows, or as cards where the window is narrow.
import { h, jobLink, number, pill, shortId, t, when } from './kit.js';

// A job that is queued for a later time is delayed; without a time it is held.
export function shownStatus({ status, run_at: at }) {
	if (status !== 'queued' || at === undefined) return status;
	if (at === null || at === 'infinity') return 'held';
	return new Date(at) > Date.now() + 1000 ? 'delayed' : 'queued';
}

// What a job is about: columns that its own table adds.
export const nameOf = ({ own, id }) => Object.values(own).join(' · ') || shortId(id);

export const checkbox = (label, checked, onchange) =>
	h('label.check', h('input', { type: 'checkbox', checked, onchange }), h('span.hidden', label));

// `selected` holds the ids of selected rows; without it, none can be selected.
export function rows(jobs, { selected, toggle }) {
	const row = job => {
		const name = nameOf(job);
		const on = selected && selected.has(job.id);
		return h('li.item', { key: `${job.kind} ${job.id}`, class: `${on ? 'on' : ''} ${job.left ? 'left' : ''}` },
			selected && checkbox(t('jobs.select', { name }), on, () => toggle(job)),
			pill(shownStatus(job)),
			h('a.name.row', { href: jobLink(job) }, h('strong', name), h('span', `${job.kind} · ${shortId(job.id)}`)),
			h('span.detail', detail(job)),
			h('span.attempts', t('jobs.attempts', { n: job.attempts, of: job.max_attempts })),
			h('span.time', when(job.failed_at ?? job.updated_at))
		);
	};
	return h('ul.rows', { class: selected && 'selectable' }, jobs.map(row));
}

function detail(job) {
	const status = shownStatus(job);
	const { progress } = job;
	if (status === 'processing') {
		return progress?.total > 0 ? `${number(progress.done)} / ${number(progress.total)} ${progress.message}` : job.locked_by;
	}
	if (status === 'delayed') return when(job.run_at, t('jobs.runs'));
	const error = job.error ?? job.last_error;
	return error && status !== 'succeeded' && h('span.error', error);
}
