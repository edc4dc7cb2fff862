// The plans, newest first.
import { Resource } from './api.js';
import { h } from './dom.js';
import { link } from './router.js';
import { t } from './strings.js';
import { empty, icon, loading, when } from './ui.js';

export default function plans(app) {
  const resource = new Resource('/api/plans', { changed: app.draw });

  const card = (plan) =>
    h(
      'li',
      { key: plan.plan_id, 'data-item': true },
      h(
        'a.card.plan',
        { href: link('plan', [plan.plan_id]), 'data-row': true },
        icon('plans'),
        h('div', h('strong', plan.title), h('p.muted', h('code', plan.plan_id), ' · ', when(plan.created_at))),
      ),
    );

  function render() {
    const items = resource.data?.items;
    if (!items) return resource.error ? null : loading();
    if (!items.length) return empty(t('plans.none'), t('plans.none_text'));
    return h('ul.plans', items.map(card));
  }

  return { title: () => t('nav.plans'), render, resource: () => resource, stop: () => resource.stop() };
}
