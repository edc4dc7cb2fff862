// node tests/web/screenshots.mjs FOLDER: every view, light and dark, wide and on a phone. Views that need many
// kinds and states get them from the stand-in server, those of workloads from real workers.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from './browser.mjs';
import { everyCause, uuid } from './fixtures.mjs';
import { RealServer } from './real_server.mjs';
import { StandIn } from './stand_in.mjs';

const LOOKS = {
  light: { colorScheme: 'light', locale: 'en-US', viewport: { width: 1280, height: 820 } },
  dark: { colorScheme: 'dark', locale: 'en-US', viewport: { width: 1280, height: 820 } },
  phone: { colorScheme: 'light', locale: 'ja-JP', viewport: { width: 390, height: 844 } },
  'phone-dark': { colorScheme: 'dark', locale: 'ja-JP', viewport: { width: 390, height: 844 } },
};
const STAND_IN = {
  overview: '#/overview', jobs: '#/jobs?kind=spot_image', failed: '#/failed', job: `#/job/spot_image/${uuid(3)}`,
  waiting: `#/job/spot_image/${uuid(5)}`, workers: '#/workers', tiles: '#/plan/kyoto',
};

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const browser = await openBrowser();

async function take(look, name, url, { ready, act } = {}) {
  const context = await browser.newContext({ ...LOOKS[look], reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator(ready ?? 'main :is(.card, .rows li)').first().waitFor();
  await act?.(page);
  await page.waitForFunction(() => document.images[0]?.naturalWidth); // the logo; pictures load when they are seen
  const pictures = name === 'plan';
  const path = join(folder, `${name}-${look}.${pictures ? 'jpg' : 'png'}`);
  await page.screenshot({ path, ...(pictures ? { type: 'jpeg', quality: 78 } : {}) });
  await context.close();
}

const standIn = await new StandIn().start();
standIn.jobs[5].waits = everyCause.slice(0, 3);
for (const look of Object.keys(LOOKS)) {
  for (const [name, address] of Object.entries(STAND_IN)) {
    await take(look, name, `${standIn.url}/${address}`, { ready: name === 'tiles' ? '.tile img.loaded' : undefined });
  }
}
standIn.token = 'secret';
for (const look of Object.keys(LOOKS)) await take(look, 'sign-in', standIn.url, { ready: 'form' });
await standIn.stop();

const real = await new RealServer().start();
real.rowrunner('plan', 'import', 'examples/kyoto.json', '--enqueue');
await real.worker('--drain').ended;
const loaded = (page) => page.waitForFunction(() => document.querySelectorAll('img.loaded').length >= 3);
for (const look of ['light', 'dark']) await take(look, 'plan', `${real.url}/#/plan/kyoto`, { ready: 'img.loaded', act: loaded });
for (const look of ['phone', 'phone-dark']) await take(look, 'plan', `${real.url}/#/plan/kyoto`, { ready: 'img.loaded' });

// A letter in two languages, printed by the browser: what people upload.
const paper = await browser.newPage();
await paper.setContent(`<style>h1 { break-before: page }</style>${['契約書', 'Invoice', '見積書'].map((title, i) => `
  <h1>${title} ${i + 1}</h1><p>本社は東京都千代田区にあります。</p><p>The total is due within thirty days of receipt.</p>`).join('')}`);
const buffer = await paper.pdf({ format: 'A5' });
const letter = { name: 'letter.pdf', mimeType: 'application/pdf', buffer };
real.worker();
const upload = (page) => page.locator('main input[type=file]').setInputFiles([letter]);

async function analyse(page) {
  await upload(page);
  await page.getByRole('button', { name: /Start analysis|解析開始/ }).click();
  await page.getByRole('link', { name: /Download result|結果をダウンロード/ }).waitFor();
}

async function readDocument() {
  const page = await browser.newPage();
  await page.goto(`${real.url}/#/documents`);
  await upload(page);
  await page.locator('main .sheet pre').nth(2).waitFor();
  const { hash } = new URL(page.url());
  await page.close();
  return hash;
}

real.rowrunner('scoring', 'run', '--name', 'opinions', '--sheet', 'examples/scoring/utterances.csv',
  '--categories', 'examples/scoring/categories.json', '--out', join(real.folder, 'scored.csv'));
const pictured = (page) => page.waitForFunction(() => document.querySelector('.sheet img')?.naturalWidth);
const document = await readDocument();
for (const look of Object.keys(LOOKS)) {
  await take(look, 'pdf', `${real.url}/#/pdf`, { ready: '.drop', act: analyse });
  await take(look, 'document', `${real.url}/${document}`, { ready: '.sheet pre', act: pictured });
  await take(look, 'scoring', `${real.url}/#/scoring_run/opinions`, { ready: '.chunks li' });
}
await real.stop();
await browser.close();
