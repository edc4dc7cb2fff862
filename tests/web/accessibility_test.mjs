// axe-core over every view, light and dark, in both languages.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { everyCause, uuid } from './fixtures.mjs';
import { StandIn } from './stand_in.mjs';

const VIEWS = {
  overview: '#/overview', jobs: '#/jobs', selected: '#/jobs?kind=spot_image&status=failed', failed: '#/failed',
  group: '#/failed?kind=spot_image&fingerprint=9007199254740993', waiting: `#/job/spot_image/${uuid(5)}`,
  running: `#/job/spot_image/${uuid(3)}`, ended: `#/job/spot_image/${uuid(4)}`, plans: '#/plans', plan: '#/plan/kyoto',
  workers: '#/workers', pdf: '#/pdf', documents: '#/documents', document: `#/document/${uuid(950)}`, relay: '#/relay', scoring: '#/scoring', run: '#/scoring_run/may', none: '#/job/spot_image/none',
};
const LOOKS = {
  light: { colorScheme: 'light', locale: 'en-US', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', locale: 'ja-JP', viewport: { width: 1280, height: 900 } },
  phone: { colorScheme: 'light', locale: 'ja-JP', viewport: { width: 375, height: 800 } },
};

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser;

before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
});

async function violations(page) {
  // Evaluated by the debugger, which the content security policy does not concern.
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n  ')}`);
}

for (const [look, options] of Object.entries(LOOKS)) {
  test(`axe finds nothing in any view, ${look}`, async () => {
    const server = await new StandIn().start();
    server.jobs[5].waits = everyCause;
    server.operations.push({ id: '1', kind: 'spot_image', state: 'running', requeued: 3, skipped: 0, matching: { n: 9, capped: false }, ended_at: null });
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
    const page = await context.newPage();
    try {
      for (const [name, address] of Object.entries(VIEWS)) {
        await page.goto('about:blank');
        await page.goto(`${server.url}/${address}`);
        await page.locator('main :is(.card, .rows li, .tile, .note)').first().waitFor();
        if (name === 'selected') await page.locator('.summary input').check();
        assert.deepEqual(await violations(page), [], name);
      }
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await violations(page), [], 'keys');
      server.token = 'secret';
      await context.clearCookies();
      await page.goto('about:blank');
      await page.goto(`${server.url}/`);
      await page.locator('form').waitFor();
      assert.deepEqual(await violations(page), [], 'sign-in');
    } finally {
      await context.close();
      await server.stop();
    }
  });
}
