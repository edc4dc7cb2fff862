// The processes that reported in the last hour, and what they do.
import { empty, h, pill, Resource, t, when } from './kit.js';

export default function workers(app) {
	const resource = new Resource('/api/workers', app.draw);

	const item = one =>
		h('li.item', { key: one.worker, class: !one.alive && 'left' },
			pill(one.alive ? 'alive' : 'gone'),
			h('strong.name.row', { tabindex: 0 }, one.worker),
			h('span.detail', one.kinds.map(kind => h('span.tag', kind))),
			h('span', t('workers.running', { n: one.running })),
			h('span.muted', one.version),
			when(one.started_at, t('workers.up')),
			when(one.seen_at, t('workers.seen'))
		);

	function render() {
		const { items, complete } = resource.data;
		if (!items.length) return empty(t('workers.none'), 'rowrunner worker');
		return [
			h('section.list', { label: t('nav.workers') }, h('ul.rows.workers', items.map(item))),
			!complete && h('p.muted', t('more'))
		];
	}

	return { resource, render };
}
