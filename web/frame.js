// What surrounds every view: navigation, the time of the data, the switches.
import { h } from './dom.js';
import { clock, count } from './format.js';
import { showKeys } from './keys.js';
import { liveState } from './live.js';
import { link } from './router.js';
import { language, t } from './strings.js';
import { icon, staleNote } from './ui.js';

const ITEMS = ['overview', 'jobs', 'failed', 'plans', 'workers'];
const PARENT = { job: 'jobs', plan: 'plans' };

export function frame(app) {
  const { view } = app;
  if (!app.who) {
    return h('div.alone', { key: 'alone' }, h('header', brand(), switches(app)), h('main', view?.render()));
  }
  return h(
    'div.frame',
    { key: 'frame' },
    h('a.skip', { href: '#main', onclick: skip }, t('skip')),
    h('header.side', brand(), navigation(app), switches(app)),
    h(
      'main',
      { id: 'main', tabindex: '-1' },
      h('div.top', h('h1', view.title()), asOf(view.resource?.())),
      staleNote(view.resource?.()),
      view.render(),
    ),
  );
}

function skip(event) {
  event.preventDefault();
  document.getElementById('main').focus();
}

const brand = () =>
  h('a.brand', { href: link('overview') }, h('img', { src: 'icon.svg', alt: '', width: 28, height: 28 }), 'Rowrunner');

function navigation(app) {
  const current = PARENT[app.route.view] ?? app.route.view;
  const item = (name) =>
    h(
      'a',
      { href: link(name), 'aria-current': current === name ? 'page' : null },
      icon(name),
      h('span', t(`nav.${name}`)),
      name === 'failed' && failedBadge(app),
    );
  return h('nav', { 'aria-label': t('nav.label') }, h('ul', ITEMS.map((name) => h('li', { key: name }, item(name)))));
}

function failedBadge(app) {
  const counts = app.kinds().map((kind) => kind.failed).filter(Boolean);
  const n = counts.reduce((sum, one) => sum + one.n, 0);
  return n > 0 && h('b.badge', count({ n, capped: counts.some((one) => one.capped) }));
}

function asOf(resource) {
  const live = resource?.stale || resource?.error ? 'away' : liveState();
  return h(
    'p.as-of',
    { class: live },
    h('i', { 'aria-hidden': 'true' }),
    h('span', t(`live.${live}`)),
    resource?.asOf && h('span.clock', t('as_of', { clock: clock(resource.asOf) })),
  );
}

function switches(app) {
  const other = language() === 'ja' ? 'en' : 'ja';
  const theme = document.documentElement.dataset.theme ?? 'auto';
  const { user } = app.who ?? {};
  return h(
    'div.switches',
    h(
      'button.plain',
      { type: 'button', lang: other, onclick: () => app.switchLanguage(other) },
      other === 'ja' ? '日本語' : 'English',
    ),
    round(theme, t(`theme.${theme}`), app.switchTheme),
    app.who && round('keys', t('keys.title'), showKeys),
    app.who && user !== 'local' && round('out', t('sign_out', { user }), app.signOut),
  );
}

const round = (name, label, onclick) =>
  h('button.round', { type: 'button', 'aria-label': label, title: label, onclick }, icon(name));
