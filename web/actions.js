// What changes something. The address, and with it filters and page, stays as it is.
import { ask, count, number, post, reason, route, t, toast } from './kit.js';

async function attempt(work, done) {
	try {
		const result = await work;
		toast(done(result));
		return result;
	} catch (error) {
		toast(error.code === 'conflict' ? error.message : reason(error), 'bad');
		return null;
	}
}

const change = ({ kind, id }, action) => post(route(['jobs', kind, id, action]));

export const retryJob = job => attempt(change(job, 'retry'), () => t('done.retry', { n: 1 }));
export const runNow = job => attempt(change(job, 'run-now'), () => t('done.run-now', { n: 1 }));

// One request a job, a few at a time. `filter` says in words which jobs the list shows.
export async function changeAll(action, jobs, filter) {
	const n = number(jobs.length);
	const title = t(`ask.${action}`, { n });
	const kind = action === 'cancel' ? 'danger' : 'primary';
	if (!(await ask(title, t('ask.selected', { n, filter }), t(`act.${action}`), kind))) return false;
	let done = 0;
	const left = [...jobs];
	const run = async () => {
		for (let job = left.pop(); job; job = left.pop()) done += await change(job, action).then(() => 1, () => 0);
	};
	await Promise.all([run(), run(), run()]);
	const refused = jobs.length - done;
	const words = t(`done.${action}`, { n: done });
	toast(refused ? `${words} ${t('done.refused', { n: refused })}` : words, refused ? 'bad' : 'ok');
	return true;
}

// All failed jobs of a kind, or of one error; the server works through them.
export async function retryAll(body, matching, error) {
	const n = count(matching);
	const filter = error ? `${body.kind}, “${error}”` : `${body.kind}, ${t('status.failed')}`;
	if (!(await ask(t('ask.retry', { n }), t('ask.all', { n, filter }), t('act.retry_all', { n })))) return null;
	return attempt(post('/api/failed/retry', body), () => t('done.operation'));
}

export async function setPaused({ kind, paused, waiting }) {
	const action = paused ? 'resume' : 'pause';
	const text = t('ask.pause_text', { n: count(waiting), kind });
	if (!paused && !(await ask(t('ask.pause', { kind }), text, t('act.pause')))) return null;
	return attempt(post(route(['kinds', kind, action])), () => t(`done.${action}`, { kind }));
}
