// Wires the page: who is signed in, which view the address names, the frame around it, live events.
import { Resource, del, forget, get, keep, recall, whenSignedOut } from './api.js';
import { patch } from './dom.js';
import { frame } from './frame.js';
import { listenToKeys } from './keys.js';
import { onEvent, start as startLive, watch } from './live.js';
import { link, parse } from './router.js';
import { setLanguage, t } from './strings.js';
import { toast } from './ui.js';
import failed from './view-failed.js';
import job from './view-job.js';
import jobs from './view-jobs.js';
import overview from './view-overview.js';
import plan from './view-plan.js';
import plans from './view-plans.js';
import signIn from './view-sign-in.js';
import workers from './view-workers.js';

const VIEWS = { overview, jobs, failed, job, plans, plan, workers };

const app = {
  who: null,
  problem: null,
  route: parse(location.hash),
  view: null,
  overview: null,
  /** Whether buttons that change something are shown; the server decides in any case. */
  mayChange: () => app.who?.role === 'operator' || app.who?.role === 'admin',
  kinds: () => app.overview?.data?.kinds ?? [],
  draw,
  open,
  signedIn,
  signOut,
  switchTheme,
  switchLanguage: (lang) => {
    store('lang', lang);
    setLanguage(lang);
    draw();
  },
};

function store(name, value) {
  try {
    localStorage.setItem(`rowrunner.${name}`, value);
  } catch {
    // Private windows may refuse; then the choice holds for one visit.
  }
}

const THEMES = ['auto', 'light', 'dark'];

function switchTheme() {
  const { dataset } = document.documentElement;
  const next = THEMES[(THEMES.indexOf(dataset.theme ?? 'auto') + 1) % THEMES.length];
  dataset.theme = next;
  store('theme', next);
  toast(t(`theme.${next}`));
  draw();
}

let drawing = 0;
function draw() {
  drawing ||= requestAnimationFrame(() => {
    drawing = 0;
    patch(document.getElementById('app'), frame(app));
    document.title = app.view ? `${app.view.title()} · Rowrunner` : 'Rowrunner';
    watchShown();
  });
}

/** The jobs that the view shows, and the overview, which the frame always shows. */
function watchShown() {
  if (app.who) watch({ jobs: app.view?.jobs?.() ?? [], overview: true });
}

function open(route) {
  const before = app.route;
  app.route = route;
  if (app.view && before.view === route.view && app.view.follow?.(route)) return draw();
  app.view?.stop?.();
  if (!app.who) app.view = signIn(app);
  else app.view = (VIEWS[route.view] ?? VIEWS.overview)(app);
  if (before.view !== route.view) scrollTo(0, 0);
  return draw();
}

function signedIn(who) {
  app.who = who;
  app.problem = null;
  keep('who', who);
  app.overview = new Resource('/api/overview', { every: 10_000, changed: draw });
  startLive();
  open(parse(location.hash));
}

async function signOut() {
  await del('/api/session').catch(() => {});
  signedOut();
}

function signedOut() {
  if (!app.who) return;
  forget();
  app.who = null;
  app.overview?.stop();
  app.overview = null;
  watch({});
  open(app.route);
}

function receive(message) {
  if (message.type === 'overview' && app.overview) app.overview.accept(message.data);
  if (message.type === 'resync') app.overview?.refresh();
  app.view?.receive?.(message);
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
  }
  return open(parse(location.hash));
}

onEvent(receive);
whenSignedOut(signedOut);
listenToKeys(app);
addEventListener('hashchange', () => open(parse(location.hash)));
// Ages ("12 s ago") go on between two answers.
setInterval(() => document.visibilityState === 'visible' && draw(), 1000);
if (!location.hash) history.replaceState(null, '', link('overview'));
begin();
