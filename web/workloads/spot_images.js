// Spot images: travel plans, and each as a gallery.
import { retryJob } from '../actions.js';
import { addWords, bar, button, empty, h, icon, jobLink, link, Resource, route, t, when } from '../kit.js';

addWords(`
#plans
none|Import a plan first|まずプランを取り込んでください
#plan
ready|{n} of {of} pictures are ready|{of}枚中{n}枚が完成
failed|{n} failed|{n}枚が失敗
processing|Painting …|生成中…
waiting|Waiting|待機中
again|attempt {n} of {of}|{n}／{of}回目
tile_failed|No picture|生成に失敗しました
broken|The picture could not be loaded|画像を読み込めませんでした`);

// The plans, newest first.
function plans(app) {
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

// A plan as a gallery that fills by itself.
function plan(app) {
	const [id] = app.route.parts;
	const resource = new Resource(route(['plans', id]), app.draw, 10_000);
	let soon = 0;

	const spots = () => resource.data?.spots ?? [];

	function receive({ type, data }) {
		const spot = type === 'job' && data.status && spots().find(one => one.job?.id === data.id);
		if (spot && spot.job.status !== data.status) {
			Object.assign(spot.job, data);
			spot.image_status = ['queued', 'cancelled'].includes(data.status) ? 'not_started' : data.status;
		}
		// The address of a new picture is in the plan.
		if (!spot || data.status !== 'succeeded' || spot.image_url) return;
		clearTimeout(soon);
		soon = setTimeout(resource.refresh, 100);
	}

	function picture({ image_url: url, spot_name: alt }) {
		const src = /^https?:/.test(url) ? url : route(['plans', id, 'pictures', alt]);
		const onload = ({ target }) => target.classList.add('loaded');
		const onerror = event => {
			event.target.alt = t('plan.broken');
			onload(event);
		};
		return h('img', { src, alt, loading: 'lazy', onload, onerror, key: src });
	}

	function failure({ job }) {
		const retry = async () => (await retryJob(job)) && resource.refresh();
		return h('div.message',
			icon('failed'),
			h('strong', t('plan.tile_failed')),
			h('p.error', job?.last_error),
			job && app.mayChange() && button('retry', retry, 'small')
		);
	}

	function waiting({ job }, state) {
		const again = job?.attempts > 0 && t('plan.again', { n: job.attempts + 1, of: job.max_attempts });
		return h('div.message', h('p', t(`plan.${state}`)), h('p.muted', again));
	}

	function tile(spot) {
		const state = stateOf(spot);
		const { job, spot_name: name, area, description } = spot;
		const content = { ready: picture, failed: failure }[state] ?? waiting;
		return h('li.tile.item', { class: state, key: name },
			h('div.picture', content(spot, state)),
			h('div.caption',
				h('h2', job ? h('a.row', { href: jobLink(job) }, name) : name),
				h('span.muted', area),
				h('p', description)
			)
		);
	}

	function render() {
		const count = state => spots().filter(spot => stateOf(spot) === state).length;
		const [ready, failed, all] = [count('ready'), count('failed'), spots().length];
		const words = t('plan.ready', { n: ready, of: all });
		const bad = failed > 0 && h('span.error', t('plan.failed', { n: failed }));
		return [
			h('div.plan-progress', bar(ready, all, words), h('p.line', { role: 'status' }, h('span', words), bad)),
			h('ul.gallery', spots().map(tile))
		];
	}

	return {
		title: () => resource.data?.title ?? id,
		resource,
		render,
		receive,
		jobs: () => spots().map(spot => spot.job).filter(Boolean)
	};
}

// The rules of display: an address wins, then processing, then failed.
function stateOf({ image_url: url, image_status: status }) {
	if (url) return 'ready';
	// Succeeded without an address: the next answer has it.
	if (status === 'processing' || status === 'succeeded') return 'processing';
	return status === 'failed' ? 'failed' : 'waiting';
}

export default { plans, plan };
