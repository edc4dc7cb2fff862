// Jobs a minute over the last hour: succeeded in the accent's colour, failed on top of them.
import { h, minute, t } from './kit.js';

const HEIGHT = 40;

const bars = (values, top) =>
	values.map((n, i) => {
		const height = Math.max(0.8, (HEIGHT * n) / top).toFixed(1);
		return n ? `M${i + 0.12} ${HEIGHT}h.76v-${height}h-.76z` : '';
	}).join('');

// `at` is the minute under the pointer, or null.
export function sparkline({ succeeded, failed, until }, at, hover) {
	const total = succeeded.map((n, i) => n + failed[i]);
	const most = Math.max(...total);
	const top = Math.max(4, most);
	const last = total.length - 1;
	const time = i => minute(new Date(until) - (last - i) * 60_000);
	const onpointermove = event => {
		const box = event.currentTarget.getBoundingClientRect();
		hover(Math.max(0, Math.min(last, Math.floor(((event.clientX - box.left) / box.width) * total.length))));
	};
	const label = t('spark.label', { most, now: total[last] });
	const chart = { viewBox: `0 0 ${total.length} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', label };
	const words =
		at === null ? t('spark.most', { n: most }) : t('spark.at', { time: time(at), ok: succeeded[at], bad: failed[at] });
	return h('figure.spark',
		h('svg', { ...chart, onpointermove, onpointerleave: () => hover(null) },
			at !== null && h('rect.at', { x: at, y: 0, width: 1, height: HEIGHT }),
			h('path.bad', { d: bars(total, top) }),
			h('path.ok', { d: bars(succeeded, top) })
		),
		h('figcaption', h('span', words), h('span', `${time(0)} – ${time(last)}`))
	);
}
