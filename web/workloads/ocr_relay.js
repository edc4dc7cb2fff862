// The OCR relay: its jobs, each with its deliveries and what the receiver answered; send again, one or all.
import { addWords, ask, button, empty, get, h, link, pages, pill, post, reason, Resource, route, search, t, toast, when } from '../kit.js';
import { rows } from '../rows.js';

addWords(`
#relay
undelivered|Not delivered|未配信
retrying|Tried again later|再送待ち
jobs|Jobs|ジョブ
none|No job was relayed yet|まだ連携ジョブはありません
all_delivered|Everything was delivered|すべて配信済みです
answer|Answer {n}|応答 {n}
no_answer|No answer|応答なし
tries|attempt {n} of {of}|{n}／{of}回目
body|What the receiver answered|受信側の応答
payload|What was sent|送信内容
job|Deliveries of {id}|{id} の配信
again_title|Send {n} {n:event|events} again?|{n}件を再送しますか？
many_title|Send all of them, more than {n}, again?|{n}件を超えるすべてを再送しますか？
again_text|The receivers get the events once more, under the same ids.|同じIDでもう一度送信します。
sent|{n} queued|{n}件を待機列に入れました
#act
send_again|Send again|再送
send_all|Send all again|すべて再送`);

const base = '/api/webhooks';

async function attempt(work, done) {
	try {
		toast(done(await work));
	} catch (error) {
		toast(error.code === 'conflict' ? error.message : reason(error), 'bad');
	}
}

// The server takes a thousand at a time. Those that fail again at once could go round for ever.
async function sendEach() {
	let all = 0;
	for (let round = 0; round < 100; round += 1) {
		const { sent, complete } = await post(`${base}/send-again`);
		all += sent;
		if (complete) break;
	}
	return all;
}

// What was sent and answered is read when a delivery is opened.
function opener(app) {
	const details = new Map();
	return one => {
		const ontoggle = async ({ target }) => {
			if (!target.open || details.has(one.id)) return;
			details.set(one.id, await get(`${base}/deliveries/${one.id}`).catch(() => null));
			app.draw();
		};
		const found = details.get(one.id);
		return h('details', { ontoggle },
			h('summary', one.answer_status ? t('relay.answer', { n: one.answer_status }) : t('relay.no_answer')),
			found && h('h3', t('relay.body')),
			found && h('pre', { tabindex: 0, label: t('relay.body') }, found.answer ?? '—'),
			found && h('h3', t('relay.payload')),
			found && h('pre', { tabindex: 0, label: t('relay.payload') }, JSON.stringify(found.payload, null, 2))
		);
	};
}

function deliveries(app, refresh) {
	const open = opener(app);
	const again = one => attempt(post(`${base}/deliveries/${one.id}/send-again`), () => t('relay.sent', { n: 1 })).then(refresh);
	const item = one =>
		h('li.card.delivery.item', { key: one.id },
			pill(one.status),
			h('div',
				h('strong', one.event), ' ', h('span.muted', one.url),
				h('p.muted', one.source && h('a', { href: link('relay_job', {}, one.source) }, one.source), ' ', t('relay.tries', { n: one.attempts, of: one.max_attempts }), ' · ', when(one.at)),
				one.last_error && one.status !== 'succeeded' && h('p.error', one.last_error),
				open(one)
			),
			app.mayChange() && ['failed', 'cancelled', 'succeeded'].includes(one.status) && button('send_again', () => again(one), 'small')
		);
	return items => h('ul.deliveries', items.map(item));
}

function relay(app) {
	const resource = new Resource('/api/jobs?kind=ocr_relay&limit=50', app.draw);
	const failed = new Resource(`${base}/undelivered`, app.draw, 10_000);
	const later = new Resource(`${base}/retrying`, app.draw, 10_000);
	const refresh = () => [failed, later].forEach(one => one.refresh());
	const list = deliveries(app, refresh);

	async function sendAll() {
		const { items, next } = failed.data;
		const n = items.length;
		if (!(await ask(t(next ? 'relay.many_title' : 'relay.again_title', { n }), t('relay.again_text'), t('act.send_all')))) return;
		await attempt(sendEach(), sent => t('relay.sent', { n: sent }));
		refresh();
	}

	const section = (name, { data }, more) =>
		data?.items.length > 0 && h('section', { key: name, label: t(`relay.${name}`) }, h('h2', t(`relay.${name}`), ' ', more), list(data.items));

	function render() {
		const { items } = resource.data;
		const bad = failed.data?.items.length > 0;
		return [
			section('undelivered', failed, bad && app.mayChange() && button('send_all', sendAll, 'small')),
			section('retrying', later),
			failed.data && !bad && items.length > 0 && h('p.muted', t('relay.all_delivered')),
			items.length
				? h('section.list', { label: t('relay.jobs') }, h('h2', t('relay.jobs')), rows(items, {}), h('ul.sources', items.map(source)))
				: empty(t('relay.none'), 'curl -X POST …/jobs')
		];
	}

	// A row leads to the engine's view of the job; this to its deliveries.
	const source = ({ own, id }) => own.job_id && h('li', { key: id }, h('a', { href: link('relay_job', {}, own.job_id) }, t('relay.job', { id: own.job_id })));

	return {
		resource,
		render,
		jobs: () => resource.data?.items.filter(job => ['queued', 'processing'].includes(job.status)) ?? [],
		receive({ type, data }) {
			const row = type === 'job' && resource.data?.items.find(job => job.id === data.id);
			if (row) Object.assign(row, data);
		},
		stop: () => [failed, later].forEach(one => one.stop())
	};
}

function relayJob(app) {
	const [id] = app.route.parts;
	const { params } = app.route;
	const resource = new Resource(`${route(['webhooks', 'about', id])}${search({ after: params.after, limit: 100 })}`, app.draw);
	const list = deliveries(app, resource.refresh);
	return {
		title: () => t('relay.job', { id }),
		resource,
		render: () => (resource.data.items.length ? [list(resource.data.items), pages('relay_job', params, resource.data.next, id)] : empty(t('relay.none')))
	};
}

export default { relay, relay_job: relayJob };
