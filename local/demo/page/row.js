/** One row, from end to end. */
import { read } from './api.js';
import { byId, element, notify, set, text } from './dom.js';
import { moment } from './format.js';

const dialog = byId('row');
byId('row-close').onclick = () => dialog.close();
dialog.onclick = event => {
  if (event.target === dialog) dialog.close();
};

export async function showRow(stream, id) {
  try {
    fill((await read('row', { stream, id })) ?? UNKNOWN);
  } catch (error) {
    return notify(error.message, true);
  }
  text(byId('row-title'), `${stream} ${id}`);
  if (!dialog.open) dialog.showModal();
}

const UNKNOWN = {
  summary: 'Nothing is known about this row: neither the API nor the SIEM has it.',
  versions: [],
  events: [],
  state: null,
  noState: 'None.',
};

function fill({ summary, versions, events, state, noState }) {
  text(byId('row-summary'), summary);
  byId('row-versions').replaceChildren(...orNone(versions.toReversed().map(versionItem), 'The API has no such row.'));
  byId('row-events').replaceChildren(...orNone(events.toReversed().map(eventItem), 'None.'));
  const members = Object.entries(state ?? {}).flatMap(([name, value]) => [
    element('dt', {}, name),
    element('dd', {}, element('code', {}, String(value))),
  ]);
  byId('row-state').replaceChildren(...members);
  set(byId('row-state'), 'hidden', members.length === 0);
  text(byId('row-no-state'), noState ?? '');
}

function orNone(items, sentence) {
  return items.length > 0 ? items : [element('li', {}, sentence)];
}

function versionItem({ at, change, row }) {
  return element(
    'li',
    {},
    element(
      'div',
      { className: 'meta' },
      element('span', { className: 'chip', 'data-tone': 'info' }, change),
      element('time', {}, at === null ? 'before the demo began' : moment(at)),
    ),
    row === null ? 'No list of the API shows it any more.' : element('pre', {}, row),
  );
}

function eventItem({ kind, eventId, sequence, readAt, object, row, isRepeat, isHeld }) {
  const chips = [
    element('span', { className: 'chip', 'data-tone': 'info' }, kind),
    ...(isHeld ? [element('span', { className: 'chip', 'data-tone': 'good' }, 'what the copy holds')] : []),
    ...(isRepeat ? [element('span', { className: 'chip', 'data-tone': 'warn' }, 'a repeat')] : []),
  ];
  return element(
    'li',
    {},
    element('div', { className: 'meta' }, ...chips, element('time', {}, `read ${moment(readAt)}`)),
    element('div', { className: 'object' }, `sequence ${sequence}, event_id ${eventId}`),
    element('div', { className: 'object' }, object),
    ...(row === null ? [] : [element('pre', {}, row)]),
  );
}
