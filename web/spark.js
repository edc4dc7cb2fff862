// Jobs a minute over the last hour: succeeded in the accent's colour, failed on top of them.
import { h } from './dom.js';
import { minute, number } from './format.js';
import { t } from './strings.js';

const HEIGHT = 40;

function bars(values, from, top) {
  return values
    .map((n, i) => {
      if (!n) return '';
      const y = HEIGHT - (HEIGHT * (from[i] + n)) / top;
      const height = Math.max(0.8, (HEIGHT * n) / top);
      return `M${i + 0.12} ${y.toFixed(2)}h.76v${height.toFixed(2)}h-.76z`;
    })
    .join('');
}

export function sparkline(series, hover, onHover) {
  const { succeeded, failed, until } = series;
  const total = succeeded.map((n, i) => n + failed[i]);
  const top = Math.max(4, ...total);
  const last = total.length - 1;
  const at = hover ?? null;
  const time = (i) => minute(new Date(new Date(until).getTime() - (last - i) * 60_000));
  const show = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const i = Math.floor(((event.clientX - box.left) / box.width) * total.length);
    onHover(Math.max(0, Math.min(last, i)));
  };
  const most = number(Math.max(...total));
  const label = t('spark.label', { most, now: number(total[Math.max(0, last - 1)]) });
  const words =
    at === null
      ? t('spark.most', { n: most })
      : t('spark.at', { time: time(at), ok: number(succeeded[at]), bad: number(failed[at]) });
  return h(
    'figure.spark',
    h(
      'svg',
      {
        viewBox: `0 0 ${total.length} ${HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': label,
        onPointerMove: show,
        onPointerLeave: () => onHover(null),
      },
      at !== null && h('rect.at', { x: at, y: 0, width: 1, height: HEIGHT }),
      h('path.ok', { d: bars(succeeded, total.map(() => 0), top) }),
      h('path.bad', { d: bars(failed, succeeded, top) }),
    ),
    h('figcaption', h('span', words), h('span', `${time(0)} – ${time(last)}`)),
  );
}
