// The views of the built-in workloads in a real Chromium, against a server with data that the test sets.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openBrowser } from './browser.mjs';
import { uuid } from './fixtures.mjs';
import { StandIn } from './stand_in.mjs';

const PDF = { name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 a test') };
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
beforeEach(async () => {
  server = await new StandIn().start();
  context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 } });
  page = await context.newPage();
  complaints = [];
  page.on('pageerror', (error) => complaints.push(error.stack));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  page.setDefaultTimeout(40_000);
});

function pageTest(name, body) {
  test(name, async () => {
    try {
      await body(server.workloads);
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
      await server.stop();
    }
  });
}

const open = (address) => page.goto(`${server.url}/${address}`);
const main = () => page.locator('main');
const text = (words) => main().getByText(words).first();
const until = async (holds) => {
  while (!holds()) await page.waitForResponse(() => true);
};
const choose = (...files) => page.locator('main input[type=file]').setInputFiles(files);

pageTest('the navigation offers the workloads whose kinds are attached', async () => {
  server.overview.kinds[0].kind = 'pdf_batch';
  await open('#/overview');
  await page.getByRole('link', { name: 'PDF', exact: true }).click();
  await text('Drop PDF files here').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Scoring', exact: true }).count(), 0);
});

pageTest('a PDF is uploaded, started, watched to its end, and its result offered', async (workloads) => {
  await open('#/pdf');
  await choose(PDF, { ...PDF, name: 'second.pdf' });
  await text('Start all').waitFor();
  assert.equal(workloads.started.length, 0);
  await main().getByRole('button', { name: 'Start analysis' }).first().click();
  await text('Waiting').waitFor();
  const [{ job_id: id, pdf_path: path }] = workloads.started;
  assert.equal(path, `uploads/${id}/document.pdf`);
  Object.assign(workloads.pdfs.get(id), { status: 'processing', progress: 45, message: 'Page 5/12 analyzing...' });
  await text('Page 5/12 analyzing...').waitFor();
  assert.equal(await main().getByRole('progressbar').first().getAttribute('aria-valuenow'), '45');
  Object.assign(workloads.pdfs.get(id), { status: 'completed', progress: 100, message: 'Processing completed!' });
  const result = main().getByRole('link', { name: 'Download result' });
  await result.waitFor();
  assert.equal(await result.getAttribute('href'), `/api/pdf-batch/${id}/result`);
});

pageTest('what is no PDF is refused with its name, here or by the server', async () => {
  await open('#/pdf');
  await choose({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
  await page.getByText('notes.txt is no PDF').waitFor();
  await choose({ ...PDF, name: 'fake.pdf', buffer: Buffer.from('hello') });
  await page.getByText('fake.pdf: the body must be a PDF file').waitFor();
  await main().locator('.pdf').waitFor({ state: 'detached' });
});

pageTest('a PDF that failed shows its reason', async (workloads) => {
  await open('#/pdf');
  await choose(PDF);
  await main().getByRole('button', { name: 'Start analysis' }).click();
  await text('Waiting').waitFor();
  const [{ job_id: id }] = workloads.started;
  Object.assign(workloads.pdfs.get(id), { status: 'failed', progress: 30, message: 'Error occurred', error_msg: 'the file is encrypted\ntrace' });
  await text('the file is encrypted').waitFor();
  await text('Error occurred').waitFor();
});

pageTest('in Japanese the button says 解析開始', async () => {
  await context.close();
  context = await browser.newContext({ locale: 'ja-JP' });
  page = await context.newPage();
  await open('#/pdf');
  await choose(PDF);
  await main().getByRole('button', { name: '解析開始' }).waitFor();
});

pageTest('documents are listed, searched, and a hit leads to its page', async () => {
  await open('#/documents');
  await text('契約書 2026.pdf').waitFor();
  await text('2 of 3 pages read').waitFor();
  await main().getByRole('searchbox').fill('東京');
  await page.keyboard.press('Enter');
  await main().locator('mark', { hasText: '東京' }).waitFor();
  await main().getByRole('link', { name: 'page 2' }).click();
  await main().locator('pre mark', { hasText: '東京' }).waitFor();
  await text('Not read yet').waitFor();
  assert.equal(await main().locator('.sheet img').count(), 3);
});

pageTest('an upload leads to its document, which can be cancelled', async (workloads) => {
  await open('#/documents');
  await choose(PDF);
  await text('done about').waitFor();
  await main().getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await text('Cancelled').waitFor();
  assert.deepEqual(workloads.cancelled, [workloads.document.job_id]);
});

pageTest('a document that failed or was cancelled shows its reason and is read again', async (workloads) => {
  Object.assign(workloads.documentJob, { status: 'failed', error: 'page 3: smudged' });
  await open(`#/document/${workloads.document.document_id}`);
  await text('page 3: smudged').waitFor();
  await main().getByRole('button', { name: 'Retry' }).click();
  await until(() => workloads.retried.length === 1);
  Object.assign(workloads.documentJob, { status: 'cancelled', error: 'cancelled: by ann' });
  await page.reload();
  await text('cancelled: by ann').waitFor();
  await main().getByRole('button', { name: 'Retry' }).click();
  await until(() => workloads.retried.length === 2);
});

pageTest('a change of a document that is refused says why', async (workloads) => {
  Object.assign(workloads.documentJob, { status: 'failed', error: 'page 3: smudged' });
  workloads.changeRefusal = 'Exceeded max retries (3)';
  await open(`#/document/${workloads.document.document_id}`);
  await main().getByRole('button', { name: 'Retry' }).click();
  await page.getByText('Exceeded max retries (3)').waitFor();
});

pageTest('a document shows its newest job, also one that begins meanwhile', async (workloads) => {
  const { document } = workloads;
  Object.assign(workloads.documentJob, { status: 'completed', processed_pages: 3, estimated_completion: null });
  await open(`#/document/${document.document_id}`);
  await text('3 of 3 pages read').waitFor();
  Object.assign(document, { job_id: `document_reprocess-${uuid(952)}`, job_status: 'processing' });
  Object.assign(workloads.documentJob, { status: 'processing', processed_pages: 1 });
  await text('1 of 3 pages read').waitFor();
  await main().getByRole('button', { name: 'Cancel' }).waitFor();
});

for (const [status, why] of [[403, 'Your role does not allow this'], [404, 'Not found']]) {
  pageTest(`a job whose status is refused with ${status} is asked for once, and why is said`, async (workloads) => {
    const { document } = workloads;
    const asked = (path) => server.requests.filter((one) => one === `GET /documents/${path}`).length;
    workloads.jobRefusal = status;
    await open(`#/document/${document.document_id}`);
    await text(`The status of the job is not shown: ${why}`).waitFor();
    assert.equal(await main().getByRole('button', { name: 'Cancel' }).count(), 0);
    await until(() => asked(document.document_id) > 1);
    assert.equal(asked(`jobs/${document.job_id}`), 1);
    workloads.jobRefusal = null;
    document.job_id = `document_reprocess-${uuid(952)}`;
    await text('done about').waitFor();
  });
}

pageTest('of a long document the pages around the wanted one are shown', async (workloads) => {
  workloads.document.total_pages = 320;
  await open(`#/document/${workloads.document.document_id}?page=317`);
  await text('text of 317').waitFor();
  assert.equal(await main().locator('.sheet').count(), 20);
  await main().getByRole('link', { name: 'Pages 251 to 300' }).click();
  await text('text of 251').waitFor();
  assert.equal(await main().locator('.sheet').count(), 50);
  await main().getByRole('link', { name: 'Pages 301 to 320' }).waitFor();
});

pageTest('more events than a page are all sent again', async (workloads) => {
  const [one] = workloads.deliveries;
  workloads.deliveries = Array.from({ length: 1500 }, (_, n) => ({ ...one, id: uuid(2000 + n) }));
  await open('#/relay');
  await main().getByRole('button', { name: 'Send all again' }).click();
  await page.getByRole('dialog').getByText('more than 50').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Send all again' }).click();
  await page.getByText('1,500 queued').waitFor();
  assert.deepEqual(workloads.sentAgain, ['all', 'all']);
});

pageTest('undelivered events show what the receiver answered, and are sent again', async (workloads) => {
  await open('#/relay');
  await text('the receiver answered 500').waitFor();
  await main().getByText('Answer 500').click();
  await text('<h1>Internal error</h1>').waitFor();
  await main().getByRole('button', { name: 'Send all again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send all again' }).click();
  await text('Everything was delivered').waitFor();
  assert.deepEqual(workloads.sentAgain, ['all']);
  await main().getByRole('link', { name: /Deliveries of job_/ }).click();
  await text('PAGE_RESULT').waitFor();
});

pageTest('a scoring run shows its chunks and figures, and is resumed after a failure', async (workloads) => {
  await open('#/scoring');
  await main().getByRole('link', { name: 'may' }).click();
  await text('1,200 of 2,400 scores').waitFor();
  await text('20 rows a second').waitFor();
  await text('30 s left').waitFor();
  await text('limit 40 calls a second').waitFor();
  await text('waits: calls a second').waitFor();
  await main().locator('.chunks .completed').waitFor();
  assert.match(await main().locator('.chunks .failed').getAttribute('title'), /rows 1,001 to 1,500, failed, 3 retries: row 1044 has no answer/);
  Object.assign(workloads.run, { status: 'failed', reason: 'chunk-0003: row 1044 has no answer' });
  await main().getByRole('button', { name: 'Resume' }).click();
  await page.getByText('1 chunk queued').waitFor();
  assert.deepEqual(workloads.resumed, ['resume']);
});

pageTest('a view that cannot be loaded says so, and loads at the next visit', async () => {
  await page.route('**/workloads/pdf_batch.js', (route) => route.abort());
  await open('#/pdf');
  await text('The server cannot be reached').waitFor();
  await page.unroute('**/workloads/pdf_batch.js');
  await page.reload();
  await text('Drop PDF files here').waitFor();
});
