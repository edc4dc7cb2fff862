// A view is a function from its state to a tree of h(…) nodes; patch() changes the page only where the
// tree differs from the last one, so that focus, selection and scroll position survive live updates.
// Text is always a text node: nothing that a job contains can become markup.

const SVG = 'http://www.w3.org/2000/svg';

/** h('div.card', {id: 'a'}, kids…); properties may be left out. */
export function h(name, ...kids) {
  const [tag, ...classes] = name.split('.');
  const props = isProps(kids[0]) ? { ...kids.shift() } : {};
  if (classes.length) props.class = [...classes, props.class].filter(Boolean).join(' ');
  return { tag, props, kids: clean(kids), el: null };
}

const isProps = (value) => Boolean(value) && value.constructor === Object && !('el' in value);

function clean(kids) {
  return kids
    .flat(Infinity)
    .filter((kid) => kid || kid === 0)
    .map((kid) => (typeof kid === 'object' ? kid : { text: String(kid), props: {}, el: null }));
}

/** Makes `root` show `nodes`; call it again with the next tree. */
export function patch(root, nodes) {
  const next = clean([nodes]);
  patchKids(root, root.shown ?? [], next, false);
  root.shown = next;
}

function patchKids(el, old, next, svg) {
  const keyed = new Map();
  const free = [];
  for (const node of old) {
    if (node.props.key === undefined) free.push(node);
    else keyed.set(node.props.key, node);
  }
  const pairs = next.map((node) => [node, take(node, keyed, free)]);
  // What is gone is removed first, or everything behind it would be moved and lose the focus.
  for (const node of [...keyed.values(), ...free]) node.el.remove();
  let at = el.firstChild;
  for (const [node, before] of pairs) {
    if (before) update(before, node, svg);
    else create(node, svg);
    if (node.el === at) at = at.nextSibling;
    else el.insertBefore(node.el, at);
  }
}

function take(node, keyed, free) {
  const { key } = node.props;
  if (key !== undefined) {
    const found = keyed.get(key);
    if (found?.tag !== node.tag) return null;
    keyed.delete(key);
    return found;
  }
  const i = free.findIndex((other) => other.tag === node.tag);
  return i < 0 ? null : free.splice(i, 1)[0];
}

function create(node, svg) {
  if (node.tag === undefined) {
    node.el = document.createTextNode(node.text);
    return;
  }
  const inside = svg || node.tag === 'svg';
  node.el = inside ? document.createElementNS(SVG, node.tag) : document.createElement(node.tag);
  patchKids(node.el, [], node.kids, inside);
  setProps(node.el, {}, node.props);
  node.props.made?.(node.el);
}

function update(before, node, svg) {
  node.el = before.el;
  if (node.tag === undefined) {
    if (before.text !== node.text) node.el.data = node.text;
    return;
  }
  patchKids(node.el, before.kids, node.kids, svg || node.tag === 'svg');
  setProps(node.el, before.props, node.props);
}

function setProps(el, before, props) {
  for (const name in before) if (!(name in props)) setProp(el, name, undefined);
  for (const name in props) {
    // The user may have changed these since the last time.
    const live = name === 'value' || name === 'checked';
    if (live ? el[name] !== props[name] : before[name] !== props[name]) setProp(el, name, props[name]);
  }
}

function setProp(el, name, value) {
  if (name === 'key' || name === 'made') return;
  if (name.startsWith('on')) el[name.toLowerCase()] = value ?? null;
  else if (name === 'value' || name === 'checked' || name === 'indeterminate') el[name] = value ?? '';
  else if (name === 'vars') for (const key in value) el.style.setProperty(key, value[key]);
  else if (value === undefined || value === null || value === false) el.removeAttribute(name);
  else el.setAttribute(name, value === true ? '' : value);
}
