// Asks for a token once; the server answers with a cookie that scripts cannot read.
import { post } from './api.js';
import { h } from './dom.js';
import { t } from './strings.js';
import { loading, reason } from './ui.js';

export default function signIn(app) {
  let wrong = '';
  let busy = false;

  async function submit(event) {
    event.preventDefault();
    const token = new FormData(event.target).get('token').trim();
    if (!token || busy) return;
    busy = true;
    app.draw();
    try {
      app.signedIn(await post('/api/session', { token }));
    } catch (error) {
      wrong = error.status === 401 || error.status === 400 ? t('sign_in.wrong') : reason(error);
    }
    busy = false;
    app.draw();
  }

  function render() {
    if (app.problem) return h('div.card.sign-in', h('h1', reason(app.problem)), loading());
    const input = { id: 'token', name: 'token', type: 'password', required: true, autocomplete: 'current-password' };
    const invalid = wrong ? { 'aria-invalid': 'true', 'aria-describedby': 'wrong' } : {};
    return h(
      'form.card.sign-in',
      { onsubmit: submit },
      h('h1', t('sign_in.title')),
      h('label', { for: 'token' }, t('sign_in.token')),
      h('input', { ...input, ...invalid, made: (el) => el.focus() }),
      h('p.error', { id: 'wrong', role: 'alert' }, wrong),
      h('button.button.primary', { disabled: busy }, t('sign_in.go')),
      h('p.muted', t('sign_in.how')),
      h('pre', 'rowrunner tokens add --user ann --role operator'),
    );
  }

  return { title: () => t('sign_in.title'), render };
}
