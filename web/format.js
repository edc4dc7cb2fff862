// Numbers, times and durations in the language of the page.
import { language, t } from './strings.js';

export const number = n => n.toLocaleString(language());

// {n, capped} as "12" or "≥ 10,000"; a count that took too long is null.
export const count = value => (value ? (value.capped ? '≥ ' : '') + number(value.n) : '—');

export const percent = (part, whole) =>
	(whole ? part / whole : 0).toLocaleString(language(), { style: 'percent', maximumFractionDigits: 1 });

const format = (timeStyle, dateStyle) => when =>
	new Date(when).toLocaleString(language(), { hourCycle: 'h23', timeStyle, dateStyle });

export const clock = format('medium');
export const minute = format('short');
export const dateTime = format('medium', 'medium');

const UNITS = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];

// The largest units: "3 min 20 s".
export function duration(seconds, most = 2) {
	if (seconds > 0 && seconds < 1) return t('unit.ms', { n: Math.round(seconds * 1000) });
	let left = Math.max(0, Math.round(seconds));
	const from = UNITS.findIndex(([size]) => left >= size);
	if (from < 0) return t('unit.s', { n: 0 });
	const parts = UNITS.slice(from, from + most).map(([size, name]) => {
		const n = Math.floor(left / size);
		left -= n * size;
		return n > 0 ? t(`unit.${name}`, { n: number(n) }) : '';
	});
	return parts.filter(Boolean).join(language() === 'ja' ? '' : ' ');
}

// A time seen from now: "12 s ago", "in 3 min".
export function relative(when) {
	const seconds = (Date.now() - new Date(when)) / 1000;
	if (Math.abs(seconds) < 1) return t('time.now');
	return t(seconds > 0 ? 'time.ago' : 'time.in', { n: duration(Math.floor(Math.abs(seconds)), 1) });
}

export const shortId = id => `${id.slice(0, 8)}…${id.slice(-6)}`;
