// The views of workloads, which are loaded when they are opened. An item of the navigation is shown if its kind is there.
export const WORKLOADS = [
	{ name: 'spot_images', kind: 'spot_image', item: 'plans', views: ['plans', 'plan'] },
	{ name: 'pdf_batch', kind: 'pdf_batch', item: 'pdf', views: ['pdf'] },
	{ name: 'documents', kind: 'document', item: 'documents', views: ['documents', 'document'] },
	{ name: 'ocr_relay', kind: 'ocr_relay', item: 'relay', views: ['relay', 'relay_job'] },
	{ name: 'scoring', kind: 'scoring_chunk', item: 'scoring', views: ['scoring', 'scoring_run'] }
];

export const workloadOf = view => WORKLOADS.find(one => one.views.includes(view));

let styled;

function style() {
	styled ??= new Promise(done => {
		const el = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'workloads/style.css' });
		el.onload = el.onerror = done;
		document.head.append(el);
	});
	return styled;
}

// Resolves with { name of a view: view }.
export async function load({ name }) {
	const [module] = await Promise.all([import(`./workloads/${name}.js`), style()]);
	return module.default;
}

// Shown until a view is there, or while it cannot be loaded.
export const waiting = (error = null) => () => ({ resource: { data: null, error, refresh() {}, stop() {} }, render: () => null });
