// A PostgreSQL of its own and `rowrunner serve` on it, for the end-to-end test.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BINARY = process.env.ROWRUNNER_BINARY ?? join(ROOT, 'build/dev/src/apps/rowrunner');
const CONTAINERS = join(ROOT, 'tests/containers/postgres');

export class RealServer {
  async start() {
    this.folder = mkdtempSync(join(tmpdir(), 'rowrunner-web-'));
    this.database = this.postgres('up', '--lifetime-of', String(process.pid)).trim();
    this.children = [];
    this.rowrunner('migrate');
    await this.serve();
    return this;
  }

  postgres(...args) {
    return execFileSync(CONTAINERS, args, { encoding: 'utf8', env: { ...process.env, ROWRUNNER_TEST_ENGINE: 'local' } });
  }

  get environment() {
    const storage = join(this.folder, 'pictures');
    return { ...process.env, DATABASE_URL: this.database, LOCAL_STORAGE_PATH: storage, LOG_LEVEL: 'info' };
  }

  rowrunner(...args) {
    return execFileSync(BINARY, args, { cwd: ROOT, env: this.environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  }

  psql(statement) {
    return execFileSync('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', this.database, '-c', statement], { encoding: 'utf8' }).trim();
  }

  /** A process that lives until stop(), or until it is ended by hand. */
  run(...args) {
    const child = spawn(BINARY, args, { cwd: ROOT, env: this.environment, stdio: ['ignore', 'ignore', 'pipe'] });
    child.ended = new Promise((done) => child.on('exit', done));
    this.children.push(child);
    return child;
  }

  serve() {
    const child = this.run('serve', '--port', '0');
    let log = '';
    return new Promise((done, fail) => {
      child.stderr.on('data', (piece) => {
        log += piece;
        const found = log.match(/http:\/\/[\d.]+:\d+/);
        if (found && log.includes('listening')) done((this.url = found[0]));
      });
      child.ended.then(() => fail(new Error(`rowrunner serve ended: ${log}`)));
    });
  }

  worker(...args) {
    const child = this.run('worker', ...args);
    child.stderr.resume();
    return child;
  }

  async end(child) {
    child.kill('SIGTERM');
    await child.ended;
    this.children.splice(this.children.indexOf(child), 1);
  }

  async stop() {
    for (const child of [...this.children]) await this.end(child);
    this.postgres('down', this.database);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
