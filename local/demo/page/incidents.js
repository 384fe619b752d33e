/** The buttons that break things, and the alarms that answer. */
import { byId, count, countText, element, listed, set, text } from './dom.js';

const TOKEN = document.querySelector('meta[name=demo-token]').content;
const HINT = 'Choosing an incident ends the one before.';

/** Every change has the token of this start, which a page of another origin cannot read. */
export async function act(path, body, waiting) {
  notify(waiting);
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-demo-token': TOKEN },
      body: JSON.stringify(body),
    });
    if (!response.ok) notify(`That did not work: ${await response.text()}`, true);
  } catch {
    notify('That did not work: The demo does not answer. Is its terminal still open?', true);
  }
}

function notify(message, isProblem = false) {
  text(byId('notice'), message);
  set(byId('notice'), 'data-problem', isProblem);
}

export async function makeButtons() {
  const [alarming, harmless] = await (await fetch('incidents')).json();
  byId('alarming').append(...alarming.map(button));
  byId('harmless').append(...harmless.map(button));
  byId('repair').onclick = () => {
    if (byId('repair').ariaDisabled === 'false') return act('repair', {}, 'The incident ends now.');
  };
}

function button({ name, caused }) {
  const properties = { type: 'button', 'aria-pressed': 'false', 'data-incident': name };
  const made = element('button', properties, element('span', {}, name), element('small', {}, caused));
  made.onclick = () => act('incident', { name }, `“${name}” begins with the next minute.`);
  return made;
}

let known;

export function showIncident({ incident, alarms, connector }) {
  const isOn = incident !== null && !incident.isRepaired;
  const state = JSON.stringify([incident?.name, isOn]);
  if (known !== undefined && known !== state) notify(HINT);
  known = state;
  // Not `disabled`: a disabled button would lose the focus.
  set(byId('repair'), 'ariaDisabled', String(!isOn));
  for (const made of document.querySelectorAll('[data-incident]')) {
    set(made, 'aria-pressed', isOn && made.dataset.incident === incident.name);
  }

  const on = alarms.filter(alarm => alarm.state === 'ALARM');
  text(byId('alarm-count'), `${on.length === 0 ? 'none' : on.length} of ${alarms.length} in alarm`);
  set(byId('incident'), 'data-state', isOn ? 'on' : 'off');
  text(byId('incident-note'), noteOf(incident, on, connector));
  showExpected(incident, alarms);
  listed(byId('all-alarms'), alarms, item, (made, alarm) => {
    text(made.firstElementChild, alarm.state === 'ALARM' ? alarm.severity : alarm.state);
    set(made.firstElementChild, 'data-tone', toneOf(alarm));
  });
  text(byId('status-line'), on.map(({ name, severity }) => `${severity} alarm ${name}`).join(', ') || 'No alarm');
}

function noteOf(incident, on, { ghosts, stale }) {
  if (incident === null)
    return 'Nothing is broken. The alarms of the deployed template are evaluated each minute, as CloudWatch does it.';
  const since = `${incident.name}: ${countText(incident.minutes, 'minute')}.`;
  if (!incident.isRepaired) return incident.alarms.length > 0 ? since : `${since} No alarm has fired, and none should.`;

  const left = ghosts + stale;
  const copy =
    left === 0
      ? 'Nothing was lost: every row of the connector’s SIEM is right.'
      : `${countText(left, 'row')} to deliver.`;
  return `${since} Repaired. ${copy} ${on.length === 0 ? 'No alarm is left.' : `${countText(on.length, 'alarm')} to end.`}`;
}

function showExpected(incident, alarms) {
  listed(
    byId('expected'),
    incident?.alarms ?? [],
    ({ name }) => {
      const { description } = alarms.find(alarm => alarm.name === name);
      return element(
        'li',
        {},
        element('b', {}, name),
        element('span', {}),
        element('small', {}, impactOf(description)),
      );
    },
    (made, { fired }) => {
      text(
        made.children[1],
        fired === null ? (incident.isRepaired ? 'did not fire' : 'waiting …') : `fired after ${count(fired)} min`,
      );
      set(made, 'data-fired', fired !== null);
    },
  );
}

/** The first clause: a line. */
function impactOf(description) {
  return `${description.split(/[:.]/)[0]}.`;
}

function toneOf({ state, severity }) {
  if (state !== 'ALARM') return 'good';
  return severity === 'critical' ? 'bad' : 'warn';
}

function item({ name }) {
  const link = element('a', { href: `runbook/${name}`, target: 'runbook', title: 'What to do' }, name);
  return element('li', {}, element('span', { className: 'chip' }), link);
}
