// Small parts that every view uses.
import { h, patch } from './dom.js';
import { clock, dateTime, duration, relative } from './format.js';
import { link } from './router.js';
import { t } from './strings.js';

const ICONS = {
	overview: 'M4 19V11M10 19V5M16 19v-6M21 19H3',
	jobs: 'M4 6h16M4 12h16M4 18h10',
	failed: 'M12 8v5m0 3.5v.01M10.3 4 2.6 17.5a2 2 0 0 0 1.7 3h15.4a2 2 0 0 0 1.7-3L13.7 4a2 2 0 0 0-3.4 0Z',
	plans: 'M3 5h18v14H3ZM3 16l5-5 4 4 3-3 6 6M15.5 8.5v.01',
	pdf: 'M6 3h8l4 4v14H6ZM14 3v4h4M9 12h6M9 16h6',
	documents: 'M8 3h8l4 4v10H8ZM16 3v4h4M4 7v14h11M11 10h5M11 13h5',
	relay: 'M3 7h11M10 3l4 4-4 4M21 17H10m4-4-4 4 4 4',
	scoring: 'M3 4h18v16H3ZM3 9h18M9 9v11M15 9v11',
	workers: 'M4 5h16v6H4ZM4 13h16v6H4ZM7.5 8v.01M7.5 16v.01M11 8h6M11 16h6',
	pause: 'M9 6v12M15 6v12',
	resume: 'M8 5.5v13l10.5-6.5Z',
	retry: 'M20 11a8 8 0 0 0-14.3-4L4 9M4 4v5h5M4 13a8 8 0 0 0 14.3 4L20 15M20 20v-5h-5',
	cancel: 'M6 6l12 12M18 6 6 18',
	clock: 'M12 7v5l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
	theme: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 3.5v17M12 7h6M12 11h8M12 15h7',
	out: 'M14 4H5v16h9M10 12h10m-3-3 3 3-3 3'
};

export const icon = name =>
	h('svg.icon', { viewBox: '0 0 24 24', hide: true }, h('path', { d: ICONS[name] }));

export const dot = status => h('i.dot', { class: status, hide: true });

// A dot and a word: the colour is never the only sign.
export const pill = (status, text = t(`status.${status}`)) => h('span.pill', { class: status }, dot(status), text);

export const when = (time, prefix) =>
	time ? h('time', { datetime: time, title: dateTime(time) }, prefix, prefix && ' ', relative(time)) : '—';

export const button = (name, onclick, kind, vars) =>
	h('button.button', { type: 'button', class: `${name} ${kind || ''}`, onclick },
		ICONS[name] && icon(name),
		h('span', t(`act.${name}`, vars))
	);

export function bar(done, total, label) {
	const values = { 'aria-valuemin': 0, 'aria-valuemax': total, 'aria-valuenow': done };
	const part = total > 0 ? Math.min(1, done / total) : 0;
	return h('div.bar', { role: 'progressbar', label, ...values }, h('div', { vars: { '--part': part } }));
}

// Tells how old the data is when it could not be loaded.
export function staleNote({ data, asOf, error, stale }) {
	if (!stale && !error) return null;
	const age = duration((Date.now() - new Date(asOf)) / 1000);
	const words = data && h('p', t('stale.data', { clock: clock(asOf), age }));
	return h('div.note.warn', { role: 'status', key: 'stale' }, icon('clock'), h('div', h('strong', reason(error)), words));
}

export function reason(error) {
	if (!error || error.code === 'unavailable' || error.code === 'timeout') return t('stale.database');
	if (error.code === 'offline') return t('stale.server');
	return [403, 404].includes(error.status) ? t(`error.${error.status}`) : error.message;
}

export const loading = () => h('div.loading', { role: 'status' }, t('loading'));

export const empty = (title, text) => h('div.empty', h('strong', title), h('p', text));

export function kindSelect(app, view, params) {
	const names = [...new Set([...app.kinds().map(kind => kind.kind), params.kind])].filter(Boolean);
	const onchange = ({ target }) => {
		location.hash = link(view, { ...params, kind: target.value, after: '', fingerprint: '' });
	};
	return h('select', { label: t('jobs.kind'), onchange },
		h('option', { value: '' }, t('jobs.every_kind')),
		names.map(kind => h('option', { value: kind, selected: kind === params.kind }, kind))
	);
}

// Keyset pages: to the first one and to the next one; the way back is the browser's.
export function pages(view, params, next, ...parts) {
	const to = after => link(view, { ...params, after }, ...parts);
	return h('nav.pages', { label: t('jobs.pages') },
		params.after && h('a.button', { href: to('') }, '‹ ', t('jobs.first')),
		next && h('a.button', { href: to(next) }, t('jobs.next'), ' ›')
	);
}

// A modal dialog; resolves with the value of the button that closed it.
export function dialog(title, body, buttons) {
	return new Promise(resolve => {
		const el = document.createElement('dialog');
		el.setAttribute('aria-labelledby', 'dialog-title');
		const heading = h('h2', { id: 'dialog-title' }, title);
		patch(el, h('form', { method: 'dialog' }, heading, body, h('div.buttons', buttons)));
		el.onclose = () => {
			resolve(el.returnValue);
			el.remove();
		};
		document.body.append(el);
		el.showModal();
	});
}

// Asks before something is changed; the text names how many jobs, and which.
export async function ask(title, text, action, kind = 'primary') {
	const button = (words, value, props) => h('button.button', { value, ...props }, words);
	const danger = kind === 'danger';
	const both = [button(t('ask.keep'), '', { autofocus: danger }), button(action, 'yes', { class: kind, autofocus: !danger })];
	return (await dialog(title, h('p', text), both)) === 'yes';
}

// A short message that goes away by itself, and is read aloud.
export function toast(text, kind = 'ok') {
	const el = document.createElement('div');
	el.className = `toast ${kind}`;
	el.textContent = text;
	document.getElementById('toasts').append(el);
	setTimeout(() => el.remove(), kind === 'bad' ? 9000 : 5000);
}
