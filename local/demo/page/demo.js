import { byId, countText, element, set, text } from './dom.js';
import { act, makeButtons, showIncident } from './incidents.js';
import { showLanes } from './lanes.js';

await makeButtons();
byId('pace').onchange = event => act('pace', { minuteTakes: Number(event.target.value) }, '');

const events = new EventSource('events');
events.onmessage = ({ data }) => show(JSON.parse(data));
events.onerror = () => {
  text(byId('health'), 'The demo does not answer. Is its terminal still open?');
  set(byId('health'), 'data-state', 'unknown');
};

function show(view) {
  showHeader(view);
  showLanes(view);
  showIncident(view);
  document.documentElement.dataset.minute = view.minute;
}

function showHeader({ now, minuteTakes, alarms, connector: { ghosts, stale } }) {
  // UTC, as all times of the connector.
  text(byId('now'), `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`);
  const pace = byId('pace');
  if (![...pace.options].some(({ value }) => value === String(minuteTakes))) {
    pace.append(element('option', { value: minuteTakes }, `${minuteTakes / 1000} s`));
  }
  if (document.activeElement !== pace) set(pace, 'value', String(minuteTakes));

  const on = alarms.filter(({ state }) => state === 'ALARM');
  const isCritical = on.some(({ severity }) => severity === 'critical');
  const wrong = ghosts + stale;
  set(byId('health'), 'data-state', isCritical ? 'critical' : on.length > 0 || wrong > 0 ? 'warning' : 'good');
  const copy = wrong === 0 ? 'Every row is right' : `${countText(wrong, 'row')} to deliver`;
  text(byId('health'), `${copy}, ${on.length === 0 ? 'no alarm' : countText(on.length, 'alarm')}`);
}
