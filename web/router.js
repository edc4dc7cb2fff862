// The whole state of a view is in the address: #/jobs?kind=spot_image&status=failed. The part behind # is
// never sent, so no path of the page can collide with a route of the server.

export function parse(hash) {
	const [path, query = ''] = hash.replace(/^#\/?/, '').split('?');
	const [view, ...parts] = path.split('/').map(decode);
	return { view: view || 'overview', parts, params: Object.fromEntries(new URLSearchParams(query)) };
}

function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** "?a=1" of those that are set. */
export function search(params) {
	const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value)).toString();
	return query && `?${query}`;
}

export const link = (view, params = {}, ...parts) =>
	`#/${[view, ...parts].map(encodeURIComponent).join('/')}${search(params)}`;

export const jobLink = ({ kind, id }) => link('job', {}, kind, id);
