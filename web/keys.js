// j and k move the focus along the rows (.row); the other keys press what is on the page.
import { dialog, h, t } from './kit.js';

const KEYS = ['j', 'k', 'x', '/', 'r', 't', '?', 'esc'];

const find = selector => document.querySelector(`main ${selector}`);
const currentItem = () => document.activeElement?.closest('.item');

function move(step) {
	const rows = [...document.querySelectorAll('main .row')];
	const item = currentItem();
	const at = rows.findIndex(row => item?.contains(row));
	const next = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step))];
	next?.focus();
	next?.closest('.item').scrollIntoView({ block: 'nearest' });
}

// A selection is meant before the row with the focus, and that before the whole page.
function retry() {
	(find('.actions .retry') ?? currentItem()?.querySelector('.retry') ?? find('header .retry'))?.click();
}

export function listenToKeys(app) {
	const acts = {
		j: () => move(1),
		k: () => move(-1),
		x: () => currentItem()?.querySelector('[type=checkbox]')?.click(),
		'/': () => find('[type=search]')?.focus(),
		r: retry,
		t: app.switchTheme,
		'?': showKeys
	};
	addEventListener('keydown', event => {
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
	const list = KEYS.map(key => [h('dt', h('kbd', key)), h('dd', t(`keys.${key}`))]);
	const close = h('button.button.primary', { autofocus: true }, t('keys.close'));
	dialog(t('keys.title'), h('dl.keys', list), close);
}
