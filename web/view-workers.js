// The processes that reported in the last hour, and what they do.
import { Resource } from './api.js';
import { empty, h, number, pill, t, when } from './kit.js';

export default function workers(app) {
	const resource = new Resource('/api/workers', app.draw);

	const item = (one) =>
		h(
			'li',
			{ key: one.worker, 'data-item': true, class: !one.alive && 'left' },
			pill(one.alive ? 'alive' : 'gone'),
			h('strong.name', { tabindex: 0, 'data-row': true }, one.worker),
			h('span.detail', one.kinds.map((kind) => h('span.tag', kind))),
			h('span', t('workers.running', { n: number(one.running) })),
			h('span.muted', one.version),
			when(one.started_at, t('workers.up')),
			when(one.seen_at, t('workers.seen')),
		);

	function render() {
		const { items, complete } = resource.data;
		if (!items.length) return empty(t('workers.none'), t('workers.none_text'));
		return [
			h('section.list', { 'aria-label': t('nav.workers') }, h('ul.rows.workers', items.map(item))),
			!complete && h('p.muted', t('workers.more')),
		];
	}

	return { title: () => t('nav.workers'), resource, render };
}
