// PDF batches: upload, start, watch the bar move, download the result; several at once.
import { addWords, bar, button, empty, get, h, keep, post, recall, reason, Resource, route, t, toast } from '../kit.js';
import { rows } from '../rows.js';

addWords(`
#pdf
drop|Drop PDF files here, or choose them|ここにPDFをドロップするか、ファイルを選択
choose|Choose files|ファイルを選択
mine|This visit|今回のファイル
newest|Newest|最新のジョブ
none|No PDF was analysed yet|まだ解析したPDFはありません
uploading|Uploading {part}|アップロード中 {part}
ready|Uploaded|アップロード済み
pending|Waiting|待機中
processing|Running|実行中
completed|Completed|完了
failed|Failed|失敗
download|Download result|結果をダウンロード
not_pdf|{name} is no PDF|{name} はPDFではありません
gone|Its status is no longer kept|ステータスの保存期間が過ぎました
#act
start|Start analysis|解析開始
start_all|Start all|すべて解析開始`);

const PILLS = { pending: 'queued', processing: 'processing', completed: 'succeeded', failed: 'failed' };
const STORE = 'pdf.files';
const ENDED = ['completed', 'failed'];

// They outlive the view: an upload goes on while another view is open.
const files = recall(STORE)?.data ?? [];
let draw = () => {};

const known = () => files.filter(file => file.state !== 'uploading');

function changed() {
	keep(STORE, known().map(({ name, job_id, pdf_path, state, status }) => ({ name, job_id, pdf_path, state, status })));
	draw();
}

// fetch tells nothing of how much was sent.
function send(file, body) {
	const request = new XMLHttpRequest();
	request.open('POST', route(['pdf-batch', 'upload'], { job_id: file.job_id }));
	request.setRequestHeader('Content-Type', 'application/pdf');
	request.upload.onprogress = ({ loaded, total }) => {
		file.part = total ? loaded / total : 0;
		draw();
	};
	request.onload = () => {
		let answer = null;
		try {
			answer = JSON.parse(request.responseText);
		} catch {} // an answer of a proxy
		if (request.status < 300 && answer) Object.assign(file, { state: 'ready', pdf_path: answer.pdf_path });
		else refuse(file, answer?.error?.message ?? request.statusText);
		changed();
	};
	request.onerror = () => {
		refuse(file, t('stale.server'));
		draw();
	};
	request.send(body);
}

function refuse(file, message) {
	files.splice(files.indexOf(file), 1);
	toast(`${file.name}: ${message}`, 'bad');
}

function add(chosen) {
	for (const body of chosen) {
		if (!/\.pdf$/i.test(body.name) && body.type !== 'application/pdf') {
			toast(t('pdf.not_pdf', { name: body.name }), 'bad');
			continue;
		}
		const file = { name: body.name, job_id: crypto.randomUUID?.() ?? `pdf-${Date.now()}-${files.length}`, state: 'uploading', part: 0 };
		files.unshift(file);
		send(file, body);
	}
	draw();
}

async function start(file) {
	try {
		await post('/api/pdf-batch', { job_id: file.job_id, pdf_path: file.pdf_path });
		file.state = 'started';
	} catch (error) {
		toast(reason(error), 'bad');
	}
	changed();
}

// Each status of a started file is read once a second until it has ended.
async function follow(file) {
	try {
		file.status = await get(route(['pdf-batch', file.job_id]));
	} catch ({ status }) {
		if (status === 404) file.status = { status: 'failed', progress: 0, message: t('pdf.gone'), error_msg: '' };
	}
	if (file.status && ENDED.includes(file.status.status)) changed();
	else draw();
}

const running = () => files.filter(file => file.state === 'started' && !ENDED.includes(file.status?.status));

function drop() {
	const stop = event => event.preventDefault();
	const take = event => {
		stop(event);
		add(event.dataTransfer.files);
	};
	const choose = ({ target }) => {
		add(target.files);
		target.value = '';
	};
	return h('label.card.drop', { ondragover: stop, ondrop: take },
		h('span', t('pdf.drop')),
		h('span.button', t('pdf.choose')),
		h('input.hidden', { type: 'file', accept: 'application/pdf,.pdf', multiple: true, onchange: choose })
	);
}

function state({ state: at, part, status }) {
	if (at === 'uploading') return [h('span.muted', t('pdf.uploading', { part: `${Math.round(part * 100)} %` })), bar(part, 1, t('pdf.uploading', { part: '' }))];
	if (at === 'ready') return h('span.muted', t('pdf.ready'));
	const now = status ?? { status: 'pending', progress: 0, message: '' };
	return [
		h('span', { role: 'status' }, h('span.pill', { class: PILLS[now.status] }, h('i.dot', { class: PILLS[now.status], hide: true }), t(`pdf.${now.status}`)), ' ', now.message),
		bar(now.progress, 100, `${now.progress} %`),
		now.error_msg && h('p.error', now.error_msg.split('\n')[0])
	];
}

function actions(file) {
	if (file.state === 'ready') return button('start', () => start(file), 'primary');
	if (file.status?.status !== 'completed') return null;
	return h('a.button', { href: route(['pdf-batch', file.job_id, 'result']), download: `${file.name}.json` }, t('pdf.download'));
}

const card = file =>
	h('li.card.pdf.item', { key: file.job_id }, h('strong', file.name), h('div.state', state(file)), h('div.buttons', actions(file)));

function pdf(app) {
	// The list of all jobs is not for everybody.
	const all = app.who.role !== 'user';
	const resource = all ? new Resource('/api/jobs?kind=pdf_batch&limit=20', app.draw) : { data: { items: [] }, refresh() {}, stop() {} };
	const timer = setInterval(() => document.hidden || running().forEach(follow), 1000);
	draw = app.draw;

	function render() {
		const ready = files.filter(file => file.state === 'ready');
		const { items } = resource.data;
		return [
			drop(),
			ready.length > 1 && h('p.buttons', button('start_all', () => ready.forEach(start), 'primary')),
			files.length > 0 && h('section', { label: t('pdf.mine') }, h('h2', t('pdf.mine')), h('ul.pdfs', files.map(card))),
			items.length > 0 && h('section.list', { label: t('pdf.newest') }, h('h2', t('pdf.newest')), rows(items, {})),
			!files.length && !items.length && empty(t('pdf.none'))
		];
	}

	return {
		resource,
		render,
		jobs: () => resource.data?.items.filter(job => ['queued', 'processing'].includes(job.status)) ?? [],
		receive({ type, data }) {
			const row = type === 'job' && resource.data?.items.find(job => job.id === data.id);
			if (row) Object.assign(row, data);
		},
		stop() {
			clearInterval(timer);
			draw = () => {};
		}
	};
}

export default { pdf };
