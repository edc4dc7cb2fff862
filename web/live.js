// All tabs of a browser share one connection for events: HTTP/1.1 allows six to a server. The tab that gets
// the Web Lock is the leader and holds the connection; it hears by BroadcastChannel what the others watch
// and passes events on. When it closes, the browser gives the lock to another tab. Without Web Locks (they
// need https or localhost) each visible tab has a connection of its own.

const MOST_JOBS = 200; // fits into a request line of 8 kB
const tab = Math.random().toString(36).slice(2);
const channel = navigator.locks && self.BroadcastChannel ? new BroadcastChannel('rowrunner.events') : null;

const listeners = new Set();
const watchers = new Map(); // tab -> {jobs: ["kind:id"], overview, at}
let mine = { jobs: [], overview: false };
let leading = false;
let source = null;
let opened = '';
let reopen = 0;
let state = 'connecting';

export const liveState = () => state;

export function onEvent(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What this tab shows now; replaces what it watched before. */
export function watch({ jobs = [], overview = false }) {
  const next = { jobs: jobs.map((job) => `${job.kind}:${job.id}`).sort(), overview };
  if (JSON.stringify(next) === JSON.stringify(mine)) return;
  mine = next;
  announce();
}

/** The last tab that said something comes last. */
function setWatcher(name, wanted) {
  watchers.delete(name);
  watchers.set(name, wanted);
}

function announce() {
  // A hidden tab watches nothing; it loads its data when it is shown.
  const wanted = document.visibilityState === 'visible' ? mine : { jobs: [], overview: false };
  setWatcher(tab, wanted);
  channel?.postMessage({ type: 'watch', tab, wanted });
  if (leading) connectSoon();
}

function emit(message) {
  if (message.type === 'state') state = message.state;
  for (const listener of listeners) listener(message);
}

function tell(message) {
  channel?.postMessage(message);
  emit(message);
}

function onMessage({ data }) {
  if (data.type === 'watch') {
    setWatcher(data.tab, data.wanted);
    if (leading) {
      connectSoon();
      channel.postMessage({ type: 'state', state });
    }
  } else if (data.type === 'bye') {
    watchers.delete(data.tab);
  } else if (data.type === 'who') {
    announce();
  } else if (!leading) {
    emit(data);
  }
}

function address() {
  const jobs = new Map();
  let overview = false;
  let n = 0;
  for (const wanted of [...watchers.values()].reverse()) {
    overview ||= wanted.overview;
    for (const job of wanted.jobs) {
      const [kind, id] = job.split(':');
      if (!jobs.has(kind)) jobs.set(kind, new Set());
      if (!jobs.get(kind).has(id) && n < MOST_JOBS) {
        jobs.get(kind).add(id);
        n += 1;
      }
    }
  }
  const list = [...jobs].filter(([, ids]) => ids.size).map(([kind, ids]) => `${kind}:${[...ids].join(',')}`);
  const parts = [];
  if (list.length) parts.push(`jobs=${list.join(';')}`);
  if (overview) parts.push('overview=1');
  return parts.length ? `/api/events?${parts.join('&')}` : '';
}

function connectSoon() {
  clearTimeout(reopen);
  reopen = setTimeout(connect, 150);
}

function connect() {
  const url = address();
  if (url === opened && source && source.readyState !== EventSource.CLOSED) return;
  source?.close();
  source = null;
  opened = url;
  if (!url) return;
  source = new EventSource(url);
  source.onopen = () => tell({ type: 'state', state: 'live' });
  source.onerror = () => {
    tell({ type: 'state', state: 'lost' });
    // The browser gives up after an answer that is no stream (401, 503): try again later.
    if (source?.readyState === EventSource.CLOSED) reopen = setTimeout(connect, 5000 + Math.random() * 5000);
  };
  for (const type of ['job', 'overview', 'resync']) {
    source.addEventListener(type, (event) => tell({ type, data: JSON.parse(event.data) }));
  }
}

function lead() {
  leading = true;
  channel?.postMessage({ type: 'who' });
  announce();
  return new Promise(() => {}); // until the tab closes
}

let started = false;

/** Begins; called after each sign-in. */
export function start() {
  if (started) return;
  started = true;
  if (channel) channel.onmessage = onMessage;
  document.addEventListener('visibilitychange', announce);
  addEventListener('pagehide', () => channel?.postMessage({ type: 'bye', tab }));
  addEventListener('pageshow', (event) => event.persisted && announce());
  announce();
  if (channel) navigator.locks.request('rowrunner.events', lead).catch(() => {});
  else lead();
}
