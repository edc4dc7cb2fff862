// Data in every state that the page can show, in the shapes of the server's routes.

const NOW = Date.now();
const ago = (seconds) => new Date(NOW - seconds * 1000).toISOString();
const uuid = (n) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const of = (n, capped = false) => ({ n, capped });

function perMinute(base, failures) {
  const wave = (i) => Math.max(0, Math.round(base * (1 + 0.5 * Math.sin(i / 6)) + ((i * 7919) % 11) - 5));
  const succeeded = Array.from({ length: 60 }, (_, i) => (base ? wave(i) : 0));
  const failed = succeeded.map((_, i) => (i % 9 === 4 || i > 54 ? failures : 0));
  return { until: ago(0), succeeded, failed };
}

const hour = (succeeded, failed) => ({
  claimed: succeeded + failed, succeeded, failed, retried: 3, rescued: 0, released: 0, refused: 0,
});

export const overview = () => ({
  as_of: new Date().toISOString(),
  stale: false,
  kinds: [
    {
      kind: 'ocr_page', paused: false, workers: 0, waiting: of(412), running: of(0), delayed: of(0), held: of(10),
      failed: of(0), oldest_waiting_seconds: 642.5, last_hour: hour(120, 0), per_minute: perMinute(0, 0),
    },
    {
      kind: 'spot_image', paused: false, workers: 3, waiting: of(12), running: of(3), delayed: of(2), held: of(0),
      failed: of(3), oldest_waiting_seconds: 12.5, last_hour: hour(2301, 14), per_minute: perMinute(38, 2),
    },
    {
      kind: 'score_chunk', paused: false, workers: 8, waiting: of(10000, true), running: of(240), delayed: of(31),
      held: of(0), failed: of(10000, true), oldest_waiting_seconds: 95, last_hour: hour(48211, 2904),
      per_minute: perMinute(810, 60),
    },
    {
      kind: 'webhook_delivery', paused: true, workers: 2, waiting: of(64), running: of(0), delayed: of(7), held: of(0),
      failed: null, oldest_waiting_seconds: 310, last_hour: hour(900, 1), per_minute: perMinute(15, 0),
    },
  ],
  problems: [
    { code: 'no_live_worker', kind: 'ocr_page', message: "412 jobs of ocr_page wait and no worker serves them: start 'rowrunner worker'" },
    { code: 'oldest_too_old', kind: 'ocr_page', message: 'the oldest waiting job of ocr_page is due for 642 s' },
    { code: 'vacuum_blocked', kind: null, message: 'session 4242 (psql, idle in transaction) has blocked VACUUM for 12 min' },
  ],
});

const SPOTS = [
  ['金閣寺', '北山', '雪の冬の朝、鏡湖池に映る金箔の舎利殿。しんと静まる池の面に、白い屋根と金色の壁が逆さに揺れる。'],
  ['伏見稲荷大社', '伏見', '稲荷山へと続く朱色の千本鳥居。夕焼けの光が鳥居の隙間から差し込み、石段を赤く染める。'],
  ['清水寺', '東山', '紅葉の秋、崖にせり出す檜の舞台。音羽の滝の水は、いまも途切れず流れる。'],
  ['嵐山 竹林の小径', '嵯峨嵐山', '朝の霧に包まれた竹林の道。風が通るたびに葉がさわさわと鳴る。'],
  ['渡月橋', '嵯峨嵐山', '春、桜に彩られた嵐山を背に、桂川に架かる長い橋。'],
  ['祇園 花見小路', '祇園', '夜の石畳に提灯の灯がともる花街の通り。'],
  ['銀閣寺', '東山', '月の夜に思いを馳せる、秋の東山の庭。'],
  ['二条城', '中京', '徳川の栄華を伝える二の丸御殿。'],
];
const ERROR = 'image API answered 503 Service Unavailable: upstream connect error (request 7f3a91c2)';
const STATUSES = ['succeeded', 'succeeded', 'succeeded', 'processing', 'failed', 'queued', 'processing', 'queued'];

export const jobRow = (n, status, more = {}) => ({
  kind: 'spot_image', id: uuid(n), status, attempts: status === 'failed' ? 3 : status === 'queued' ? 0 : 1, max_attempts: 3,
  priority: 0, created_at: ago(900 - n), updated_at: ago(n * 7 + 2), run_at: ago(900 - n),
  locked_by: status === 'processing' ? 'kyoto-1:3121:9f2c' : null, locked_at: status === 'processing' ? ago(8) : null,
  last_error: status === 'failed' ? ERROR : null,
  own: { plan_id: 'kyoto', spot_name: SPOTS[n % SPOTS.length][0] }, ...more,
});

export function jobs() {
  const list = STATUSES.map((status, n) => jobRow(n, status));
  list.push(jobRow(20, 'queued', { run_at: ago(-340), attempts: 1, last_error: ERROR }));
  list.push(jobRow(21, 'queued', { run_at: null }));
  list.push(jobRow(22, 'cancelled'));
  for (let n = 30; n < 50; n += 1) list.push(jobRow(n, 'queued'));
  return list;
}

export const jobDetails = (row) => ({
  kind: row.kind, id: row.id, status: row.status, own: row.own,
  job: { id: row.id, plan_id: 'kyoto', spot_name: row.own.spot_name, lease: '9007199254740993', ...engineColumns(row) },
  steps: row.status === 'processing'
    ? [{ step: 'prompt', result: { words: 42, style: 'woodblock print' }, created_at: ago(7) },
       { step: 'draft', result: { key: 'drafts/01.png', bytes: 381204 }, created_at: ago(3) }]
    : [],
  progress: row.status === 'processing' ? { done: 4, total: 10, message: 'page 4', updated_at: ago(1) } : null,
  seconds_left: row.status === 'processing' ? 31.5 : null,
  attempts: row.status === 'failed'
    ? [1, 2, 3].map((n) => ({ attempt: n, worker: 'kyoto-1:3121:9f2c', started_at: ago(400 - n * 60), ended_at: ago(395 - n * 60), error: ERROR }))
    : [],
  waits_because: null,
  waits: waitsOf(row),
});

function engineColumns({ own, kind, id, ...row }) {
  return { ...row, run_at: row.run_at ?? 'infinity' };
}

function waitsOf(row) {
  if (row.waits) return row.waits;
  if (row.status !== 'queued') return [];
  if (row.run_at === null) return [{ code: 'held', left: 2, total: 10, message: 'it waits for 2 of 10 jobs' }];
  if (Date.parse(row.run_at) > Date.now()) return [{ code: 'delayed', message: 'it is delayed' }];
  return [{ code: 'position', before: 411, capped: false, message: 'it is about number 412 in the queue' }];
}

/** Every cause, as the server names them. */
export const everyCause = [
  { code: 'paused', message: 'kind spot_image is paused: run rowrunner kinds resume spot_image' },
  { code: 'no_worker', message: 'no worker has reported for kind spot_image in the last 30 seconds' },
  { code: 'row_locked', pid: 4242, application: 'psql', since: '12:03', message: 'its row is locked by session 4242 (psql)' },
  { code: 'table_locked', message: 'its table is locked by session 77 (pg_dump, since 11:58)' },
  { code: 'claim_error', error: 'invalid input syntax', message: 'it could not be claimed: invalid input syntax' },
  { code: 'no_entry', message: 'it has no queue entry: run rowrunner kinds repair spot_image' },
  { code: 'no_triggers', message: 'triggers of its table are missing' },
  { code: 'lost_worker', worker: 'w-1', message: 'worker w-1 was lost' },
  { code: 'vacuum_blocked', session: 'session 9 (psql)', message: 'claims are slow' },
  { code: 'held_by_hand', message: 'its run_at is infinity' },
];

export const failed = () => ({
  as_of: new Date().toISOString(),
  items: [
    { kind: 'score_chunk', fingerprint: '-8234761230984512345', count: of(10000, true), first_failed_at: ago(86000), last_failed_at: ago(4),
      sample: { job_id: uuid(900), error: 'LLM answered 429 Too Many Requests: rate limit of 60 a minute for model gpt-4.1' } },
    { kind: 'spot_image', fingerprint: '9007199254740993', count: of(3), first_failed_at: ago(3600), last_failed_at: ago(61),
      sample: { job_id: uuid(4), error: ERROR } },
    { kind: 'webhook_delivery', fingerprint: '12', count: of(1), first_failed_at: ago(7200), last_failed_at: ago(7200),
      sample: { job_id: uuid(901), error: 'https://hooks.example.com answered 410 Gone' } },
  ],
  complete: true,
});

export const plan = () => ({
  plan_id: 'kyoto', title: '京都 四季をめぐる名所',
  spots: SPOTS.map(([spot_name, area, description], n) => ({
    spot_name, area, description,
    image_url: STATUSES[n] === 'succeeded' ? `file:///pictures/${n}.png` : null,
    image_status: STATUSES[n] === 'queued' ? 'not_started' : STATUSES[n],
    job: { kind: 'spot_image', id: uuid(n), status: STATUSES[n], attempts: STATUSES[n] === 'failed' ? 3 : n === 5 ? 1 : 0, max_attempts: 3, last_error: STATUSES[n] === 'failed' ? ERROR : null },
  })),
});

export const plans = () => ({
  items: [{ plan_id: 'kyoto', title: '京都 四季をめぐる名所', created_at: ago(900) }, { plan_id: 'atlas', title: 'An atlas of light', created_at: ago(90000) }],
  complete: true,
});

export const workers = () => ({
  as_of: new Date().toISOString(), complete: true,
  items: [
    { worker: 'kyoto-1:3121:9f2c', kinds: ['spot_image'], version: '0.9.0', started_at: ago(86400), seen_at: ago(1), alive: true, running: 2 },
    { worker: 'kyoto-2:88:01bc', kinds: ['spot_image', 'score_chunk', 'webhook_delivery'], version: '0.9.0', started_at: ago(4000), seen_at: ago(2), alive: true, running: 240 },
    { worker: 'osaka-7:411:77aa', kinds: ['score_chunk'], version: '0.8.2', started_at: ago(9000), seen_at: ago(1900), alive: false, running: 0 },
  ],
});

export { ago, uuid };
