/** The two ways from the API to a SIEM. */
import { chart } from './chart.js';
import { byId, count, countText, element, set, text } from './dom.js';

const lanes = { connector: makeLane('connector'), script: makeLane('script') };

function makeLane(name) {
  const figures = {
    events: figure('Events', 'sent in the last hour'),
    duplicates: figure('Duplicates', ''),
    ghosts: figure('Ghosts', 'gone from the API'),
    bytes: figure('Volume', 'for the SIEM to index'),
  };
  const list = element('dl', { className: 'figures' }, ...Object.values(figures).map(({ box }) => box));
  const drawn = chart(`Rows that are wrong in the SIEM of the ${name}`);
  const wrong = element('strong');
  const caption = element('p', { className: 'caption' }, wrong, ' in its SIEM');
  const state = element('p', { className: 'state' });
  const lane = byId(name);
  lane.append(list, element('figure', {}, caption, drawn.svg), state);
  return { lane, figures, drawn, wrong, state };
}

function figure(label, note) {
  const value = element('dd');
  const small = element('dd', { className: 'small' }, note);
  return { box: element('div', {}, element('dt', {}, label), value, small), value, small };
}

export function showLanes({ connector, script, streams, changes }) {
  const rows = streams.reduce((sum, stream) => sum + stream.rows, 0);
  text(byId('changes'), `${countText(changes, 'change')} among ${count(rows)} rows of the API`);

  const top = Math.max(10, ...connector.wrong, ...script.wrong);
  showLane(lanes.connector, connector, top);
  showLane(lanes.script, script, top);

  const failed = streams.filter(({ state }) => state === 'failed').map(({ name }) => name);
  const repeats = connector.repeats > 0 ? ` ${countText(connector.repeats, 'repeat')} dropped by event_id.` : '';
  state(
    lanes.connector,
    failed.length === 0 ? `Every stream is caught up.${repeats}` : connector.problem,
    failed.length > 0,
  );
  state(
    lanes.script,
    script.problem === undefined ? 'Its last run succeeded.' : `Its last run ended: ${script.problem}.`,
    script.problem !== undefined,
  );
}

function showLane({ lane, figures, drawn, wrong }, view, top) {
  const { events, duplicates, ghosts, stale, bytes } = view;
  const share = events > 0 ? Math.round((100 * duplicates) / events) : 0;
  show(figures.events, count(events));
  show(figures.duplicates, count(duplicates), duplicates === 0);
  text(figures.duplicates.small, `${share} % of the events`);
  show(figures.ghosts, count(ghosts), ghosts === 0);
  show(figures.bytes, size(bytes));
  text(wrong, ghosts + stale === 0 ? 'Every row is right' : `${countText(ghosts + stale, 'row')} wrong`);
  set(lane, 'data-right', ghosts + stale === 0);
  drawn.show(view.wrong, top);
}

function show({ value }, shown, isGood) {
  text(value, shown);
  if (isGood !== undefined) set(value, 'data-good', isGood);
}

function state({ state: shown }, sentence, isProblem) {
  text(shown, sentence);
  set(shown, 'title', sentence);
  set(shown, 'data-problem', isProblem);
}

function size(bytes) {
  return bytes < 1_000_000 ? `${count(Math.round(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
