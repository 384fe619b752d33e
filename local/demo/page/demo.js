import { act } from './api.js';
import { showDashboard } from './dashboard.js';
import { byId, element, notify, set, text } from './dom.js';
import { showFlow } from './flow.js';
import { counted, moment } from './format.js';
import { makeButtons, showIncident } from './incidents.js';
import { showRow } from './row.js';

await makeButtons();

byId('find').onsubmit = event => {
  event.preventDefault();
  const { stream, id } = event.target.elements;
  void showRow(stream.value, id.value.trim());
};
byId('pace').onchange = event => act('pace', { minuteTakes: Number(event.target.value) }).catch(failed);

function failed(error) {
  notify(error.message, true);
}

const events = new EventSource('events');
events.onmessage = ({ data }) => show(JSON.parse(data));
events.onerror = () => {
  text(byId('health'), 'The demo does not answer. Is its terminal still open?');
  set(byId('health'), 'data-state', 'unknown');
};

function show(view) {
  showHeader(view);
  showFlow(view);
  showIncident(view);
  showDashboard(view).catch(failed);
  document.documentElement.dataset.minute = view.minute;
}

function showHeader({ connector, now, scheduled, minuteTakes, alarms, distance, streams }) {
  text(byId('connector'), connector);
  text(byId('now'), moment(now));
  text(byId('schedule'), scheduled ? 'The schedule is on.' : 'The schedule was paused by an operator.');
  const pace = byId('pace');
  if (![...pace.options].some(({ value }) => value === String(minuteTakes))) {
    pace.append(element('option', { value: minuteTakes }, `${minuteTakes / 1000} s`));
  }
  if (document.activeElement !== pace) set(pace, 'value', String(minuteTakes));
  const on = alarms.filter(({ state }) => state === 'ALARM');
  const isCritical = on.some(each => each.severity === 'critical');
  const isBehind = streams.some(each => each.isBehind);
  set(byId('health'), 'data-state', isCritical ? 'critical' : on.length > 0 || isBehind ? 'warning' : 'good');
  const copy = distance === 0 ? 'the copy equals the data' : `${counted(distance, 'row')} to deliver`;
  const alarmed = on.length === 0 ? 'no alarm' : counted(on.length, 'alarm');
  text(byId('health'), `${isBehind ? `Behind: ${copy}` : sentence(copy)}, ${alarmed}`);
}

function sentence(words) {
  return words[0].toUpperCase() + words.slice(1);
}
