/** Elements, made and updated in place, so that the focus stays. */

/** @param {Record<string, unknown>} [properties] of the element; `data-` and `aria-` names become attributes */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) set(made, name, value);
  made.append(...children);
  return made;
}

export function set(target, name, value) {
  if (/^(data-|aria-|role$|scope$)/.test(name)) {
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

/** The state of an action: waiting, or the reason of a failure. */
export function notify(message, isProblem = false) {
  text(byId('notice'), message);
  set(byId('notice'), 'data-problem', isProblem);
}

/**
 * Makes the children of a list match its items, by key.
 *
 * @param {(item: unknown) => HTMLElement} make
 * @param {(child: HTMLElement, item: unknown) => void} [update]
 */
export function keyed(list, items, keyOf, make, update = () => {}) {
  const before = new Map([...list.children].map(child => [child.dataset.key, child]));
  let place = list.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    let child = before.get(key);
    before.delete(key);
    if (!child) {
      child = make(item);
      child.dataset.key = key;
    }
    update(child, item);
    if (child === place) place = place.nextElementSibling;
    else list.insertBefore(child, place);
  }
  for (const gone of before.values()) gone.remove();
}

/** A row of a table: a heading and cells, `[text, class]` each. */
export function tableRows(table, items, keyOf, cells) {
  keyed(
    table.tBodies[0],
    items,
    keyOf,
    item => {
      const [head, ...others] = cells(item);
      return element('tr', {}, element('th', { scope: 'row' }, head[0]), ...others.map(() => element('td')));
    },
    (row, item) => {
      for (const [index, [value, tone = '', chip = '']] of cells(item).slice(1).entries()) {
        const cell = row.cells[index + 1];
        set(cell, 'className', tone);
        if (chip === '') text(cell, value);
        else {
          const shown = cell.firstElementChild ?? cell.appendChild(element('span', { className: 'chip' }));
          text(shown, value);
          set(shown, 'data-tone', chip);
        }
      }
    },
  );
}
