/** Shows the two ways from the API to a SIEM: the connector and the script. */
import { createChart } from './chart.js';
import { countText, createElement, elementById, formatNumber, setProperty, setText } from './dom.js';

const lanes = { connector: makeLane('connector'), script: makeLane('script') };

function makeLane(name) {
  const figures = {
    events: figure('Events', 'sent in the last hour'),
    duplicates: figure('Duplicates', ''),
    ghosts: figure('Ghosts', 'gone from the API'),
    bytes: figure('Volume', 'for the SIEM to index'),
  };
  const list = createElement('dl', { className: 'figures' }, ...Object.values(figures).map(({ box }) => box));
  const drawn = createChart(`Rows that are wrong in the SIEM of the ${name}`);
  const wrong = createElement('strong');
  const caption = createElement('p', { className: 'caption' }, wrong, ' in its SIEM');
  const state = createElement('p', { className: 'state' });
  const lane = elementById(name);
  lane.append(list, createElement('figure', {}, caption, drawn.svg), state);
  return { lane, figures, drawn, wrong, state };
}

function figure(label, note) {
  const value = createElement('dd');
  const small = createElement('dd', { className: 'small' }, note);
  return { box: createElement('div', {}, createElement('dt', {}, label), value, small), value, small };
}

export function showLanes({ connector, script, streams, changes }) {
  const rows = streams.reduce((sum, stream) => sum + stream.rows, 0);
  setText(elementById('changes'), `${countText(changes, 'change')} among ${formatNumber(rows)} rows of the API`);

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
  show(figures.events, formatNumber(events));
  show(figures.duplicates, formatNumber(duplicates), duplicates === 0);
  setText(figures.duplicates.small, `${share} % of the events`);
  show(figures.ghosts, formatNumber(ghosts), ghosts === 0);
  show(figures.bytes, size(bytes));
  setText(wrong, ghosts + stale === 0 ? 'Every row is right' : `${countText(ghosts + stale, 'row')} wrong`);
  setProperty(lane, 'data-right', ghosts + stale === 0);
  drawn.show(view.wrong, top);
}

function show({ value }, shown, isGood) {
  setText(value, shown);
  if (isGood !== undefined) setProperty(value, 'data-good', isGood);
}

function state({ state: shown }, sentence, isProblem) {
  setText(shown, sentence);
  setProperty(shown, 'title', sentence);
  setProperty(shown, 'data-problem', isProblem);
}

function size(bytes) {
  return bytes < 1_000_000 ? `${formatNumber(Math.round(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
