// Per kind: what waits, runs, failed, how fast it goes. Above it only what is wrong.
import { setPaused } from './actions.js';
import { h } from './dom.js';
import { count, duration, number, percent } from './format.js';
import { link } from './router.js';
import { sparkline } from './spark.js';
import { t, has } from './strings.js';
import { button, empty, icon, loading, pill } from './ui.js';

export default function overview(app) {
  const hover = {};

  const toggle = async (kind) => {
    if (await setPaused(kind.kind, !kind.paused, kind.waiting)) await app.overview.refresh();
  };

  function render() {
    const { data } = app.overview;
    if (!data) return app.overview.error ? null : loading();
    const nothing = empty(t('overview.none'), t('overview.none_text'));
    return [
      data.problems.length > 0 && problems(data.problems),
      data.kinds.length ? h('div.kinds', data.kinds.map((kind) => card(kind))) : nothing,
    ];
  }

  function card(kind) {
    const onHover = (at) => {
      hover[kind.kind] = at;
      app.draw();
    };
    return h(
      'section.card.kind',
      { key: kind.kind, 'data-item': true, 'aria-label': kind.kind },
      h('header', h('h2', h('a', { href: link('jobs', [], { kind: kind.kind }), 'data-row': true }, kind.kind)),
        pill(stateOf(kind), t(`kind.${stateOf(kind)}`)),
        app.mayChange() && pauseButton(kind, () => toggle(kind)),
      ),
      sparkline(kind.per_minute, hover[kind.kind], onHover),
      figures(kind),
      footer(kind),
    );
  }

  return { title: () => t('nav.overview'), render, resource: () => app.overview };
}

function stateOf(kind) {
  if (kind.paused) return 'paused';
  return kind.workers > 0 ? 'running' : 'no_worker';
}

const pauseButton = (kind, onclick) =>
  button(t(kind.paused ? 'act.resume' : 'act.pause'), onclick, {
    name: kind.paused ? 'play' : 'pause',
    class: kind.paused ? 'primary small' : 'quiet small',
    'aria-label': `${t(kind.paused ? 'act.resume' : 'act.pause')} ${kind.kind}`,
  });

function figures({ kind, waiting, running, delayed, held, failed }) {
  const jobs = (status) => link('jobs', [], { kind, status });
  return h(
    'ul.figures',
    figure('waiting', waiting, jobs('queued')),
    figure('running', running, jobs('processing')),
    figure('delayed', delayed, jobs('delayed')),
    figure('held', held, null),
    figure('failed', failed, link('failed', [], { kind })),
  );
}

function figure(name, value, href) {
  const kids = [h('b', count(value)), h('span', t(`figure.${name}`))];
  const none = value?.n === 0 ? 'none' : '';
  return h('li', { class: `${name} ${none}` }, href ? h('a', { href }, kids) : h('div', kids));
}

function footer(kind) {
  const { succeeded, failed } = kind.last_hour;
  const oldest = kind.oldest_waiting_seconds;
  return h('footer', h('span', oldest === null ? t('overview.idle') : t('overview.oldest', { age: duration(oldest) })),
    h('span', t('overview.errors', { part: percent(failed, succeeded + failed) })),
    h('span', t('overview.workers', { n: number(kind.workers) })),
  );
}

const WHERE = {
  no_live_worker: () => link('workers'),
  oldest_too_old: (kind) => link('jobs', [], { kind, status: 'queued' }),
};

function problems(list) {
  return h(
    'section.problems',
    { 'aria-label': t('problems') },
    list.map((problem) => {
      const href = WHERE[problem.code]?.(problem.kind);
      return h(
        'div.note.bad',
        { key: `${problem.code} ${problem.kind}`, 'data-code': problem.code },
        icon('failed'),
        h('div', h('strong', words(problem)), h('p', advice(problem))),
        href && h('a.button.small', { href }, t('act.look')),
      );
    }),
  );
}

function words(problem) {
  const key = `problem.${problem.code}`;
  return has(key) ? t(key, { kind: problem.kind }) : problem.message;
}

const advice = (problem) => (has(`problem.${problem.code}`) ? problem.message : '');
