// The plans, newest first.
import { empty, h, icon, link, Resource, t, when } from './kit.js';

export default function plans(app) {
	const resource = new Resource('/api/plans', app.draw);

	const card = ({ plan_id: id, title, created_at: time }) =>
		h('li.item', { key: id },
			h('a.card.plan.row', { href: link('plan', {}, id) },
				icon('plans'),
				h('div', h('strong', title), h('p.muted', h('code', id), ' · ', when(time)))
			)
		);

	function render() {
		const { items } = resource.data;
		return items.length ? h('ul.plans', items.map(card)) : empty(t('plans.none'), 'rowrunner plan import examples/kyoto.json --enqueue');
	}

	return { resource, render };
}
