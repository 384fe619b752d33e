/** Shows the buttons that cause incidents, and the alarms that fire. */
import { countText, createElement, elementById, formatNumber, setProperty, setText, updateList } from './dom.js';

const TOKEN = document.querySelector('meta[name=demo-token]').content;
const HINT = 'Choosing an incident ends the one before.';

/**
 * Posts an action to the demo. The request has the token of this start of the demo, which a page of
 * another origin cannot read.
 */
export async function postAction(path, body, waiting) {
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
  setText(elementById('notice'), message);
  setProperty(elementById('notice'), 'data-problem', isProblem);
}

export async function createButtons() {
  const [alarming, harmless] = await (await fetch('incidents')).json();
  elementById('alarming').append(...alarming.map(button));
  elementById('harmless').append(...harmless.map(button));
  elementById('repair').onclick = () => {
    if (elementById('repair').ariaDisabled === 'false') return postAction('repair', {}, 'The incident ends now.');
  };
}

function button({ name, caused }) {
  const properties = { type: 'button', 'aria-pressed': 'false', 'data-incident': name };
  const made = createElement('button', properties, createElement('span', {}, name), createElement('small', {}, caused));
  made.onclick = () => postAction('incident', { name }, `“${name}” begins with the next minute.`);
  return made;
}

let known;

export function showIncident({ incident, alarms, connector }) {
  const isOn = incident !== null && !incident.isRepaired;
  const state = JSON.stringify([incident?.name, isOn]);
  if (known !== undefined && known !== state) notify(HINT);
  known = state;
  // The button is not set to `disabled`, because a disabled button would lose the focus.
  setProperty(elementById('repair'), 'ariaDisabled', String(!isOn));
  for (const made of document.querySelectorAll('[data-incident]')) {
    setProperty(made, 'aria-pressed', isOn && made.dataset.incident === incident.name);
  }

  const on = alarms.filter(alarm => alarm.state === 'ALARM');
  setText(elementById('alarm-count'), `${on.length === 0 ? 'none' : on.length} of ${alarms.length} in alarm`);
  setProperty(elementById('incident'), 'data-state', isOn ? 'on' : 'off');
  setText(elementById('incident-note'), noteOf(incident, on, connector));
  showExpected(incident, alarms);
  updateList(elementById('all-alarms'), alarms, item, (made, alarm) => {
    setText(made.firstElementChild, alarm.state === 'ALARM' ? alarm.severity : alarm.state);
    setProperty(made.firstElementChild, 'data-tone', toneOf(alarm));
  });
  setText(
    elementById('status-line'),
    on.map(({ name, severity }) => `${severity} alarm ${name}`).join(', ') || 'No alarm',
  );
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
  updateList(
    elementById('expected'),
    incident?.alarms ?? [],
    ({ name }) => {
      const { description } = alarms.find(alarm => alarm.name === name);
      return createElement(
        'li',
        {},
        createElement('b', {}, name),
        createElement('span', {}),
        createElement('small', {}, impactOf(description)),
      );
    },
    (made, { fired }) => {
      setText(
        made.children[1],
        fired === null
          ? incident.isRepaired
            ? 'did not fire'
            : 'waiting …'
          : `fired after ${formatNumber(fired)} min`,
      );
      setProperty(made, 'data-fired', fired !== null);
    },
  );
}

/** Returns the first clause of a description, because it fits on one line. */
function impactOf(description) {
  return `${description.split(/[:.]/)[0]}.`;
}

function toneOf({ state, severity }) {
  if (state !== 'ALARM') return 'good';
  return severity === 'critical' ? 'bad' : 'warn';
}

function item({ name }) {
  const link = createElement('a', { href: `runbook/${name}`, target: 'runbook', title: 'What to do' }, name);
  return createElement('li', {}, createElement('span', { className: 'chip' }), link);
}
