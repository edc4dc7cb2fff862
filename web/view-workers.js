// The processes that reported in the last hour, and what they do.
import { Resource } from './api.js';
import { h } from './dom.js';
import { number } from './format.js';
import { t } from './strings.js';
import { empty, loading, pill, when } from './ui.js';

export default function workers(app) {
  const resource = new Resource('/api/workers', { changed: app.draw });

  const item = (one) =>
    h(
      'li',
      { key: one.worker, 'data-item': true, class: one.alive ? '' : 'left' },
      pill(one.alive ? 'alive' : 'gone'),
      h('strong.name', { tabindex: 0, 'data-row': true }, one.worker),
      h('span.detail', one.kinds.map((kind) => h('span.tag', { key: kind }, kind))),
      h('span', t('workers.running', { n: number(one.running), count: one.running })),
      h('span.muted', one.version),
      h('span', t('workers.up'), ' ', when(one.started_at)),
      h('span.time', t('workers.seen'), ' ', when(one.seen_at)),
    );

  function render() {
    const { data, error } = resource;
    if (!data) return error ? null : loading();
    if (!data.items.length) return empty(t('workers.none'), t('workers.none_text'));
    return [
      h('section.list', { 'aria-label': t('nav.workers') }, h('ul.rows.workers', data.items.map(item))),
      !data.complete && h('p.muted', t('workers.more')),
    ];
  }

  return { title: () => t('nav.workers'), render, resource: () => resource, stop: () => resource.stop() };
}
