// The routes of the built-in workloads for the stand-in server, in the shapes of the real ones.
import { ago, jobRow, uuid } from './fixtures.mjs';

const row = (n, kind, more) => ({ ...jobRow(n), kind, id: uuid(n), ...more });
const sheet = (n) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 70 100"><rect width="70" height="100" fill="#fff"/><text x="8" y="20" font-size="6">${n}</text></svg>`;

export class Workloads {
  constructor() {
    Object.assign(this, {
      pdfs: new Map(), started: [], sentAgain: [], retried: [], cancelled: [],
      jobs: [
        row(901, 'pdf_batch', { status: 'processing', own: { job_id: 'report-7' }, progress: { done: 41, total: 100, message: 'Page 9/22 analyzing...' } }),
        row(902, 'ocr_relay', { status: 'succeeded', own: { job_id: 'job_20260212T063000Z_ab12cd', order_id: 'ORD-1' } }),
      ],
      document: {
        document_id: uuid(950), title: '契約書 2026.pdf', user_id: 'ann', total_pages: 3, bytes: 12345, created_at: ago(60), read_pages: 2,
        job_id: `document_ocr-${uuid(951)}`, job_status: 'processing',
      },
      documentJob: { status: 'processing', total_pages: 3, processed_pages: 2, current_page: 3, estimated_completion: ago(-30), error: null },
      jobRefusal: null,
      changeRefusal: null,
      deliveries: [
        { id: uuid(960), event_id: 'evt_1', event: 'PAGE_RESULT', source: 'job_20260212T063000Z_ab12cd', url: 'https://example.com/hook', status: 'failed',
          attempts: 12, max_attempts: 12, last_error: 'the receiver answered 500', answer_status: 500, created_at: ago(900), at: ago(30) },
      ],
      run: {
        run: 'may', status: 'running', reason: null, provider: 'lexical', model: 'ngram', rows: 1200, blocks: 2, chunks: 3, processed_rows: 600,
        processed_blocks: 1200, failed_blocks: 0, cache_hits: 40, calls: 1160, cost: 0, flushes: 24, write_seconds: 1.2, seconds: 9030,
        rows_a_second: 20, eta_seconds: 30, limit_rate: 40, waits_for: 'rate', created_at: ago(9030), ended_at: null, sheet_status: null, sheet_error: null,
      },
      resumed: [],
    });
  }

  /** Whether the request was for a workload. */
  async answer(request, url, json, response) {
    const path = url.pathname.split('/').slice(1).map(decodeURIComponent);
    const [first, second] = path;
    if (first === 'documents') await this.documents(request, url, path.slice(1), json, response);
    else if (first === 'api' && second === 'pdf-batch') await this.pdf(request, url, path.slice(2), json);
    else if (first === 'api' && second === 'webhooks') await this.webhooks(request, path.slice(2), json);
    else if (first === 'api' && second === 'scoring') await this.scoring(request, path.slice(3), json);
    else return false;
    return true;
  }

  async pdf(request, url, [first, action], json) {
    const body = await bytesOf(request);
    if (first === 'upload') {
      if (!body.subarray(0, 1024).includes('%PDF-')) {
        const message = 'the body must be a PDF file: there is no %PDF- in its first 1,024 bytes';
        return json(400, { error: { code: 'bad_request', message, request_id: 'r', retryable: false } });
      }
      const id = url.searchParams.get('job_id');
      return json(201, { job_id: id, pdf_path: `uploads/${id}/document.pdf`, bytes: body.length });
    }
    if (!first) {
      const message = JSON.parse(body);
      this.started.push(message);
      this.pdfs.set(message.job_id, { status: 'pending', progress: 0, message: '', result_url: '', error_msg: '', updated_at: ago(0) });
      return json(201, { job_id: message.job_id, status: 'pending' });
    }
    if (action === 'result') return json(200, { job_id: first, pages: 12 });
    const found = this.pdfs.get(first);
    return found ? json(200, found) : json(404, { error: { code: 'not_found', message: 'not found' } });
  }

  async documents(request, url, [id, what, n, more], json, response) {
    const { document } = this;
    if (!id) return json(200, { items: [document], next: null });
    if (id === 'upload') {
      const body = await bytesOf(request);
      if (!body.includes('%PDF-')) return json(400, { detail: 'the file is no PDF' });
      return json(200, { message: 'Document uploaded successfully', document_id: document.document_id, job_id: document.job_id, status: 'pending' });
    }
    if (id === 'search') {
      const items = url.searchParams.get('q') === '東京' ? [{ document_id: document.document_id, title: document.title, user_id: 'ann', page: 2, snippet: '本社は東京都にある', confidence: 91 }] : [];
      return json(200, { q: url.searchParams.get('q'), items, next: null });
    }
    if (id === 'jobs') {
      if (this.jobRefusal) return json(this.jobRefusal, { detail: 'not for you' });
      if (n && this.changeRefusal) return json(409, { detail: this.changeRefusal });
      if (n) (n === 'cancel' ? this.cancelled : this.retried).push(what);
      if (n === 'cancel') this.documentJob.status = 'cancelled';
      return json(200, n ? { message: 'ok', job_id: what } : this.documentJob);
    }
    if (!what) return json(200, document);
    if (more === 'image') return response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(sheet(n));
    const total = document.total_pages;
    if (total > 3) {
      const after = Number(url.searchParams.get('after'));
      const last = Math.min(total, after + Number(url.searchParams.get('limit')));
      const more = Array.from({ length: last - after }, (_, i) => ({
        page: after + i + 1, text: `text of ${after + i + 1}`, blank: false, confidence: 90, error: null, updated_at: ago(9), meta: {},
      }));
      return json(200, { document_id: document.document_id, total_pages: total, items: more, next: last < total ? last : null });
    }
    const items = [
      { page: 1, text: 'Contract\n第一条', blank: false, confidence: 96.2, error: null, updated_at: ago(9), meta: {} },
      { page: 2, text: '本社は東京都にある', blank: false, confidence: 91, error: null, updated_at: ago(5), meta: {} },
    ];
    return json(200, { document_id: document.document_id, total_pages: 3, items, next: null });
  }

  async scoring(request, [name, what], json) {
    await bytesOf(request);
    if (!name) return json(200, { items: [this.run], complete: true });
    if (request.method === 'POST') {
      this.resumed.push(what);
      this.run.status = 'running';
      return json(202, { run: name, chunks: 1 });
    }
    const chunk = (n, status, error = null) => ({
      chunk_id: `chunk-000${n}`, row_start: n * 500 - 499, row_end: n * 500, status, retry_count: error ? 3 : 0, last_error: error, updated_at: ago(1),
    });
    if (what === 'chunks') return json(200, [chunk(1, 'completed'), chunk(2, 'running'), chunk(3, 'failed', 'row 1044 has no answer')]);
    return json(200, this.run);
  }

  async webhooks(request, [first, id, action], json) {
    await bytesOf(request);
    if (first === 'undelivered') {
      const failed = this.deliveries.filter((one) => one.status === 'failed');
      return json(200, { items: failed.slice(0, 50), next: failed.length > 50 ? `${failed[49].at}/${failed[49].id}` : null });
    }
    if (first === 'retrying') return json(200, { items: [] });
    if (first === 'about') return json(200, { items: this.deliveries, next: null });
    if (first === 'send-again') {
      this.sentAgain.push('all');
      const failed = this.deliveries.filter((one) => one.status === 'failed').slice(0, 1000);
      for (const one of failed) one.status = 'queued';
      return json(200, { sent: failed.length, complete: failed.length < 1000 });
    }
    const found = this.deliveries.find((one) => one.id === id);
    if (action) {
      this.sentAgain.push(id);
      found.status = 'queued';
      return json(200, { id, status: 'queued' });
    }
    return json(200, { ...found, success_by: 'status', token: '***', payload: { event: 'PAGE_RESULT', pageIndex: 1 }, answer: '<h1>Internal error</h1>', answered_at: ago(31) });
  }
}

async function bytesOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}
