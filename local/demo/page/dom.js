/** Elements, made and updated in place, so that the focus stays. */

/** @param {Record<string, unknown>} [properties] of the element; `data-` and `aria-` names become attributes */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) set(made, name, value);
  made.append(...children);
  return made;
}

export function set(target, name, value) {
  if (/^(data-|aria-|role$)/.test(name)) {
    if (target.getAttribute(name) !== String(value)) target.setAttribute(name, String(value));
  } else if (target[name] !== value) target[name] = value;
}

export function byId(id) {
  return document.getElementById(id);
}

/** Sets the text if it differs. */
export function text(target, value) {
  const shown = String(value);
  if (target.textContent !== shown) target.textContent = shown;
}

/** Makes the children of a list match its items, by name. */
export function listed(list, items, make, update) {
  const before = new Map([...list.children].map(child => [child.dataset.name, child]));
  for (const item of items) {
    const child = before.get(item.name) ?? make(item);
    before.delete(item.name);
    child.dataset.name = item.name;
    update(child, item);
    if (!child.parentNode) list.append(child);
  }
  for (const gone of before.values()) gone.remove();
}

const NUMBERS = new Intl.NumberFormat('en-US');

export const count = value => NUMBERS.format(value);

/** `1 row`, `2 rows` */
export const countText = (value, singular) => `${count(value)} ${singular}${value === 1 ? '' : 's'}`;
