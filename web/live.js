// One connection for the events of all tabs: HTTP/1.1 allows six to a server. The tab with the Web Lock holds
// it and shares it by BroadcastChannel. Without Web Locks (they need https or localhost) each tab has its own.

const MOST_JOBS = 200; // fits into a request line of 8 kB
const NAME = 'rowrunner.events';
const tab = Math.random().toString(36).slice(2);
const channel = navigator.locks && self.BroadcastChannel ? new BroadcastChannel(NAME) : null;

let listener;
const watchers = new Map(); // tab -> ["kind:id"], or null for nothing at all
let mine = null;
let leading = false;
let source = null;
let opened = '';
let timer = 0;
let state = 'connecting';

export const liveState = () => state;

// The jobs that this tab shows beside the overview, or null after a sign-out.
export function watch(jobs) {
	const next = jobs && jobs.map(({ kind, id }) => `${kind}:${id}`).sort();
	if (String(next) === String(mine)) return;
	mine = next;
	announce();
}

function announce() {
	// A hidden tab watches nothing; it loads its data when it is shown.
	const wanted = document.hidden ? null : mine;
	channel?.postMessage({ type: 'watch', tab, wanted });
	setWatcher(tab, wanted);
}

// The last tab that said something comes last.
function setWatcher(name, wanted) {
	watchers.delete(name);
	watchers.set(name, wanted);
	clearTimeout(timer);
	if (leading) timer = setTimeout(connect, 150);
}

function emit(message) {
	if (message.type === 'state') state = message.state;
	listener(message);
}

function tell(message) {
	channel?.postMessage(message);
	emit(message);
}

function onMessage({ data }) {
	if (data.type === 'watch') {
		setWatcher(data.tab, data.wanted);
		if (leading) channel.postMessage({ type: 'state', state });
	} else if (data.type === 'bye') watchers.delete(data.tab);
	else if (data.type === 'who') announce();
	else if (!leading) emit(data);
}

// The newest wishes first, up to the limit.
function address() {
	const wishes = [...watchers.values()].filter(Boolean).reverse();
	const kinds = new Map();
	for (const job of [...new Set(wishes.flat())].slice(0, MOST_JOBS)) {
		const [kind, id] = job.split(':');
		kinds.set(kind, [...(kinds.get(kind) ?? []), id]);
	}
	const jobs = [...kinds].map(([kind, ids]) => `${kind}:${ids}`).join(';');
	return wishes.length && `/api/events?overview=1${jobs && `&jobs=${jobs}`}`;
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
		if (source?.readyState === EventSource.CLOSED) timer = setTimeout(connect, 5000 + Math.random() * 5000);
	};
	for (const type of ['job', 'overview', 'resync']) {
		source.addEventListener(type, event => tell({ type, data: JSON.parse(event.data) }));
	}
}

function lead() {
	leading = true;
	channel?.postMessage({ type: 'who' });
	announce();
	return new Promise(() => {}); // until the tab closes
}

// Begins to pass events to the listener.
export function start(to) {
	if (listener) return;
	listener = to;
	if (channel) channel.onmessage = onMessage;
	document.addEventListener('visibilitychange', announce);
	addEventListener('pagehide', () => channel?.postMessage({ type: 'bye', tab }));
	announce();
	if (channel) navigator.locks.request(NAME, lead);
	else lead();
}
