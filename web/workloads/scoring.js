// Scoring: runs, and each as a grid of chunks with its speed, cache hits, cost and time left.
import { addWords, bar, button, duration, empty, h, link, number, pill, post, reason, Resource, route, t, toast, when } from '../kit.js';

addWords(`
#scoring
none|No sheet was scored yet|まだ採点はありません
rows|{n} rows, {of} blocks|{n}行・{of}ブロック
done|{n} of {of} scores|{of}件中{n}件
speed|{n} rows a second|毎秒{n}行
hits|{n} from the cache|キャッシュ {n}件
calls|{n} calls|呼び出し {n}回
cost|cost {n}|費用 {n}
left|{age} left|残り {age}
limit|limit {n} calls a second|上限 毎秒{n}回
waits_for|waits: {why}|待機理由: {why}
why_retry-after|the service asked for a pause|サービスからの待機指示
why_plan|no plan for this second|配分待ち
why_concurrency|calls at a time|同時呼び出し数
why_rate|calls a second|毎秒の呼び出し数
failed_blocks|{n} failed|失敗 {n}件
chunks|Chunks|チャンク
chunk|{id}: rows {from} to {to}, {status}, {n} retries|{id}：{from}〜{to}行、{status}、再試行{n}回
export|Download scores|結果をダウンロード
started|{n} {n:chunk|chunks} queued|{n}チャンクを待機列に入れました
pending|waiting|待機中
running|running|実行中
completed|completed|完了
failed|failed|失敗
#act
resume_run|Resume|再開
retry_failed|Retry failed rows|失敗行を再試行`);

const LOOK = { pending: 'queued', running: 'processing', completed: 'succeeded', failed: 'failed' };
const state = status => pill(LOOK[status] ?? 'held', LOOK[status] ? t(`scoring.${status}`) : status);

function scoring(app) {
	const resource = new Resource('/api/scoring/runs', app.draw);
	const card = one =>
		h('li.card.run.item', { key: one.run },
			state(one.status),
			h('div',
				h('a.row', { href: link('scoring_run', {}, one.run) }, h('strong', one.run)),
				h('p.muted', `${one.provider} ${one.model ?? ''} · `, t('scoring.rows', { n: one.rows, of: one.blocks }), ' · ', when(one.created_at))
			)
		);
	const render = () =>
		resource.data.items.length
			? h('ul.runs', resource.data.items.map(card))
			: empty(t('scoring.none'), 'rowrunner scoring run --sheet FILE.csv --categories FILE.json --out FILE');
	return { resource, render };
}

function scoringRun(app) {
	const [name] = app.route.parts;
	const resource = new Resource(route(['scoring', 'runs', name]), app.draw, 2000);
	const chunks = new Resource(route(['scoring', 'runs', name, 'chunks']), app.draw, 3000);

	async function change(action) {
		try {
			const { chunks: n } = await post(route(['scoring', 'runs', name, action]), {});
			toast(t('scoring.started', { n }));
		} catch (error) {
			toast(error.code === 'conflict' ? error.message : reason(error), 'bad');
		}
		resource.refresh();
	}

	function figures(run, total) {
		const done = run.processed_blocks + run.failed_blocks;
		return [
			t('scoring.done', { n: done, of: total }),
			run.rows_a_second > 0 && t('scoring.speed', { n: number(Math.round(run.rows_a_second)) }),
			t('scoring.hits', { n: run.cache_hits }),
			t('scoring.calls', { n: run.calls }),
			run.cost > 0 && t('scoring.cost', { n: run.cost }),
			run.failed_blocks > 0 && t('scoring.failed_blocks', { n: run.failed_blocks }),
			run.limit_rate > 0 && t('scoring.limit', { n: number(Math.round(run.limit_rate)) }),
			run.waits_for && t('scoring.waits_for', { why: t(`scoring.why_${run.waits_for}`) }),
			run.eta_seconds > 0 && t('scoring.left', { age: duration(run.eta_seconds) })
		].filter(Boolean);
	}

	function cell(one) {
		const { chunk_id: id, row_start: from, row_end: to, retry_count: n, status } = one;
		const title = t('scoring.chunk', { id, from, to, n, status: t(`scoring.${status}`) });
		return h('li', { key: id, class: status, title: one.last_error ? `${title}: ${one.last_error}` : title }, h('span.hidden', title));
	}

	function render() {
		const run = resource.data;
		const total = run.rows * run.blocks;
		const words = t('scoring.done', { n: run.processed_blocks, of: total });
		return [
			h('section.card.run-head',
				h('p.line', state(run.status), figures(run, total).map(one => h('span', { key: one }, one))),
				bar(run.processed_blocks + run.failed_blocks, total, words),
				run.reason && h('p.error', run.reason),
				h('div.buttons',
					app.mayChange() && run.status === 'failed' && button('resume_run', () => change('resume'), 'primary'),
					app.mayChange() && run.status === 'completed' && run.failed_blocks > 0 && button('retry_failed', () => change('retry-failed')),
					run.processed_blocks > 0 && h('a.button', { href: route(['scoring', 'runs', name, 'export']), download: `${name}.csv` }, t('scoring.export'))
				)
			),
			chunks.data && h('section', { label: t('scoring.chunks') }, h('h2', t('scoring.chunks')), h('ul.chunks', chunks.data.map(cell)))
		];
	}

	return { title: () => name, resource, render, stop: () => chunks.stop() };
}

export default { scoring, scoring_run: scoringRun };
