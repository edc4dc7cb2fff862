// Asks for a token once; the server answers with a cookie that scripts cannot read.
import { h, loading, post, reason, t } from './kit.js';

export default function signIn(app) {
	let wrong = '';

	async function onsubmit(event) {
		event.preventDefault();
		try {
			app.signedIn(await post('/api/session', { token: event.target.elements.token.value.trim() }));
		} catch (error) {
			wrong = error.status === 401 || error.status === 400 ? t('sign_in.wrong') : reason(error);
			app.draw();
		}
	}

	function render() {
		if (app.problem) return h('div.card.sign-in', h('h1', reason(app.problem)), loading());
		const invalid = wrong ? { 'aria-invalid': 'true', 'aria-describedby': 'wrong' } : {};
		const input = { id: 'token', type: 'password', required: true, autocomplete: 'current-password', ...invalid };
		return h('form.card.sign-in', { onsubmit },
			h('h1', t('sign_in.title')),
			h('label', { for: 'token' }, t('sign_in.token')),
			h('input', { ...input, made: el => setTimeout(() => el.focus()) }),
			h('p.error', { id: 'wrong', role: 'alert' }, wrong),
			h('button.button.primary', t('sign_in.title')),
			h('p.muted', t('sign_in.how')),
			h('pre', 'rowrunner tokens add --user ann --role operator')
		);
	}

	return { render };
}
