// Wires the page: who is signed in, which view the address names, the frame around it, live events.
import { frame } from './frame.js';
import { listenToKeys } from './keys.js';
import { forget, get, hooks, keep, link, parse, patch, recall, Resource, setLanguage, t, toast } from './kit.js';
import { start, watch } from './live.js';
import failed from './view-failed.js';
import job from './view-job.js';
import jobs from './view-jobs.js';
import overview from './view-overview.js';
import signIn from './view-sign-in.js';
import workers from './view-workers.js';
import { load, waiting, workloadOf } from './workloads.js';

const VIEWS = { overview, jobs, failed, job, workers };
const THEMES = ['auto', 'light', 'dark'];

const app = {
	// Which buttons to show; the server decides.
	mayChange: () => ['operator', 'admin'].includes(app.who?.role),
	kinds: () => app.overview?.data?.kinds ?? [],
	draw,
	signedIn,
	async signOut() {
		await get('/api/session', 'DELETE').catch(() => {});
		signedOut();
	},
	switchTheme() {
		const { dataset } = document.documentElement;
		dataset.theme = THEMES[(THEMES.indexOf(dataset.theme) + 1) % THEMES.length];
		choose('rowrunnerTheme', dataset.theme);
		toast(t(`theme.${dataset.theme}`));
	},
	switchLanguage(lang) {
		setLanguage(lang);
		choose('rowrunnerLang', lang);
	}
};

function choose(name, value) {
	try {
		localStorage[name] = value;
	} catch {
		// No storage: the choice holds for one visit.
	}
	draw();
}

let drawing = 0;
function draw() {
	drawing ||= requestAnimationFrame(() => {
		drawing = 0;
		patch(document.getElementById('app'), frame(app));
		document.title = `${document.querySelector('h1').textContent} · Rowrunner`;
		if (app.who) watch(app.view.jobs?.() ?? []);
	});
}

function close() {
	app.view?.stop?.();
	// The frame goes on with the overview.
	if (app.view?.resource !== app.overview) app.view?.resource?.stop();
	app.view = null;
}

function fetchViews(workload) {
	const missing = () => ({ [app.route.view]: waiting({ code: 'offline' }) });
	// What could not be loaded is not kept: the next visit tries again.
	load(workload).then(views => Object.assign(VIEWS, views), missing).then(views => {
		if (workloadOf(app.route.view) !== workload || !app.who) return;
		close();
		app.view = views[app.route.view](app);
		draw();
	});
	return waiting();
}

function open() {
	const before = app.route;
	app.route = parse(location.hash);
	const workload = workloadOf(app.route.view);
	if (!VIEWS[app.route.view] && !workload) app.route.view = 'overview';
	const same = before?.view === app.route.view;
	if (!same || !app.view?.follow?.()) {
		close();
		app.view = app.who ? (VIEWS[app.route.view] ?? fetchViews(workload))(app) : signIn(app);
		if (!same) scrollTo(0, 0);
	}
	draw();
}

function signedIn(who) {
	app.who = who;
	app.problem = null;
	keep('who', who);
	close();
	app.overview = new Resource('/api/overview', draw, 10_000);
	open();
	start(receive);
}

function signedOut() {
	if (!app.who) return;
	forget();
	app.overview.stop();
	app.who = null;
	watch(null);
	close();
	open();
}

function receive(message) {
	if (message.type === 'overview') app.overview?.accept(message.data);
	// Events are missing, or the server is back: load again.
	for (const one of [app.overview, app.view.resource]) {
		if (message.type === 'resync' || (message.state === 'live' && one?.error)) one?.refresh();
	}
	app.view.receive?.(message);
	draw();
}

async function begin() {
	try {
		return signedIn(await get('/api/session'));
	} catch (error) {
		// While the database is away, who was signed in sees what this tab had last.
		const last = error.status === 401 ? null : recall('who');
		if (last) return signedIn(last.data);
		app.problem = error.status === 401 ? null : error;
		if (app.problem) setTimeout(begin, 5000);
		return open();
	}
}

hooks.signedOut = signedOut;
listenToKeys(app);
addEventListener('hashchange', open);
// Ages ("12 s ago") go on between two answers.
setInterval(() => document.hidden || (app.view && draw()), 1000);
if (!location.hash) history.replaceState(null, '', link('overview'));
begin();
