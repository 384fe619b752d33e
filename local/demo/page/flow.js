/** The three columns: data, connector, copy. */
import { lineChart } from './charts.js';
import { byId, element, keyed, set, tableRows, text } from './dom.js';
import { clock, count, counted, duration, scaleTop } from './format.js';
import { showRow } from './row.js';

export function showFlow(view) {
  showData(view);
  showConnector(view);
  showSiem(view);
}

const CHANGES_SHOWN = 9;
const CHANGE_TONES = { new: 'info', changed: 'warn', removed: 'bad', restored: 'good' };

function showData({ streams, changes }) {
  tableRows(
    byId('data-streams'),
    streams,
    each => each.name,
    ({ name, rows }) => [[name], [count(rows)]],
  );
  keyed(
    byId('changes'),
    changes.slice(0, CHANGES_SHOWN),
    ({ stream, id, at, change }) => `${stream} ${id} ${at} ${change}`,
    ({ stream, id, change, at }) =>
      element(
        'li',
        {},
        element(
          'button',
          { onclick: () => showRow(stream, id), title: `Explain ${id}` },
          element('time', {}, clock(at)),
          element('span', { className: 'chip', 'data-tone': CHANGE_TONES[change] }, change),
          element('span', { className: 'id' }, id, ' ', element('small', {}, stream)),
        ),
      ),
  );
  const choice = byId('find').elements.stream;
  keyed(
    choice,
    streams,
    each => each.name,
    ({ name }) => element('option', { value: name }, name),
  );
}

const STATE_TONES = { 'caught up': 'good', behind: 'warn', failed: 'bad', 'more to read': 'info', 'not run': '' };

function keptBack({ Duplicates = 0, UnknownTombstones = 0, DeadLetters = 0 }) {
  return Duplicates + UnknownTombstones + DeadLetters;
}

function showConnector({ streams, runs, running, lease, calls }) {
  tableRows(
    byId('connector-streams'),
    streams,
    each => each.name,
    ({ name, condition, lagSeconds, hour }) => [
      [name],
      [condition, '', STATE_TONES[condition] || 'none'],
      [lagSeconds === 0 ? '–' : duration(lagSeconds), lagSeconds > 1800 ? 'bad' : lagSeconds === 0 ? 'off' : ''],
      [count(hour.RowsRead)],
      [count(hour.EventsForwarded)],
      [count(keptBack(hour))],
    ],
  );
  const sum = metric => streams.reduce((total, { hour }) => total + hour[metric], 0);
  text(
    byId('kept'),
    `Kept back: ${counted(sum('Duplicates'), 'duplicate')}, ${counted(sum('UnknownTombstones'), 'tombstone')} of ` +
      `unknown assets, ${counted(sum('DeadLetters'), 'dead letter')}. Withdrawn: ${counted(sum('ThreatsWithdrawn'), 'threat')}.`,
  );
  const problem =
    streams.find(({ error }) => error)?.error ?? runs.find(({ outcome }) => outcome !== 'lease held')?.error;
  set(byId('problem'), 'hidden', !problem);
  text(byId('problem'), problem ?? '');
  showRuns(runs, running);
  text(
    byId('lease'),
    lease === null
      ? 'The lease was never taken.'
      : `Lease: epoch ${count(lease.epoch)}, ${lease.held ? 'held by a run' : lease.clean ? 'free' : 'free, its last run ended within a batch'}.`,
  );
  keyed(
    byId('calls'),
    calls,
    each => each.name,
    ({ name }) => element('li', {}, `${name} `, element('b'), element('span', { className: 'failed' })),
    (item, { calls: made, failed }) => {
      text(item.children[0], made);
      text(item.children[1], failed > 0 ? ` ${failed} failed` : '');
    },
  );
}

/** The height is the duration, on a logarithmic scale: a run lasts from nothing to fifteen minutes. */
function showRuns(runs, running) {
  keyed(
    byId('runs'),
    runs.toReversed(),
    ({ began, outcome, seconds }) => `${began} ${outcome} ${seconds}`,
    ({ began, outcome, seconds, error }) => {
      const label = `${clock(began)} ${outcome}, ${duration(Math.round(seconds))}${error ? `: ${error}` : ''}`;
      const bar = element(
        'li',
        { 'data-outcome': outcome, title: label },
        element('span', { className: 'visually-hidden' }, label),
      );
      bar.style.height = `${Math.round(45 + (55 * Math.log1p(seconds)) / Math.log1p(900))}%`;
      return bar;
    },
  );
  const failed = runs.filter(({ outcome }) => outcome === 'failed').length;
  text(
    byId('run-legend'),
    `the last ${runs.length}, ${failed === 0 ? 'none failed' : `${failed} failed`}${running > 0 ? `, ${running} in progress` : ''}`,
  );
}

const chart = lineChart(byId('distance-chart'), {
  label: 'Rows that differ from the data, by minute',
  colors: [0],
  fill: true,
  top: scaleTop,
});

function showSiem({ distance, distances, streams, siem, now }) {
  const shown = byId('distance');
  text(shown.firstElementChild, count(distance));
  text(shown.lastElementChild, distance === 1 ? 'row differs from the data' : 'rows differ from the data');
  set(shown, 'data-zero', distance === 0);
  set(
    shown,
    'data-far',
    streams.some(each => each.isBehind),
  );
  chart.show(
    distances.map((_, index) => (now - (distances.length - 1 - index) * 60_000) / 1000),
    [distances],
  );
  text(
    byId('peak'),
    `At most ${count(Math.max(...distances))} in the minutes shown. The scale is that of the last half hour.`,
  );
  const differing = value => [count(value), value === 0 ? 'off' : ''];
  tableRows(
    byId('siem-streams'),
    streams,
    each => each.name,
    ({ name, held, missing, different, extra }) => [
      [name],
      [count(held)],
      differing(missing),
      differing(different),
      differing(extra),
    ],
  );
  const { reading, waiting, oldestSeconds, events, repeats } = siem;
  text(
    byId('queue'),
    waiting === 0
      ? `Queue: no object waits${reading ? '' : ', and the SIEM does not read'}.`
      : `Queue: ${counted(waiting, 'object')}, the oldest for ${duration(oldestSeconds)}${reading ? '' : '. The SIEM does not read'}.`,
  );
  text(byId('read'), `${counted(events, 'event')} read, ${count(repeats)} of them again.`);
}
