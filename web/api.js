// Requests to the server.
import { search } from './router.js';

const TIMEOUT = 10_000;

// Called when the server no longer knows who asks.
export const hooks = {};

const failure = (message, status, code) => Object.assign(new Error(message), { status, code });

export async function get(path, method = 'GET', body) {
	const headers = body && { 'Content-Type': 'application/json' };
	let answer;
	let data;
	try {
		const signal = AbortSignal.timeout(TIMEOUT);
		answer = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal });
		data = JSON.parse((await answer.text()) || 'null');
	} catch ({ name, message }) {
		// An error whose body is no JSON is still an answer.
		if (!answer || answer.ok) throw failure(message, 0, name === 'TimeoutError' ? 'timeout' : 'offline');
	}
	if (answer.ok) return data;
	if (answer.status === 401 && path !== '/api/session') hooks.signedOut();
	// Routes of document 003 answer {"detail": …}.
	const { code, message = data?.detail ?? answer.statusText } = data?.error ?? {};
	throw failure(message, answer.status, code);
}

export const post = (path, body) => get(path, 'POST', body);

export const route = (parts, params = {}) => `/api/${parts.map(encodeURIComponent).join('/')}${search(params)}`;

// The last answers, so that a reload shows something even while the database is away.
export function keep(url, data, asOf) {
	try {
		sessionStorage[url] = JSON.stringify({ data, asOf });
	} catch {
		forget(); // there is no room
	}
}

export function recall(url) {
	try {
		return JSON.parse(sessionStorage[url]);
	} catch {
		return null;
	}
}

export function forget() {
	try {
		sessionStorage.clear();
	} catch {} // no storage, nothing kept
}

// Loads a URL now and then. When that fails, `data` stays and `asOf` tells how old it is.
export class Resource {
	constructor(url, changed, every = 5000) {
		Object.assign(this, { url, changed, every, data: null, error: null, failures: 0 }, recall(url));
		this.refresh = this.refresh.bind(this);
		document.addEventListener('visibilitychange', this.refresh);
		this.refresh();
	}

	get stale() {
		return Boolean(this.data && (this.error || this.data.stale));
	}

	refresh() {
		clearTimeout(this.timer);
		if (this.stopped || document.hidden) return null;
		this.running ??= this.load().finally(() => {
			this.running = null;
			// Many pages must not hammer a server in trouble.
			const wait = Math.min(30_000, this.every * 2 ** Math.min(this.failures, 4));
			if (!this.stopped) this.timer = setTimeout(this.refresh, wait * (0.9 + Math.random() * 0.2));
		});
		return this.running;
	}

	async load() {
		try {
			this.accept(await get(this.url));
		} catch (error) {
			this.error = error;
			this.failures += 1;
		}
		if (!this.stopped) this.changed();
	}

	// Takes newer data, loaded or pushed.
	accept(data) {
		const asOf = data?.as_of ?? new Date().toISOString();
		Object.assign(this, { data, asOf, error: null, failures: 0 });
		keep(this.url, data, asOf);
	}

	stop() {
		this.stopped = true;
		clearTimeout(this.timer);
		document.removeEventListener('visibilitychange', this.refresh);
	}
}
