// What surrounds every view: navigation, the time of the data, the switches.
import { showKeys } from './keys.js';
import { clock, count, dot, h, icon, language, link, loading, staleNote, t } from './kit.js';
import { liveState } from './live.js';
import { WORKLOADS, workloadOf } from './workloads.js';

const ITEMS = ['overview', 'jobs', 'failed'];

export function frame(app) {
	const { view } = app;
	if (!app.who) {
		return h('div.alone', { key: 'alone' }, h('header', brand(), switches(app)), h('main', view.render()));
	}
	const { resource } = view;
	return h('div.frame', { key: 'frame' },
		h('a.skip', { href: '#main', onclick: skip }, t('skip')),
		h('header.side', brand(), navigation(app), switches(app)),
		h('main', { id: 'main', tabindex: -1 },
			h('div.top', h('h1', view.title?.() ?? t(`nav.${app.route.view}`)), asOf(resource)),
			staleNote(resource),
			view.toolbar?.(),
			resource.data ? view.render() : !resource.error && loading()
		)
	);
}

function skip(event) {
	event.preventDefault();
	document.getElementById('main').focus();
}

const brand = () =>
	h('a.brand', { href: link('overview') }, h('img', { src: 'icon.svg', alt: '', width: 28, height: 28 }), 'Rowrunner');

function navigation(app) {
	const { view } = app.route;
	const current = view === 'job' ? 'jobs' : (workloadOf(view)?.item ?? view);
	const kinds = app.kinds().map(one => one.kind);
	const own = WORKLOADS.filter(one => !kinds.length || kinds.includes(one.kind)).map(one => one.item);
	const item = name => {
		const props = { href: link(name), 'aria-current': current === name && 'page' };
		return h('li', h('a', props, icon(name), h('span', t(`nav.${name}`)), name === 'failed' && failedBadge(app)));
	};
	return h('nav', { label: t('nav.label') }, h('ul', [...ITEMS, ...own, 'workers'].map(item)));
}

function failedBadge(app) {
	const counts = app.kinds().map(kind => kind.failed).filter(Boolean);
	const n = counts.reduce((sum, one) => sum + one.n, 0);
	return n > 0 && h('b.badge', count({ n, capped: counts.some(one => one.capped) }));
}

function asOf({ stale, error, asOf: time }) {
	const live = stale || error ? 'away' : liveState();
	const words = [h('span', t(`live.${live}`)), time && h('span', t('as_of', { clock: clock(time) }))];
	return h('p.as-of', { class: live }, dot(live), words);
}

function switches(app) {
	const other = language() === 'ja' ? 'en' : 'ja';
	const { theme } = document.documentElement.dataset;
	const { user } = app.who ?? {};
	const onclick = () => app.switchLanguage(other);
	return h('div.switches',
		h('button.plain', { type: 'button', lang: other, onclick }, other === 'ja' ? '日本語' : 'English'),
		round('theme', t(`theme.${theme}`), app.switchTheme),
		user && round('?', t('keys.title'), showKeys),
		user && user !== 'local' && round('out', t('sign_out', { user }), app.signOut)
	);
}

const round = (name, label, onclick) =>
	h('button.round', { type: 'button', label, title: label, onclick }, name === '?' ? name : icon(name));
