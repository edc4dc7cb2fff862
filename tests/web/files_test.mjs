// What the files of the page must be: small, in two languages, and free of what its policy forbids.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

const WEB = new URL('../../web/', import.meta.url);
const names = (await readdir(WEB, { recursive: true })).filter((name) => name.includes('.'));
const files = new Map(await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, WEB), 'utf8')])));
const scripts = [...files].filter(([name]) => name.endsWith('.js'));
// Those of the page itself, and those that come with the views of workloads.
const tables = scripts.flatMap(([, text]) => [...text.matchAll(/(?:const TABLE = |addWords\()`\n([^]*?)`/g)].map((match) => match[1].split('\n')));

/** key -> [English, Japanese] */
function strings() {
  const found = new Map();
  for (const table of tables) {
    let prefix = '';
    for (const line of table) {
      const [key, ...texts] = line.split(/\|(?![^{]*\})/);
      if (key.startsWith('#')) prefix = `${key.slice(1)}.`;
      else {
        assert.ok(!found.has(prefix + key), `${prefix}${key} is there twice`);
        found.set(prefix + key, texts);
      }
    }
  }
  return found;
}

// What a browser loads for the views of a workload, the gallery of plans among them: its module, and their style.
test('the page has at most 80 kB, and the views of a workload add at most 15 kB', () => {
  const size = (names) => names.reduce((sum, name) => sum + Buffer.byteLength(files.get(name)), 0);
  const own = names.filter((name) => name.startsWith('workloads/'));
  const bytes = size(names.filter((name) => !own.includes(name)));
  assert.ok(bytes <= 80_000, `${bytes} bytes`);
  const style = 'workloads/style.css';
  for (const name of own.filter((name) => name !== style)) {
    assert.ok(size([name, style]) <= 15_000, `${name} and its style have ${size([name, style])} bytes`);
  }
});

test('no file has more than 400 lines', () => {
  for (const [name, text] of files) assert.ok(text.split('\n').length <= 400, name);
});

test('every text has both languages, with the same gaps', () => {
  const gaps = (text) => [...text.matchAll(/\{(\w+)[^}]*\}/g)].map((match) => match[1]);
  for (const [key, texts] of strings()) {
    assert.equal(texts.length, 2, key);
    assert.ok(texts.every(Boolean), key);
    assert.deepEqual(new Set(gaps(texts[0])), new Set(gaps(texts[1])), key);
  }
});

test('every text that is used exists, and every text is used', () => {
  const all = scripts.filter(([name]) => name !== 'strings.js').map(([, text]) => text).join('\n');
  const named = new Set([...all.matchAll(/'([a-z_]+(?:\.[\w-]+)?)'/g)].map((match) => match[1]));
  const families = [...all.matchAll(/`(\w+\.)\$\{/g)].map((match) => match[1]);
  const known = strings();
  for (const [, key] of all.matchAll(/\bt\('([^']+)'/g)) assert.ok(known.has(key), `${key} does not exist`);
  for (const key of known.keys()) {
    assert.ok(named.has(key) || families.some((family) => key.startsWith(family)), `${key} is not used`);
  }
});

test('nothing is inline, and nothing comes from elsewhere', () => {
  const page = files.get('index.html');
  assert.doesNotMatch(page, /<style|style=|\son\w+=|<script(?![^>]*src=)/i);
  for (const [name, text] of files) {
    assert.doesNotMatch(text.replaceAll('http://www.w3.org/2000/svg', ''), /(?:src|href|url|import|from)\W{1,4}https?:/, name);
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|\beval\(|new Function|document\.write/, name);
  }
});
