// A plan as a gallery that fills by itself. A picture that exists is shown whatever its job does now;
// otherwise the tile shimmers while it is made, or says what failed.
import { retryJob } from './actions.js';
import { Resource, picturePath, planPath } from './api.js';
import { h } from './dom.js';
import { number } from './format.js';
import { jobLink } from './router.js';
import { t } from './strings.js';
import { bar, button, icon, loading } from './ui.js';

export default function plan(app) {
  const [id] = app.route.parts;
  const resource = new Resource(planPath(id), { every: 10_000, changed: app.draw });
  const broken = new Set(); // pictures that could not be loaded
  let soon = 0;

  const spots = () => resource.data?.spots ?? [];

  function reloadSoon() {
    clearTimeout(soon);
    soon = setTimeout(() => resource.refresh(), 100);
  }

  function receive({ type, data }) {
    if (type === 'resync') reloadSoon();
    if (type !== 'job' || !data.status) return;
    const spot = spots().find((one) => one.job?.id === data.id);
    if (!spot || spot.job.status === data.status) return;
    Object.assign(spot.job, data);
    spot.image_status = data.status === 'queued' || data.status === 'cancelled' ? 'not_started' : data.status;
    // The address of a new picture is in the plan.
    if (data.status === 'succeeded') reloadSoon();
  }

  async function retry(spot) {
    if (await retryJob({ kind: spot.job.kind, id: spot.job.id })) await resource.refresh();
  }

  function render() {
    const { data } = resource;
    if (!data) return resource.error ? null : loading();
    const ready = data.spots.filter((spot) => spot.image_url).length;
    const failed = data.spots.filter((spot) => stateOf(spot) === 'failed').length;
    const words = t('plan.ready', { n: number(ready), of: number(data.spots.length) });
    return [
      h(
        'div.plan-progress',
        bar(ready, data.spots.length, words),
        h('p', { role: 'status' }, words, failed > 0 && h('span.error', t('plan.failed', { n: number(failed) }))),
      ),
      h('ul.gallery', data.spots.map(tile)),
    ];
  }

  function tile(spot) {
    const state = stateOf(spot);
    const { job } = spot;
    return h(
      'li.tile',
      { class: state, key: spot.spot_name, 'data-item': true, 'data-state': state },
      h('div.picture', state === 'ready' ? picture(spot) : placeholder(spot, state)),
      h(
        'div.caption',
        h('h2', job ? h('a', { href: jobLink(job.kind, job.id), 'data-row': true }, spot.spot_name) : spot.spot_name),
        h('span.muted', spot.area),
        h('p', spot.description),
      ),
    );
  }

  function picture(spot) {
    const { image_url: url, spot_name: name } = spot;
    const src = /^https?:/.test(url) ? url : picturePath(id, name);
    if (broken.has(src)) return h('div.message', icon('plans'), h('p', t('plan.broken')));
    const onerror = () => {
      broken.add(src);
      app.draw();
    };
    const onload = (event) => event.target.classList.add('loaded');
    return h('img', { src, alt: name, loading: 'lazy', decoding: 'async', onerror, onload, key: src });
  }

  function placeholder(spot, state) {
    const { job } = spot;
    const again = job?.attempts > 0 && { n: number(job.attempts + 1), of: number(job.max_attempts) };
    if (state === 'failed') {
      return h(
        'div.message',
        icon('failed'),
        h('strong', t('plan.tile_failed')),
        h('p.error', { title: job?.last_error }, job?.last_error),
        job && app.mayChange() && button(t('act.retry'), () => retry(spot), { name: 'retry', class: 'small', 'data-action': 'retry' }),
      );
    }
    const words = state === 'processing' ? t('plan.painting') : t('plan.waiting');
    return h('div.message', h('p', words), again && h('p.muted', t('plan.again', again)));
  }

  return {
    title: () => resource.data?.title ?? id,
    render,
    receive,
    resource: () => resource,
    jobs: () => spots().map((spot) => spot.job).filter(Boolean),
    stop: () => {
      clearTimeout(soon);
      resource.stop();
    },
  };
}

/** The rules of display: an address wins, then processing, then failed. */
export function stateOf(spot) {
  if (spot.image_url) return 'ready';
  if (spot.image_status === 'processing' || spot.image_status === 'failed') return spot.image_status;
  // Succeeded without an address yet: the next answer has it.
  return spot.image_status === 'succeeded' ? 'processing' : 'waiting';
}
