// Numbers, times and durations in the language of the page.
import { language, t } from './strings.js';

const cache = new Map();
function formatter(make, key) {
  const name = language() + key;
  if (!cache.has(name)) cache.set(name, make(language()));
  return cache.get(name);
}

export const number = (n) => formatter((lang) => new Intl.NumberFormat(lang), 'n').format(n);

/** {n, capped} as "12" or "≥ 10,000"; a count that took too long is null. */
export function count(value) {
  if (!value) return '—';
  return (value.capped ? '≥ ' : '') + number(value.n);
}

export const percent = (part, whole) =>
  formatter(
    (lang) => new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: 1 }),
    '%',
  ).format(whole ? part / whole : 0);

const asDate = (when) => (when instanceof Date ? when : new Date(when));

export const clock = (when) =>
  formatter((lang) => new Intl.DateTimeFormat(lang, { timeStyle: 'medium', hourCycle: 'h23' }), 'c').format(
    asDate(when),
  );

export const minute = (when) =>
  formatter((lang) => new Intl.DateTimeFormat(lang, { timeStyle: 'short', hourCycle: 'h23' }), 'm').format(
    asDate(when),
  );

export const dateTime = (when) =>
  formatter(
    (lang) => new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }),
    'd',
  ).format(asDate(when));

const UNITS = [
  [86400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** The two largest units: "3 min 20 s". */
export function duration(seconds) {
  if (seconds < 1) return seconds > 0 ? t('unit.ms', { n: Math.round(seconds * 1000) }) : t('unit.s', { n: 0 });
  let left = Math.round(seconds);
  const parts = [];
  for (const [size, name] of UNITS) {
    const n = Math.floor(left / size);
    left -= n * size;
    if (n > 0) parts.push(t(`unit.${name}`, { n: number(n) }));
    if (parts.length === 2 || (parts.length && n === 0)) break;
  }
  return parts.join(language() === 'ja' ? '' : ' ');
}

/** A time seen from now: "12 s ago", "in 3 min". */
export function relative(when, now = Date.now()) {
  const seconds = (now - asDate(when).getTime()) / 1000;
  if (Math.abs(seconds) < 1) return t('time.now');
  const size = UNITS.find(([unit]) => Math.abs(seconds) >= unit) ?? UNITS[3];
  const n = t(`unit.${size[1]}`, { n: number(Math.floor(Math.abs(seconds) / size[0])) });
  return t(seconds > 0 ? 'time.ago' : 'time.in', { n });
}

export const shortId = (id) => (id.length > 18 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id);
