/** The buttons that break things, and the alarms that answer. */
import { act, read } from './api.js';
import { byId, element, keyed, notify, set, tableRows, text } from './dom.js';
import { count, counted } from './format.js';

export async function makeButtons() {
  for (const { title, buttons } of await read('groups')) {
    const made = buttons.map(({ name, caused, alarms, minutes }) =>
      element(
        'button',
        {
          'aria-pressed': 'false',
          'data-incident': name,
          onclick: () => press('incident', { name }, `Waiting: “${name}” begins with the next minute.`),
        },
        element('span', {}, name),
        element(
          'small',
          {},
          `${caused}. ${alarms.length === 0 ? 'No alarm fires.' : `Alarms within ${counted(minutes, 'minute')}.`}`,
        ),
      ),
    );
    const group = element('div', { className: 'buttons', role: 'group', 'aria-label': title }, ...made);
    byId('groups').append(element('h3', {}, title), group);
  }
  byId('repair').onclick = () => press('repair', {}, 'Waiting: the incident is being ended.');
}

/** The name of the requested incident, or null for a repair; undefined when no request is pending. */
let awaited;

async function press(path, body, waiting) {
  awaited = body.name ?? null;
  notify(waiting);
  try {
    await act(path, body);
  } catch (error) {
    awaited = undefined;
    notify(`That did not work: ${error.message}`, true);
  }
}

function hasBegun(incident) {
  return awaited === null ? incident?.isRepaired : incident?.name === awaited && incident.minutes > 0;
}

export function showIncident({ incident, alarms, distance }) {
  const isOn = incident !== null && !incident.isRepaired;
  if (awaited !== undefined && hasBegun(incident)) {
    awaited = undefined;
    notify('');
  }
  set(byId('repair'), 'disabled', !isOn);
  for (const button of document.querySelectorAll('[data-incident]')) {
    set(button, 'aria-pressed', isOn && button.dataset.incident === incident.name);
  }
  set(byId('incident'), 'hidden', incident === null);
  if (incident) {
    const { name, minutes, isRepaired, alarms: expected } = incident;
    text(byId('incident-name'), name);
    text(byId('incident-note'), noteOf(minutes, isRepaired, distance, alarms));
    set(byId('incident-alarms'), 'hidden', expected.length === 0);
    const minutesText = value => (value === null ? '–' : `${count(value)} min`);
    tableRows(
      byId('incident-alarms'),
      expected,
      each => each.name,
      ({ name: alarm, fired, documented }) => [
        [alarm],
        [
          fired === null ? (isRepaired ? 'not fired' : 'waiting …') : minutesText(fired),
          fired === null ? 'off' : 'bad',
        ],
        [minutesText(documented), 'off'],
      ],
    );
  }
  showAlarms(alarms);
}

function noteOf(minutes, isRepaired, distance, alarms) {
  if (!isRepaired) return `For ${counted(minutes, 'minute')}.`;
  const left = alarms.filter(({ state }) => state === 'ALARM').length;
  const copy = distance === 0 ? 'The copy equals the data.' : `${counted(distance, 'row')} still differ.`;
  const ended = left === 0 ? 'Every alarm has ended.' : `${counted(left, 'alarm')} to end.`;
  return `Repaired after ${counted(minutes, 'minute')}. ${copy} ${ended}`;
}

let said = '';

function showAlarms(alarms) {
  const on = alarms.filter(({ state }) => state === 'ALARM');
  text(
    byId('alarm-count'),
    on.length === 0 ? `none of ${alarms.length} in alarm` : `${on.length} of ${alarms.length} in alarm`,
  );
  keyed(
    byId('in-alarm'),
    on.length === 0 ? [null] : on,
    each => each?.name ?? '',
    alarmItem,
    (item, alarm) => {
      if (alarm) text(item.querySelector('.since'), sinceText(alarm));
    },
  );
  keyed(
    byId('all-alarms'),
    alarms,
    each => each.name,
    compactItem,
    (item, { state, severity }) => {
      const chip = item.firstElementChild;
      text(chip, state === 'ALARM' ? severity : state);
      set(chip, 'data-tone', state === 'ALARM' ? toneOf(severity) : state === 'OK' ? 'good' : '');
    },
  );
  const names = on.map(({ name, severity }) => `${severity} alarm ${name}`).join(', ');
  if (names !== said) text(byId('status-line'), names === '' ? 'No alarm' : names);
  said = names;
}

function sinceText({ sinceMinutes }) {
  return sinceMinutes === 0 ? 'just now' : `for ${counted(sinceMinutes, 'minute')}`;
}

export function toneOf(severity) {
  return severity === 'critical' ? 'bad' : 'warn';
}

function alarmItem(alarm) {
  if (!alarm) return element('li', { className: 'none' }, 'None');
  const { name, severity, description } = alarm;
  return element(
    'li',
    { 'data-alarm': name },
    element('span', { className: 'chip', 'data-tone': toneOf(severity) }, severity),
    runbookLink(alarm),
    element('span', { className: 'since' }),
    element('span', { className: 'impact' }, description.replace(/ First run ".*$/, '')),
  );
}

function compactItem(alarm) {
  return element('li', {}, element('span', { className: 'chip' }), runbookLink(alarm));
}

function runbookLink({ name, section }) {
  return element('a', { href: `docs/runbook.md#${section}`, target: 'runbook', title: 'What to do' }, name);
}
