/** Creates elements and updates them in place, so that an element that has the focus keeps it. */

/**
 * @param {Record<string, unknown>} [properties] values by the name of the property; names with
 * `data-` and `aria-` become attributes
 */
export function createElement(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) setProperty(made, name, value);
  made.append(...children);
  return made;
}

export function setProperty(target, name, value) {
  if (/^(data-|aria-|role$)/.test(name)) {
    if (target.getAttribute(name) !== String(value)) target.setAttribute(name, String(value));
  } else if (target[name] !== value) target[name] = value;
}

export function elementById(id) {
  return document.getElementById(id);
}

/** Sets the text of an element if it differs from the present text. */
export function setText(target, value) {
  const shown = String(value);
  if (target.textContent !== shown) target.textContent = shown;
}

/** Makes the children of a list match its items, by name. */
export function updateList(list, items, make, update) {
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

export const formatNumber = value => NUMBERS.format(value);

/** A number with its noun, for example `1 row` or `2 rows`. */
export const countText = (value, singular) => `${formatNumber(value)} ${singular}${value === 1 ? '' : 's'}`;
