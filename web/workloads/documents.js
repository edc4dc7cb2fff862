// Documents: upload, search, and each with its pages as image and text.
import { addWords, ask, bar, button, clock, dateTime, empty, get, h, icon, link, pages, post, reason, Resource, search, t, toast, when } from '../kit.js';

addWords(`
#documents
choose|Upload a PDF|PDFをアップロード
none|No document yet|文書はまだありません
sending|Uploading …|アップロード中…
search|Search the text of all documents|全文書の本文を検索
nothing|No page has this text|該当するページはありません
hit|page {n}|{n}ページ
read|{n} of {of} pages read|{of}ページ中{n}ページ読み取り済み
left|done about {clock}|{clock}頃に完了
page|Page {n}|{n}ページ
range|Pages {from} to {to}|{from}～{to}ページ
image|Image of page {n}|{n}ページの画像
text|Text|本文
blank|This page is blank|白紙のページ
unread|Not read yet|未読み取り
sure|confidence {n} %|信頼度 {n} %
pdf|Searchable PDF|検索可能PDF
ask_cancel|Cancel the job of {title}?|{title} のジョブを取り消しますか？
kept|Pages that were read are kept.|読み取り済みのページは残ります。
hidden|The status of the job is not shown: {why}|ジョブの状態を表示できません：{why}
pending|Waiting|待機中
processing|Reading|読み取り中
completed|Read|読み取り完了
failed|Failed|失敗
cancelled|Cancelled|取消済み`);

const PILLS = { pending: 'queued', completed: 'succeeded' };
const WORDS = { queued: 'pending', succeeded: 'completed' };
const AT_ONCE = 50;
const url = (...parts) => `/documents/${parts.map(encodeURIComponent).join('/')}`;

// A status of a job, or the document's word for it.
function state(status) {
	const word = WORDS[status] ?? status;
	const look = PILLS[word] ?? word;
	return status && h('span.pill', { class: look }, h('i.dot', { class: look, hide: true }), t(`documents.${word}`));
}

async function attempt(work) {
	try {
		return await work;
	} catch (error) {
		toast(reason(error), 'bad');
		return null;
	}
}

async function upload(body, app) {
	const form = new FormData();
	form.append('file', body, body.name);
	toast(t('documents.sending'));
	const answer = await fetch('/documents/upload', { method: 'POST', body: form }).catch(() => null);
	const data = await answer?.json().catch(() => null);
	if (!answer?.ok) return toast(`${body.name}: ${data?.detail ?? t('stale.server')}`, 'bad');
	location.hash = link('document', {}, data.document_id);
	return app.draw();
}

// The part of a hit that was searched for, marked.
function marked(text, wanted) {
	const at = text.toLowerCase().indexOf(wanted.toLowerCase());
	if (at < 0) return text;
	return [text.slice(0, at), h('mark', text.slice(at, at + wanted.length)), text.slice(at + wanted.length)];
}

function documents(app) {
	let resource;
	let params;

	function follow() {
		({ params } = app.route);
		resource?.stop();
		const path = params.q ? '/documents/search' : '/documents';
		resource = new Resource(`${path}${search({ q: params.q, after: params.after, limit: 50 })}`, app.draw, params.q ? 60_000 : 5000);
		return true;
	}

	const find = event => {
		event.preventDefault();
		location.hash = link('documents', { q: new FormData(event.target).get('q').trim() });
	};

	const choose = ({ target }) => {
		for (const body of target.files) upload(body, app);
		target.value = '';
	};

	const toolbar = () =>
		h('div.toolbar',
			h('form', { role: 'search', onsubmit: find }, h('input', { type: 'search', name: 'q', value: params.q, minlength: 2, placeholder: t('documents.search'), label: t('documents.search') })),
			h('label.button.primary', t('documents.choose'), h('input.hidden', { type: 'file', accept: 'application/pdf,.pdf', multiple: true, onchange: choose }))
		);

	const hit = one =>
		h('li.card.item', { key: `${one.document_id} ${one.page}` },
			h('a.row', { href: link('document', { q: params.q, page: one.page }, one.document_id) }, h('strong', one.title), ' · ', t('documents.hit', { n: one.page })),
			h('p', marked(one.snippet, params.q))
		);

	const card = one => {
		const words = t('documents.read', { n: one.read_pages, of: one.total_pages });
		return h('li.card.document.item', { key: one.document_id },
			icon('documents'),
			h('div', h('a.row', { href: link('document', {}, one.document_id) }, h('strong', one.title)), h('p.muted', one.user_id, ' · ', when(one.created_at))),
			h('div', state(one.job_status), bar(one.read_pages, one.total_pages, words), h('span.muted', words))
		);
	};

	function render() {
		const { items, next } = resource.data;
		if (!items.length) return empty(t(params.q ? 'documents.nothing' : 'documents.none'));
		return [h('ul.documents', items.map(params.q ? hit : card)), pages('documents', params, next)];
	}

	follow();
	return {
		get resource() {
			return resource;
		},
		toolbar,
		render,
		follow
	};
}

function showDocument(app) {
	const [id] = app.route.parts;
	const resource = new Resource(url(id), app.draw, 3000);
	// So many pages at a time, those around the one that the address names.
	const { params } = app.route;
	const before = Math.max(0, Math.floor(((Number(params.page) || 1) - 1) / AT_ONCE) * AT_ONCE);
	const texts = new Resource(`${url(id, 'pages')}${search({ after: before, limit: AT_ONCE })}`, app.draw, 5000);
	let followed;
	let job = null;
	let refused = null;

	// The status of the job is answered for a day; the document stays, and may get another job.
	async function readJob() {
		const named = resource.data?.job_id;
		if (named !== followed) [followed, job, refused] = [named, null, null];
		if (!named || refused || document.hidden || ['completed', 'failed', 'cancelled'].includes(job?.status)) return;
		try {
			const read = await get(`/documents/jobs/${encodeURIComponent(named)}`);
			if (named === followed) job = read;
		} catch (error) {
			// Whoever may not see it, or asks too late, does not ask again.
			if (named === followed && [403, 404].includes(error.status)) refused = error;
		}
		app.draw();
	}
	const timer = setInterval(readJob, 1000);

	const change = async action => {
		const { job_id: named, title } = resource.data;
		if (action === 'cancel' && !(await ask(t('documents.ask_cancel', { title }), t('documents.kept'), t('act.cancel'), 'danger'))) return;
		await attempt(post(`/documents/jobs/${encodeURIComponent(named)}/${action}`));
		[followed, job] = [null, null];
		resource.refresh();
	};

	const buttons = status => [
		['queued', 'pending', 'processing'].includes(status) && button('cancel', () => change('cancel')),
		['failed', 'cancelled'].includes(status) && button('retry', () => change('retry'), 'primary')
	];

	function head() {
		const one = resource.data;
		const status = job?.status ?? one.job_status;
		const done = job?.processed_pages ?? one.read_pages;
		const words = t('documents.read', { n: done, of: one.total_pages });
		const until = job?.status === 'processing' && job.estimated_completion;
		return h('section.card.document-head',
			h('p.line', state(status), h('span', words), until && h('span.muted', t('documents.left', { clock: clock(until) }))),
			bar(done, one.total_pages, words),
			job?.error && h('p.error', job.error),
			refused && h('p.error', t('documents.hidden', { why: reason(refused) })),
			h('div.buttons', !refused && buttons(status), h('a.button', { href: url(id, 'searchable.pdf'), download: '' }, t('documents.pdf')))
		);
	}

	function sheet(n) {
		const found = texts.data?.items.find(one => one.page === n);
		const { q } = app.route.params;
		const made = el => String(n) === app.route.params.page && el.scrollIntoView();
		const text = () => {
			if (!found) return h('p.muted', t('documents.unread'));
			if (found.error) return h('p.error', found.error);
			return found.blank ? h('p.muted', t('documents.blank')) : h('pre', { tabindex: 0, label: t('documents.text') }, q ? marked(found.text, q) : found.text);
		};
		const sure = found?.confidence && h('span.muted', { title: dateTime(found.updated_at) }, t('documents.sure', { n: Math.round(found.confidence) }));
		return h('section.card.sheet', { key: n, made, label: t('documents.page', { n }) },
			h('h2', t('documents.page', { n }), ' ', sure),
			h('div.beside', h('img', { src: url(id, 'pages', n, 'image'), alt: t('documents.image', { n }), loading: 'lazy' }), text())
		);
	}

	function ranges(total) {
		const one = from => from > 0 && from <= total && h('a.button', { href: link('document', { ...params, page: from }, id) }, t('documents.range', { from, to: Math.min(from + AT_ONCE - 1, total) }));
		return total > AT_ONCE && h('nav.pages', { label: t('jobs.pages') }, one(before + 1 - AT_ONCE), one(before + 1 + AT_ONCE));
	}

	function render() {
		const { total_pages: total } = resource.data;
		return [head(), Array.from({ length: Math.max(0, Math.min(total - before, AT_ONCE)) }, (_, i) => sheet(before + i + 1)), ranges(total)];
	}

	return {
		title: () => resource.data?.title ?? id,
		resource,
		render,
		stop() {
			clearInterval(timer);
			texts.stop();
		}
	};
}

export default { documents, document: showDocument };
