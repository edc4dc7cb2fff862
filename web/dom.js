// patch() changes the page only where a tree of h(…) differs from the last one: focus and scroll position
// survive. Text is always a text node, so nothing that a job contains can become markup.

// h('div.card', {id: 'a'}, kids…); properties may be left out.
export function h(name, ...kids) {
	const [tag, ...classes] = name.split('.');
	const props = kids[0]?.constructor === Object && !('el' in kids[0]) ? { ...kids.shift() } : {};
	if (classes.length) props.class = [...classes, props.class].filter(Boolean).join(' ');
	return { tag, props, kids: clean(kids), el: null };
}

const clean = kids =>
	kids
		.flat(Infinity)
		.filter(kid => kid || kid === 0)
		.map(kid => (typeof kid === 'object' ? kid : { text: String(kid), props: {}, el: null }));

export function patch(root, nodes) {
	const next = clean([nodes]);
	patchKids(root, root.shown ?? [], next, false);
	root.shown = next;
}

function patchKids(el, old, next, svg) {
	const left = [...old];
	const pairs = next.map(node => [node, take(node, left)]);
	// What is gone goes first, or everything behind it would be moved and lose the focus.
	for (const node of left) node.el.remove();
	let at = el.firstChild;
	for (const [node, before] of pairs) {
		if (before) update(before, node, svg);
		else create(node, svg);
		if (node.el === at) at = at.nextSibling;
		else el.insertBefore(node.el, at);
	}
}

function take(node, left) {
	const i = left.findIndex(other => other.tag === node.tag && other.props.key === node.props.key);
	return i < 0 ? null : left.splice(i, 1)[0];
}

function create(node, svg) {
	const { tag, props } = node;
	if (!tag) {
		node.el = document.createTextNode(node.text);
		return;
	}
	const inside = svg || tag === 'svg';
	node.el = inside ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
	patchKids(node.el, [], node.kids, inside);
	setProps(node.el, {}, props);
	props.made?.(node.el);
}

function update(before, node, svg) {
	node.el = before.el;
	if (node.tag) {
		patchKids(node.el, before.kids, node.kids, svg || node.tag === 'svg');
		setProps(node.el, before.props, node.props);
	} else if (before.text !== node.text) node.el.data = node.text;
}

// The user may have changed these since the last time.
const CHOSEN = ['checked', 'selected'];

function setProps(el, before, props) {
	for (const name in before) if (!(name in props)) setProp(el, name, null);
	for (const name in props) {
		const last = CHOSEN.includes(name) ? el[name] : before[name];
		if (last !== props[name]) setProp(el, name, props[name]);
	}
}

function setProp(el, name, value) {
	const attribute = { label: 'aria-label', hide: 'aria-hidden' }[name] ?? name;
	if (name === 'key' || name === 'made') return;
	if (name.startsWith('on')) el[name] = value;
	else if (CHOSEN.includes(name)) el[name] = Boolean(value);
	else if (name === 'vars') for (const key in value) el.style.setProperty(key, value[key]);
	else if (value === undefined || value === null || value === false) el.removeAttribute(attribute);
	else el.setAttribute(attribute, value === true && name !== 'hide' ? '' : value);
}
