// The keyboard. j and k move the focus along the rows ([data-row]); the other keys press what is on the
// page, so a key never does what a button could not.
import { dialog, h, t } from './kit.js';

const KEYS = ['j', 'k', 'x', '/', 'r', 't', '?', 'esc'];

const find = (selector) => document.querySelector(`main ${selector}`);
const currentItem = () => document.activeElement?.closest('[data-item]');

function move(step) {
	const rows = [...document.querySelectorAll('main [data-row]')];
	const item = currentItem();
	const at = rows.findIndex((row) => item?.contains(row));
	const next = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step))];
	next?.focus();
	next?.closest('[data-item]').scrollIntoView({ block: 'nearest' });
}

/** A selection is meant before the row with the focus, and that before the whole page. */
function retry() {
	const action = '[data-action=retry]';
	(find(`[data-bulk] ${action}`) ?? currentItem()?.querySelector(action) ?? find(`header ${action}`))?.click();
}

export function listenToKeys(app) {
	const acts = {
		j: () => move(1),
		k: () => move(-1),
		x: () => currentItem()?.querySelector('input[type=checkbox]')?.click(),
		'/': () => find('[data-search]')?.focus(),
		r: retry,
		t: app.switchTheme,
		'?': showKeys,
	};
	addEventListener('keydown', (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
		const typing = event.target.closest?.('input:not([type=checkbox]), select, textarea');
		if (event.key === 'Escape') {
			if (typing) typing.blur();
			else app.view?.escape?.();
		} else if (!typing && acts[event.key]) {
			event.preventDefault();
			acts[event.key]();
		}
	});
}

export function showKeys() {
	const list = KEYS.map((key) => [h('dt', h('kbd', key)), h('dd', t(`keys.${key}`))]);
	const close = h('button.button.primary', { autofocus: true }, t('keys.close'));
	dialog(t('keys.title'), h('dl.keys', list), close);
}
