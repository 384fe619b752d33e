import { countText, createElement, elementById, setProperty, setText } from './dom.js';
import { createButtons, postAction, showIncident } from './incidents.js';
import { showLanes } from './lanes.js';

await createButtons();
elementById('pace').onchange = event => postAction('pace', { minuteTakes: Number(event.target.value) }, '');

const events = new EventSource('events');
events.onmessage = ({ data }) => show(JSON.parse(data));
events.onerror = () => {
  setText(elementById('health'), 'The demo does not answer. Is its terminal still open?');
  setProperty(elementById('health'), 'data-state', 'unknown');
};

function show(view) {
  showHeader(view);
  showLanes(view);
  showIncident(view);
  document.documentElement.dataset.minute = view.minute;
}

function showHeader({ now, minuteTakes, alarms, connector: { ghosts, stale } }) {
  // The time is in UTC, as all times of the connector are.
  setText(elementById('now'), `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`);
  const pace = elementById('pace');
  if (![...pace.options].some(({ value }) => value === String(minuteTakes))) {
    pace.append(createElement('option', { value: minuteTakes }, `${minuteTakes / 1000} s`));
  }
  if (document.activeElement !== pace) setProperty(pace, 'value', String(minuteTakes));

  const on = alarms.filter(({ state }) => state === 'ALARM');
  const isCritical = on.some(({ severity }) => severity === 'critical');
  const wrong = ghosts + stale;
  setProperty(
    elementById('health'),
    'data-state',
    isCritical ? 'critical' : on.length > 0 || wrong > 0 ? 'warning' : 'good',
  );
  const copy = wrong === 0 ? 'Every row is right' : `${countText(wrong, 'row')} to deliver`;
  setText(elementById('health'), `${copy}, ${on.length === 0 ? 'no alarm' : countText(on.length, 'alarm')}`);
}
