// The page as people use it: a real Chromium, `rowrunner serve`, real workers, a real database.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { pdfFile } from './pdf_file.mjs';
import { RealServer } from './real_server.mjs';

let browser;
let context;
let page;
let server;
const complaints = [];

before(async () => {
  server = await new RealServer().start();
  browser = await openBrowser();
  context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on('pageerror', (error) => complaints.push(error.stack));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const open = async (address) => {
  await page.goto('about:blank');
  await page.goto(`${server.url}/${address}`);
};
const text = (words) => page.locator('main').getByText(words).first();
const region = (name) => page.getByRole('region', { name });
const confirm = (name) => page.getByRole('dialog').getByRole('button', { name }).click();

test('a kind without a worker is a problem, and its jobs say so', async () => {
  server.rowrunner('plan', 'import', 'examples/kyoto.json', '--enqueue');
  await open('');
  await region('Problems').getByText('No worker serves spot_image').waitFor();
  await region('spot_image').getByText('12').first().waitFor();
  await page.getByRole('link', { name: /12 waiting/ }).click();
  await text('kyoto · 金閣寺').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await text('Why is it not running?').waitFor();
  await text('No worker has reported for spot_image').waitFor();
});

test('a paused kind says so, in both languages', async () => {
  const job = page.url();
  await open('');
  await region('spot_image').getByRole('button', { name: 'Pause' }).click();
  await confirm('Pause');
  await region('spot_image').getByRole('button', { name: 'Resume' }).waitFor();
  assert.equal(server.psql("SELECT paused FROM rowrunner.kinds WHERE kind = 'spot_image'"), 't');
  await page.goto(job);
  await text('The kind spot_image is paused.').waitFor();
  await page.getByRole('button', { name: '日本語' }).click();
  await text('種類 spot_image は一時停止中です').waitFor();
  await page.getByRole('button', { name: 'English' }).click();
  await open('');
  await region('spot_image').getByRole('button', { name: 'Resume' }).click();
  await region('spot_image').getByRole('button', { name: 'Pause' }).waitFor();
});

test('the gallery fills by itself while workers run', async () => {
  await open('#/plans');
  await page.getByRole('link', { name: '京都' }).click();
  await text('0 of 12 pictures are ready').waitFor();
  assert.equal(await page.locator('.tile.waiting').count(), 12);
  const shimmer = page.locator('.tile.processing').first().waitFor();
  const workers = [server.worker('--kind', 'spot_image:1', '--drain'), server.worker('--kind', 'spot_image:1', '--drain')];
  await shimmer;
  await text('12 of 12 pictures are ready').waitFor({ timeout: 120_000 });
  // Pictures are loaded when they come into view.
  for (const tile of await page.locator('.tile').all()) {
    await tile.scrollIntoViewIfNeeded();
    await tile.locator('img.loaded').waitFor();
    assert.ok(await tile.locator('img').evaluate((img) => img.naturalWidth > 100));
  }
  for (const worker of workers) await worker.ended;
});

test('a job that has ended shows its steps', async () => {
  await page.locator('.tile a').first().click();
  await text('Succeeded').waitFor();
  await page.getByRole('heading', { name: 'Steps' }).waitFor();
});

test('a failure is shown with its reason, and retried once its cause is gone', async () => {
  server.psql("INSERT INTO spot_image_jobs (plan_id, spot_name) VALUES ('wishes', 'Place 1'), ('wishes', 'Place 2')");
  await server.worker('--drain').ended;
  await open('#/failed');
  await page.locator('.group').first().waitFor();
  await page.locator('.many').getByText('2', { exact: true }).waitFor();
  await page.locator('.group').first().getByRole('button', { name: 'Retry one' }).click();
  await text('Retried one:').waitFor();
  server.psql("INSERT INTO travel_plans (plan_id, title) VALUES ('wishes', 'One day')");
  server.psql("INSERT INTO spots (plan_id, spot_name, area) VALUES ('wishes', 'Place 1', 'Jordan'), ('wishes', 'Place 2', 'Bolivia')");
  const worker = server.worker();
  await page.locator('.group').first().getByText('Succeeded').waitFor();
  await page.locator('.group').first().getByRole('button', { name: /^Retry all/ }).click();
  await confirm(/^Retry all/);
  await text(/Retried 1 of spot_image/).waitFor();
  await open('#/workers');
  await text('Alive').waitFor();
  await open('#/plan/wishes');
  await text('2 of 2 pictures are ready').waitFor();
  await server.end(worker);
});

/** Notes every value that the bars of the PDF files show, by the name of the file. */
function noteBars() {
  window.bars = {};
  const look = () => {
    for (const card of document.querySelectorAll('main .pdf')) {
      const bar = card.querySelector('[role=progressbar]');
      if (!bar) continue;
      const values = (window.bars[card.querySelector('strong').textContent] ??= []);
      const now = Number(bar.getAttribute('aria-valuenow'));
      if (values.at(-1) !== now) values.push(now);
    }
  };
  new MutationObserver(look).observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true });
}

test('two PDF files are analysed at once, with bars that never fall, and their results downloaded', async () => {
  // As slow as pages of pictures are.
  server.psql(`CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.006); RETURN NEW; END';
    CREATE TRIGGER slow BEFORE INSERT ON rowrunner.steps FOR EACH ROW EXECUTE FUNCTION public.slow()`);
  const worker = server.worker('--kind', 'pdf_batch:2');
  const japanese = await browser.newContext({ locale: 'ja-JP' });
  const own = await japanese.newPage();
  own.on('pageerror', (error) => complaints.push(error.stack));
  own.setDefaultTimeout(60_000);
  await own.goto(`${server.url}/#/pdf`);
  const pdf = pdfFile(400);
  await own.locator('main input[type=file]').setInputFiles(['a.pdf', 'b.pdf'].map((name) => ({ name, mimeType: 'application/pdf', buffer: pdf })));
  const cards = own.locator('main .pdf');
  const starts = cards.getByRole('button', { name: '解析開始' });
  await starts.nth(1).waitFor();
  await own.evaluate(noteBars);
  await starts.nth(1).click();
  await starts.nth(0).click();
  for (const name of ['a.pdf', 'b.pdf']) {
    const link = cards.filter({ hasText: name }).getByRole('link', { name: '結果をダウンロード' });
    await link.waitFor();
    const [download] = await Promise.all([own.waitForEvent('download'), link.click()]);
    const result = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.equal(result.pages, 400);
    assert.equal(result.page_details.at(-1).words, 5);
  }
  const bars = await own.evaluate(() => window.bars);
  for (const values of [bars['a.pdf'], bars['b.pdf']]) {
    assert.ok(values.length >= 4, `the bar had only ${values}`);
    assert.deepEqual(values, [...values].sort((a, b) => a - b));
    assert.equal(values.at(-1), 100);
  }
  const together = 'SELECT max(locked_at) < min(updated_at) FROM pdf_batch_jobs';
  assert.equal(server.psql(together), 't');
  await japanese.close();
  await server.end(worker);
  server.psql('DROP TRIGGER slow ON rowrunner.steps');
});

test('it shows the last state while the database is away, and comes back', async () => {
  await open('');
  await region('spot_image').waitFor();
  server.postgres('stop-immediate', server.database);
  await text('The database does not answer').waitFor({ timeout: 60_000 });
  await region('spot_image').waitFor();
  server.postgres('start', server.database);
  await text('The database does not answer').waitFor({ state: 'detached', timeout: 60_000 });
});

test('with a token it asks for one; a viewer sees, and changes nothing', async () => {
  const token = server.rowrunner('tokens', 'add', '--user', 'ann', '--role', 'viewer').trim().split('\n').at(-1);
  await open('#/jobs?kind=spot_image');
  await page.getByLabel('Token').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('unknown or revoked').waitFor();
  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
  await text('kyoto · 金閣寺').waitFor();
  assert.equal(await page.evaluate(() => document.cookie), '');
  assert.equal(await page.locator('main [type=checkbox]').count(), 0);
  const status = await page.evaluate(async () => (await fetch('/api/kinds/spot_image/pause', { method: 'POST' })).status);
  assert.equal(status, 403);
  await page.getByRole('button', { name: 'Sign out ann' }).click();
  await page.getByLabel('Token').waitFor();
  const after = await page.evaluate(async () => (await fetch('/api/overview')).status);
  assert.equal(after, 401);
});

test('the policy of the server was not violated, and no script failed', () => {
  assert.deepEqual(complaints, []);
});
