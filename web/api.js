// Requests to the server, and data that is loaded again and again without ever disappearing from view.
import { search } from './router.js';

const TIMEOUT = 10_000;

export class ApiError extends Error {
  constructor(status, code, message, retryAfter) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

let onSignedOut = () => {};
export const whenSignedOut = (callback) => {
  onSignedOut = callback;
};

async function request(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT),
      credentials: 'same-origin',
    });
  } catch (error) {
    const code = error.name === 'TimeoutError' ? 'timeout' : 'offline';
    throw new ApiError(0, code, error.message);
  }
  const text = await answer.text().catch(() => '');
  const data = parseJson(text);
  if (answer.ok) return data;
  if (answer.status === 401 && path !== '/api/session') onSignedOut();
  const error = data?.error ?? {};
  throw new ApiError(
    answer.status,
    error.code ?? `http_${answer.status}`,
    error.message ?? answer.statusText,
    Number(answer.headers.get('Retry-After')) || 0,
  );
}

function parseJson(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

export const get = (path) => request('GET', path);
export const post = (path, body) => request('POST', path, body);
export const del = (path) => request('DELETE', path);

const path = (...parts) => `/api/${parts.map(encodeURIComponent).join('/')}`;
export const jobPath = (kind, id, action) => path('jobs', kind, id, ...(action ? [action] : []));
export const kindPath = (kind, action) => path('kinds', kind, action);
export const planPath = (id) => path('plans', id);
export const picturePath = (id, spot) => path('plans', id, 'pictures', spot);

export const query = (base, params) => base + search(params);

// The last answers, so that a reload shows something even while the database is away.
const kept = (url) => `rowrunner.last.${url}`;
const KEEP_BYTES = 200_000;

export function keep(url, data, asOf) {
  try {
    const text = JSON.stringify({ data, asOf });
    if (text.length < KEEP_BYTES) sessionStorage.setItem(kept(url), text);
  } catch {
    forget();
  }
}

export function recall(url) {
  try {
    return JSON.parse(sessionStorage.getItem(kept(url)));
  } catch {
    return null;
  }
}

/** Removes every kept answer: after a sign-out, or when there is no room. */
export function forget() {
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith('rowrunner.last.')) sessionStorage.removeItem(key);
    }
  } catch {
    // No storage, nothing kept.
  }
}

/**
 * Loads a URL now and then while the page is visible. `data` stays what it was when a request fails:
 * then `error` says why, and `asOf` how old the data is.
 */
export class Resource {
  constructor(url, { every = 5000, changed }) {
    Object.assign(this, { url, every, changed, data: null, asOf: null, error: null, failures: 0, stopped: false });
    const last = recall(url);
    if (last) Object.assign(this, { data: last.data, asOf: last.asOf, recalled: true });
    this.shown = () => document.visibilityState === 'visible' && this.refresh();
    document.addEventListener('visibilitychange', this.shown);
    this.refresh();
  }

  get stale() {
    return Boolean(this.data && (this.error || this.data.stale));
  }

  refresh() {
    if (this.stopped) return Promise.resolve();
    clearTimeout(this.timer);
    this.running ??= this.load().finally(() => {
      this.running = null;
      this.schedule();
    });
    return this.running;
  }

  async load() {
    try {
      this.accept(await get(this.url));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.error = error;
      this.failures += 1;
    }
    if (!this.stopped) this.changed(this);
  }

  /** Takes newer data, loaded or pushed. */
  accept(data) {
    this.data = data;
    this.asOf = data?.as_of ?? new Date().toISOString();
    this.error = null;
    this.failures = 0;
    this.recalled = false;
    keep(this.url, data, this.asOf);
  }

  schedule() {
    if (this.stopped || document.visibilityState !== 'visible') return;
    // Many pages must not hammer a server in trouble.
    const wait = Math.min(30_000, this.every * 2 ** Math.min(this.failures, 4));
    this.timer = setTimeout(() => this.refresh(), wait * (0.9 + Math.random() * 0.2));
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    document.removeEventListener('visibilitychange', this.shown);
  }
}
