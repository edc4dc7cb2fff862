// The plans, newest first.
import { Resource } from './api.js';
import { empty, h, icon, link, t, when } from './kit.js';

export default function plans(app) {
	const resource = new Resource('/api/plans', app.draw);

	const card = ({ plan_id: id, title, created_at: time }) =>
		h(
			'li',
			{ key: id, 'data-item': true },
			h(
				'a.card.plan',
				{ href: link('plan', {}, id), 'data-row': true },
				icon('plans'),
				h('div', h('strong', title), h('p.muted', h('code', id), ' · ', when(time))),
			),
		);

	function render() {
		const { items } = resource.data;
		return items.length ? h('ul.plans', items.map(card)) : empty(t('plans.none'), t('plans.none_text'));
	}

	return { title: () => t('nav.plans'), resource, render };
}
