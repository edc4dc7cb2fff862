// Per kind: what waits, runs, failed, how fast it goes. Above it only what is wrong.
import { setPaused } from './actions.js';
import { button, count, duration, empty, h, has, icon, link, percent, pill, t } from './kit.js';
import { sparkline } from './spark.js';

export default function overview(app) {
	const hover = {};

	function card(data) {
		const { kind, paused, workers, per_minute: series } = data;
		const state = paused ? 'paused' : workers > 0 ? 'running' : 'no_worker';
		const toggle = async () => (await setPaused(data)) && app.overview.refresh();
		const onHover = at => {
			hover[kind] = at;
			app.draw();
		};
		return h('section.card.kind.item', { key: kind, label: kind },
			h('header',
				h('h2', h('a.row', { href: link('jobs', { kind }) }, kind)),
				pill(state, t(`kind.${state}`)),
				app.mayChange() && button(paused ? 'resume' : 'pause', toggle, paused ? 'small primary' : 'small quiet')
			),
			sparkline(series, hover[kind] ?? null, onHover),
			figures(data),
			footer(data)
		);
	}

	return {
		resource: app.overview,
		render: () => {
			const { problems, kinds } = app.overview.data;
			return [
				problems.length > 0 && h('section.problems', { label: t('problems') }, problems.map(note)),
				kinds.length ? h('div.kinds', kinds.map(card)) : empty(t('overview.none'), "SELECT rowrunner.attach('my_jobs', kind => 'my_kind')")
			];
		}
	};
}

function figures(data) {
	const { kind } = data;
	const jobs = status => link('jobs', { kind, status });
	const figure = (name, href) => {
		const kids = [h('b', count(data[name])), h('span', t(`figure.${name}`))];
		return h('li', { class: `${name} ${data[name]?.n === 0 ? 'none' : ''}` }, h(href ? 'a' : 'div', { href }, kids));
	};
	return h('ul.figures',
		figure('waiting', jobs('queued')),
		figure('running', jobs('processing')),
		figure('delayed', jobs('delayed')),
		figure('held'),
		figure('failed', link('failed', { kind }))
	);
}

function footer({ workers, waiting, oldest_waiting_seconds: oldest, last_hour: { succeeded, failed } }) {
	const unknown = oldest === null && waiting.n > 0; // the table is locked
	return h('footer',
		h('span', unknown || oldest !== null ? t('overview.oldest', { age: unknown ? '?' : duration(oldest) })
			: t('overview.idle')),
		h('span', t('overview.errors', { part: percent(failed, succeeded + failed) })),
		h('span', t('overview.workers', { n: workers }))
	);
}

function note({ code, kind, message }) {
	const key = `problem.${code}`;
	const href = kind && (code === 'no_live_worker' ? link('workers') : link('jobs', { kind, status: 'queued' }));
	return h('div.note', { key: `${code} ${kind}` },
		icon('failed'),
		h('div', h('strong', has(key) ? t(key, { kind }) : message), has(key) && h('p', { lang: 'en' }, message)),
		href && h('a.button.small', { href }, t('act.look'))
	);
}
