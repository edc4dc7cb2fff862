// A server with the routes of the page and data that a test sets: for states that a real server reaches
// seldom or slowly. The end-to-end test runs against `rowrunner serve`.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fixtures from './fixtures.mjs';
import { Workloads } from './workloads_stand_in.mjs';

const WEB = fileURLToPath(new URL('../../web/', import.meta.url));
const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml' };
export const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; connect-src 'self'; " +
  "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; worker-src 'self'; manifest-src 'self'";

const picture = (name) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="10" height="10" fill="hsl(${name.length * 70} 35% 60%)"/>` +
  '<circle cx="7" cy="3" r="1.5" fill="#fff8"/><path d="M0 10 4 5 7 8 9 6 10 7V10Z" fill="#0005"/></svg>';

export class StandIn {
  constructor() {
    Object.assign(this, {
      token: null, role: 'admin', down: false, posts: [], streams: new Set(), requests: [],
      overview: fixtures.overview(), jobs: fixtures.jobs(), plan: fixtures.plan(), operations: [], failed: fixtures.failed(),
      workers: fixtures.workers(), plans: fixtures.plans(), next: 'CURSOR', count: { n: 10000, capped: true },
    });
    this.workloads = new Workloads();
    this.server = createServer((request, response) => this.answer(request, response));
  }

  async start() {
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }

  /** An event for every open page. */
  push(event, data) {
    for (const { response } of this.streams) response.write(`event: ${event}\nid: 1-1\ndata: ${JSON.stringify(data)}\n\n`);
  }

  setStatus(id, status, more = {}) {
    const row = this.jobs.find((job) => job.id === id);
    if (row) Object.assign(row, { status, ...more });
    const spot = this.plan.spots.find((one) => one.job.id === id);
    if (spot) {
      Object.assign(spot.job, { status });
      spot.image_status = status === 'queued' ? 'not_started' : status;
      if (status === 'succeeded') spot.image_url = 'file:///x.png';
    }
    this.push('job', { kind: 'spot_image', id, status, attempts: 1, max_attempts: 3, last_error: null, updated_at: fixtures.ago(0), progress: null, ...more });
  }

  async answer(request, response) {
    const url = new URL(request.url, this.url);
    this.requests.push(`${request.method} ${request.url}`);
    const json = (status, body) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const problem = (status, code, message = code) => json(status, { error: { code, message, request_id: 'r', retryable: status === 503 } });
    if (!url.pathname.startsWith('/api/') && !url.pathname.startsWith('/documents')) return this.file(url.pathname, response);
    const signedIn = !this.token || request.headers.cookie?.includes(`s=${this.token}`);
    if (url.pathname === '/api/session' && request.method === 'POST') {
      const { token } = await bodyOf(request);
      if (token !== this.token) return problem(401, 'unauthorized');
      response.setHeader('Set-Cookie', `s=${token}; HttpOnly; SameSite=Strict; Path=/`);
      return json(200, { user: 'ann', role: this.role });
    }
    if (!signedIn) return problem(401, 'unauthorized');
    if (this.down) return problem(503, 'unavailable', 'the database does not answer');
    if (url.pathname === '/api/session' && request.method === 'DELETE') {
      response.setHeader('Set-Cookie', 's=; Path=/; Max-Age=0');
      return response.writeHead(204).end();
    }
    if (url.pathname === '/api/session') return json(200, { user: this.token ? 'ann' : 'local', role: this.role });
    if (url.pathname === '/api/events') return this.stream(request, response);
    if (await this.workloads.answer(request, url, json, response)) return undefined;
    if (request.method === 'POST') return this.change(url.pathname, await bodyOf(request), json, problem);
    return this.read(url, json, problem, response);
  }

  async file(path, response) {
    try {
      const name = path === '/' ? 'index.html' : path.slice(1);
      const text = await readFile(WEB + name);
      response.writeHead(200, { 'Content-Type': TYPES[extname(name)], 'Content-Security-Policy': CSP });
      response.end(text);
    } catch {
      response.writeHead(404).end();
    }
  }

  stream(request, response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write(': hello\n\n');
    const stream = { response, url: request.url };
    this.streams.add(stream);
    request.on('close', () => this.streams.delete(stream));
  }

  read(url, json, problem, response) {
    const [, , what, ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const { kind, status, after } = Object.fromEntries(url.searchParams);
    if (what === 'overview') return json(200, { ...this.overview, as_of: fixtures.ago(0) });
    if (what === 'workers') return json(200, this.workers);
    if (what === 'operations') return json(200, { items: this.operations });
    if (what === 'failed' && rest[0] === 'jobs') {
      const items = this.jobs.filter((job) => job.status === 'failed').map((job) => ({ ...job, failed_at: job.updated_at, error: job.last_error }));
      return json(200, { items, next: null, complete: true, count: { n: items.length, capped: false } });
    }
    if (what === 'failed') return json(200, { ...this.failed, items: this.failed.items.filter((one) => !kind || one.kind === kind) });
    if (what === 'plans' && rest[1] === 'pictures') {
      response.writeHead(200, { 'Content-Type': 'image/svg+xml' });
      return response.end(picture(rest[2]));
    }
    if (what === 'plans') return rest.length ? json(200, this.plan) : json(200, this.plans);
    if (what === 'jobs' && rest.length) {
      const row = this.jobs.find((job) => job.id === rest[1] && job.kind === rest[0]);
      return row ? json(200, fixtures.jobDetails(row)) : problem(404, 'not_found');
    }
    if (what === 'jobs') {
      const items = [...this.jobs, ...this.workloads.jobs].filter((job) => (!kind || job.kind === kind) && (!status || job.status === status));
      return json(200, { items: after ? items.slice(5) : items, next: after ? null : this.next, complete: Boolean(status), count: status ? this.count : null });
    }
    return problem(404, 'not_found');
  }

  change(path, body, json, problem) {
    this.posts.push({ path, body });
    if (this.role === 'viewer') return problem(403, 'forbidden');
    const [, , what, kind, id, action] = path.split('/').map(decodeURIComponent);
    if (what === 'kinds') {
      const paused = id === 'pause';
      this.overview.kinds.find((one) => one.kind === kind).paused = paused;
      return json(200, { kind, paused });
    }
    if (what === 'jobs') {
      const row = this.jobs.find((job) => job.id === id);
      if (!row) return problem(404, 'not_found');
      if (action === 'retry' && row.status !== 'failed' && row.status !== 'cancelled') return problem(409, 'conflict', 'the job is not failed');
      this.setStatus(id, action === 'cancel' ? 'cancelled' : 'queued', { run_at: fixtures.ago(0), attempts: 0 });
      return json(200, { kind, id, status: row.status, result: row.status });
    }
    if (path === '/api/failed/retry') {
      const operation = { id: '17', kind: body.kind, fingerprint: body.fingerprint ?? null, state: 'running', requeued: 4200, skipped: 0,
        matching: { n: 10000, capped: true }, created_at: fixtures.ago(0), ended_at: null, by: 'ann' };
      this.operations.unshift(operation);
      return json(202, operation);
    }
    if (what === 'operations') {
      this.operations[0].state = 'cancelled';
      this.operations[0].ended_at = fixtures.ago(0);
      return json(200, this.operations[0]);
    }
    return problem(404, 'not_found');
  }
}

async function bodyOf(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return text ? JSON.parse(text) : {};
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await new StandIn().start();
  process.stdout.write(`${server.url}\n`);
}
