// The state of a view is in the address, behind #, where it cannot collide with a route of the server.

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

export function search(params) {
	const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value)).toString();
	return query && `?${query}`;
}

export const link = (view, params = {}, ...parts) =>
	`#/${[view, ...parts].map(encodeURIComponent).join('/')}${search(params)}`;

export const jobLink = ({ kind, id }) => link('job', {}, kind, id);
