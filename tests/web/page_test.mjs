// The page in a real Chromium, against a server with data that the test sets.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { ago, everyCause, jobRow, uuid } from './fixtures.mjs';
import { StandIn } from './stand_in.mjs';

let browser;
let server;
let context;
let page;
let complaints;

before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
});
beforeEach(async (t) => {
  server = await new StandIn().start();
  await newContext({});
  t.after?.(() => {});
});

async function newContext(options) {
  await context?.close();
  context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 }, ...options });
  page = await newPage();
}

async function newPage() {
  const made = await context.newPage();
  complaints = [];
  made.on('pageerror', (error) => complaints.push(error.stack));
  made.on('console', (message) => {
    // A test that takes the server down sees failed requests.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  made.setDefaultTimeout(40_000);
  return made;
}

/** Runs a test, then checks that the page had nothing to complain about, CSP violations included. */
function pageTest(name, body) {
  test(name, async () => {
    try {
      await body();
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
      context = null;
      await server.stop();
    }
  });
}

const open = (address = '') => page.goto(`${server.url}/${address}`);
const main = () => page.locator('main');
const text = (words) => main().getByText(words).first();
const address = () => new URL(page.url()).hash;
const posted = () => server.posts.map((post) => post.path);
/** Waits until the server has an event stream that watches `what`. */
const watched = (what) => waitFor(() => [...server.streams].some((one) => one.url.includes(what)), `a stream with ${what}`);

async function waitFor(condition, what) {
  const end = Date.now() + 40_000;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

describe('overview', () => {
  pageTest('shows every kind, with a cap said as such and a count that took too long as a dash', async () => {
    await open();
    const card = page.getByRole('region', { name: 'score_chunk' });
    await card.getByText('≥ 10,000').first().waitFor();
    assert.equal(await card.getByRole('img').count(), 1);
    const paused = page.getByRole('region', { name: 'webhook_delivery' });
    await paused.getByText('—').waitFor();
    await paused.getByText('Paused', { exact: true }).waitFor();
  });

  pageTest('puts problems on top, and nothing when there is none', async () => {
    await open();
    const problems = page.getByRole('region', { name: 'Problems' });
    await problems.getByText('No worker serves ocr_page').waitFor();
    await watched('overview=1');
    server.overview.problems = [];
    server.push('overview', server.overview);
    await problems.waitFor({ state: 'detached' });
  });

  pageTest('does not know the age of the oldest job while its table is locked', async () => {
    Object.assign(server.overview.kinds[1], { oldest_waiting_seconds: null });
    server.overview.problems = [{ code: 'table_locked', kind: 'spot_image', message: 'it is locked by session 77' }];
    await open();
    await page.getByText('The table of spot_image is locked').waitFor();
    await page.getByRole('region', { name: 'spot_image' }).getByText('Oldest waits ?').waitFor();
  });

  pageTest('pauses a kind after a question that names it and its count', async () => {
    await open();
    await page.getByRole('region', { name: 'spot_image' }).getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause spot_image?' });
    await dialog.getByText('12 are waiting').waitFor();
    await dialog.getByRole('button', { name: 'Keep as it is' }).click();
    assert.deepEqual(posted(), []);
    await page.getByRole('region', { name: 'spot_image' }).getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('region', { name: 'spot_image' }).getByRole('button', { name: 'Resume' }).waitFor();
    assert.deepEqual(posted(), ['/api/kinds/spot_image/pause']);
  });

  pageTest('goes on to follow the overview after another view was open', async () => {
    await open();
    await page.getByRole('link', { name: 'Workers' }).click();
    await text('kyoto-1:3121:9f2c').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    const kind = page.getByRole('region', { name: 'webhook_delivery' });
    await kind.getByRole('button', { name: 'Resume' }).click();
    await kind.getByRole('button', { name: 'Pause' }).waitFor();
  });

  pageTest('says minute by minute what the chart shows', async () => {
    await open();
    const chart = page.getByRole('region', { name: 'spot_image' }).getByRole('img');
    await chart.hover({ position: { x: 5, y: 20 } });
    await page.getByRole('region', { name: 'spot_image' }).getByText('succeeded,').waitFor();
  });
});

describe('jobs', () => {
  pageTest('keeps filters in the address, over a reload and the way back', async () => {
    await open('#/jobs');
    await page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Failed' }).click();
    await page.getByLabel('Kind').selectOption('spot_image');
    await waitFor(() => address().includes('kind=spot_image'), 'the kind');
    assert.match(address(), /status=failed/);
    await page.reload();
    await text('≥ 10,000 jobs').waitFor();
    assert.equal(await page.getByLabel('Kind').inputValue(), 'spot_image');
    await page.goBack();
    await waitFor(() => !address().includes('kind'), 'the way back');
    await waitFor(async () => (await page.getByLabel('Kind').inputValue()) === '', 'the list of all kinds');
    await text('渡月橋').waitFor();
  });

  pageTest('pages by cursor', async () => {
    await open('#/jobs?status=queued');
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'Newest' }).waitFor();
    assert.match(address(), /after=CURSOR/);
    await page.getByRole('link', { name: 'Newest' }).click();
    await waitFor(() => !address().includes('after'), 'the first page');
  });

  pageTest('announces new rows and does not move the list', async () => {
    await open('#/jobs?kind=spot_image');
    await text('金閣寺').waitFor();
    const names = () => page.locator('.rows .name').allTextContents();
    const seen = await names();
    server.jobs.unshift(jobRow(60, 'queued'), jobRow(61, 'queued'));
    await page.getByRole('button', { name: 'Show 2 new rows' }).waitFor({ timeout: 15_000 });
    assert.deepEqual(await names(), seen);
    await page.getByRole('button', { name: 'Show 2 new rows' }).click();
    await waitFor(async () => (await names()).length === seen.length + 2, 'the new rows');
  });

  pageTest('changes a row in place when an event comes', async () => {
    await open('#/jobs?kind=spot_image');
    await watched(uuid(5));
    const row = page.locator('li', { hasText: '祇園 花見小路' }).first();
    await row.getByText('Waiting').waitFor();
    server.setStatus(uuid(5), 'processing');
    await row.getByText('Running').waitFor();
  });

  pageTest('asks with count and filter before a bulk action, and keeps the filter after it', async () => {
    server.count = { n: 1, capped: false };
    await open('#/jobs?kind=spot_image&status=failed');
    await page.getByLabel('Select kyoto · 渡月橋').check();
    await page.getByRole('region', { name: 'Actions' }).getByRole('button', { name: 'Retry' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry 1 job?' });
    await dialog.getByText('spot_image, Failed: 1 selected.').waitFor();
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('1 job queued again.').waitFor();
    assert.deepEqual(posted(), [`/api/jobs/spot_image/${uuid(4)}/retry`]);
    assert.equal(address(), '#/jobs?kind=spot_image&status=failed');
    await page.locator('li.left', { hasText: '渡月橋' }).getByText('Waiting').waitFor();
  });

  pageTest('retries all that match, beyond the page', async () => {
    await open('#/jobs?kind=spot_image&status=failed');
    await page.getByLabel('Select all rows').check();
    await page.getByRole('button', { name: 'Retry all ≥ 10,000 matching' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This queues ≥ 10,000 jobs again: spot_image, Failed.').waitFor();
    await dialog.getByRole('button', { name: 'Retry all ≥ 10,000' }).click();
    await page.getByText('Started; see Failed.').waitFor();
    assert.deepEqual(server.posts, [{ path: '/api/failed/retry', body: { kind: 'spot_image' } }]);
  });

  pageTest('says what a bulk action could not do', async () => {
    await open('#/jobs?kind=spot_image');
    await page.getByLabel('Select kyoto · 金閣寺').first().check();
    await page.getByRole('region', { name: 'Actions' }).getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
    await page.getByText('0 jobs queued again. 1 refused.').waitFor();
  });

  pageTest('finds a job by its id', async () => {
    await open('#/jobs');
    await text('金閣寺').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(uuid(3));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'kyoto · 嵐山 竹林の小径' }).waitFor();
    await page.goBack();
    await page.getByRole('searchbox').fill('nothing');
    await page.keyboard.press('Enter');
    await page.getByText('There is no job nothing').waitFor();
  });

  pageTest('is used with the keyboard alone', async () => {
    await open('#/jobs?kind=spot_image&status=failed');
    await text('渡月橋').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.locator('.actions').getByText('1 selected').waitFor();
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Retry 1 job?' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.locator('.actions').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await waitFor(() => address().startsWith('#/job/'), 'the job');
  });
});

describe('failed', () => {
  pageTest('retries one as a canary, follows it, then all', async () => {
    await open('#/failed?kind=spot_image');
    const group = page.getByRole('region', { name: /image API answered 503/ });
    await group.getByRole('button', { name: 'Retry one' }).click();
    await group.getByText('Retried one:').waitFor();
    await watched(uuid(4));
    server.setStatus(uuid(4), 'succeeded');
    await group.getByText('Succeeded').waitFor();
    await group.getByRole('button', { name: 'Retry all 3' }).click();
    await page.getByRole('dialog').getByText('spot_image, “image API answered 503').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry all 3' }).click();
    await text('Retrying spot_image: 4,200 of ≥ 10,000').waitFor();
    // A number beyond 2^53 comes back digit by digit.
    assert.deepEqual(server.posts.at(-1).body, { kind: 'spot_image', fingerprint: '9007199254740993' });
    assert.equal(address(), '#/failed?kind=spot_image');
    await page.getByRole('button', { name: 'Stop' }).click();
    await text('Stopped after 4,200 of spot_image').waitFor();
  });

  pageTest('lists the jobs of one error', async () => {
    await open('#/failed');
    await page.getByRole('link', { name: /image API answered 503/ }).click();
    await page.getByRole('heading', { name: 'Jobs with this error' }).waitFor();
    await page.getByRole('link', { name: 'All errors' }).click();
    await page.getByRole('heading', { name: 'Jobs with this error' }).waitFor({ state: 'detached' });
  });
});

describe('job', () => {
  pageTest('shows progress, time left, steps, and what changes', async () => {
    await open(`#/job/spot_image/${uuid(3)}`);
    await text("4 of 10").waitFor();
    await text('about 32 s left').waitFor();
    await text('draft').waitFor();
    await watched(uuid(3));
    server.push('job', { kind: 'spot_image', id: uuid(3), status: 'processing', attempts: 1, progress: { done: 7, total: 10, message: 'page 7' } });
    await text('7 of 10').waitFor();
    assert.equal(await main().getByRole('progressbar').getAttribute('aria-valuenow'), '7');
  });

  pageTest('shows a 64-bit number as it is', async () => {
    server.jobs[3].big = '9007199254740993';
    await open(`#/job/spot_image/${uuid(3)}`);
    await text('9007199254740993').waitFor();
  });

  pageTest('shows every attempt, and retries', async () => {
    await open(`#/job/spot_image/${uuid(4)}`);
    await text('Attempt 3').waitFor();
    await page.keyboard.press('r');
    await text('It is about number 412 in the queue.').waitFor();
  });

  pageTest('cancels after a question, and runs a delayed one now', async () => {
    await open(`#/job/spot_image/${uuid(20)}`);
    await text('It is delayed until').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await text('It is about number 412').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog', { name: 'Cancel 1 job?' }).getByRole('button', { name: 'Cancel' }).click();
    await text('Cancelled').waitFor();
    assert.deepEqual(posted().map((path) => path.split('/').at(-1)), ['run-now', 'cancel']);
  });

  for (const [locale, words] of [
    ['en-US', ['The kind spot_image is paused', 'locked by session 4242 (psql', 'its table is locked by session 77', 'Worker w-1 was lost']],
    ['ja-JP', ['種類 spot_image は一時停止中', 'セッション 4242（psql', 'its table is locked by session 77', 'ワーカー w-1 が失われました']],
  ]) {
    pageTest(`says why it is not running in ${locale}, in the server's words where facts are missing`, async () => {
      await newContext({ locale });
      server.jobs[5].waits = everyCause;
      await open(`#/job/spot_image/${uuid(5)}`);
      for (const one of words) await text(one).waitFor();
      assert.equal(await page.locator('.why li').count(), everyCause.length);
      assert.ok(!(await page.locator('.why').textContent()).includes('{'));
    });
  }

  pageTest('says so when there is none', async () => {
    await open('#/job/spot_image/none');
    await text('Not found').waitFor();
  });

  pageTest('shows markup of a job as text', async () => {
    server.jobs[4].last_error = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
    await open(`#/job/spot_image/${uuid(4)}`);
    await text('<img src=x').waitFor();
    assert.equal(await page.locator('main img, main script').count(), 0);
  });
});

describe('plan', () => {
  pageTest('shows a picture, a shimmer, a failure with retry; tiles change by themselves', async () => {
    await open('#/plan/kyoto');
    const tile = (name) => page.locator('.tile', { hasText: name });
    await tile('金閣寺').locator('img.loaded').waitFor();
    await text('3 of 8 pictures are ready').waitFor();
    assert.match(await tile('竹林の小径').getAttribute('class'), /processing/);
    assert.notEqual(await tile('竹林の小径').locator('.picture').evaluate((el) => getComputedStyle(el).animationName), 'none');
    await tile('渡月橋').getByText('image API answered 503').waitFor();
    await tile('渡月橋').getByRole('button', { name: 'Retry' }).click();
    await tile('渡月橋').getByText('Waiting').waitFor();
    await watched(uuid(3));
    server.setStatus(uuid(3), 'succeeded');
    await tile('竹林の小径').locator('img.loaded').waitFor();
    await text('4 of 8 pictures are ready').waitFor();
  });

  pageTest('shows a picture that exists although its new job failed', async () => {
    server.plan.spots[4].image_url = 'file:///old.png';
    await open('#/plan/kyoto');
    await page.locator('.tile', { hasText: '渡月橋' }).locator('img.loaded').waitFor();
  });

  pageTest('says when a picture cannot be loaded', async () => {
    server.plan.spots[0].image_url = 'https://127.0.0.1:1/x.png';
    await open('#/plan/kyoto');
    await page.getByAltText('The picture could not be loaded').waitFor();
  });
});

describe('trouble', () => {
  pageTest('keeps what it shows, with its age, while the database is away, even over a reload', async () => {
    await open('#/overview');
    await text('score_chunk').waitFor();
    server.down = true;
    await page.reload();
    await text('The database does not answer').waitFor();
    await text('You see the state of').waitFor();
    await text('score_chunk').waitFor();
    await text('Not up to date').waitFor();
    server.down = false;
    await text('The database does not answer').waitFor({ state: 'detached', timeout: 40_000 });
  });

  pageTest('says that the server marked its data as old', async () => {
    server.overview.stale = true;
    await open('#/overview');
    await text('You see the state of').waitFor();
    await text('score_chunk').waitFor();
  });

  pageTest('loads everything again after a resync', async () => {
    await open('#/plan/kyoto');
    await watched(uuid(3));
    server.plan.title = 'Another title';
    server.push('resync', {});
    await page.getByRole('heading', { name: 'Another title' }).waitFor();
  });

  pageTest('asks for a token once, and forgets on sign-out', async () => {
    server.token = 'secret';
    await open('#/workers');
    await page.getByLabel('Token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('unknown or revoked').waitFor();
    await page.getByLabel('Token').fill('secret');
    await page.keyboard.press('Enter');
    await text('kyoto-1:3121:9f2c').waitFor();
    assert.equal(address(), '#/workers');
    await page.getByRole('button', { name: 'Sign out ann' }).click();
    await page.getByLabel('Token').waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  });

  pageTest('asks again when the session has ended', async () => {
    server.token = 'secret';
    await open('#/jobs');
    await page.getByLabel('Token').fill('secret');
    await page.keyboard.press('Enter');
    await text('金閣寺').waitFor();
    await context.clearCookies();
    await page.getByLabel('Token').waitFor({ timeout: 15_000 });
  });

  pageTest('shows a viewer nothing that changes', async () => {
    server.role = 'viewer';
    for (const view of ['#/overview', '#/jobs?kind=spot_image&status=failed', '#/failed', `#/job/spot_image/${uuid(4)}`, '#/plan/kyoto']) {
      await open(view);
      await page.reload();
      await page.locator('main .card, main .rows li, main .tile').first().waitFor();
      assert.equal(await main().locator('button, [type=checkbox]').count(), 0, view);
    }
  });
});

describe('everywhere', () => {
  pageTest('eight tabs use one connection, and another tab takes it over', async () => {
    await open('#/overview');
    await watched('overview=1');
    const tabs = [page];
    for (let n = 0; n < 7; n += 1) {
      const tab = await newPage();
      await tab.goto(`${server.url}/#/job/spot_image/${uuid(n)}`);
      await tab.locator('.as-of.live').waitFor();
      tabs.push(tab);
    }
    await watched(uuid(6));
    await waitFor(() => server.streams.size === 1, 'one stream');
    server.setStatus(uuid(5), 'processing');
    await tabs[6].getByText('Running').first().waitFor();
    await tabs[0].close();
    await waitFor(() => server.streams.size === 1 && [...server.streams].some((one) => one.url.includes(uuid(6))), 'the next leader');
    server.setStatus(uuid(5), 'succeeded');
    await tabs[6].getByText('Succeeded').first().waitFor();
  });

  pageTest('switches language and theme, and remembers both', async () => {
    await open('#/overview');
    await page.getByRole('button', { name: '日本語' }).click();
    await page.getByRole('heading', { name: '概要' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'ja');
    const paper = () => page.locator('body').evaluate((el) => getComputedStyle(el).backgroundColor);
    const light = await paper();
    await page.keyboard.press('t');
    await page.keyboard.press('t');
    await waitFor(async () => (await paper()) !== light, 'the dark theme');
    await page.reload();
    await page.getByRole('heading', { name: '概要' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
  });

  pageTest('follows the system into the dark', async () => {
    await newContext({ colorScheme: 'dark' });
    await open();
    await text('spot_image').waitFor();
    assert.equal(await page.locator('body').evaluate((el) => getComputedStyle(el).backgroundColor), 'rgb(19, 22, 26)');
  });

  pageTest('has cards, and nothing wider than the window, on a phone', async () => {
    await newContext({ viewport: { width: 360, height: 740 } });
    for (const view of ['#/overview', '#/jobs', '#/failed', `#/job/spot_image/${uuid(4)}`, '#/plans', '#/plan/kyoto', '#/workers']) {
      await open(view);
      await page.locator('main .card, main .rows li, main .tile').first().waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, view);
    }
    await open('#/jobs');
    await text('金閣寺').waitFor();
    assert.equal(await page.locator('.rows li').first().evaluate((el) => getComputedStyle(el).display), 'flex');
  });

  pageTest('stands still for those who want that', async () => {
    await newContext({ reducedMotion: 'reduce' });
    await open('#/plan/kyoto');
    const tile = page.locator('.tile.processing .picture').first();
    await tile.waitFor();
    assert.equal(await tile.evaluate((el) => getComputedStyle(el).animationName), 'none');
  });

  pageTest('keeps the focus while live events redraw', async () => {
    await open('#/jobs?kind=spot_image');
    await watched(uuid(5));
    await page.locator('.rows a').nth(5).focus();
    server.setStatus(uuid(5), 'processing');
    await page.locator('li', { hasText: '祇園' }).first().getByText('Running').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('href')), `#/job/spot_image/${uuid(5)}`);
  });
});
