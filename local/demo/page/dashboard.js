/** The dashboard of the template, drawn from its widget definitions. */
import { read } from './api.js';
import { color, lineChart, short } from './charts.js';
import { byId, element, keyed, set, text } from './dom.js';
import { toneOf } from './incidents.js';

const charts = new Map();
let isVisible = false;
let isLoading = false;

new IntersectionObserver(([entry]) => {
  isVisible = entry.isIntersecting;
}).observe(byId('dashboard'));

/** Not more often than the server answers, and only while somebody can see it. */
export async function showDashboard(view) {
  if (!isVisible || isLoading) return;
  isLoading = true;
  try {
    draw(await read('dashboard'), view);
  } finally {
    isLoading = false;
  }
}

const DRAWN = {
  alarm: { make: alarmWidget, update: updateAlarms },
  metric: { make: metricWidget, update: updateLines },
};

function draw(widgets, view) {
  set(byId('dashboard'), 'data-minute', view.minute);
  keyed(
    byId('dashboard'),
    widgets,
    ({ widget }) => `${widget.x} ${widget.y}`,
    each => {
      const { widget } = each;
      const figure = element('figure', { className: `widget ${widget.type}` });
      figure.style.setProperty('--span', widget.width);
      figure.append(...[DRAWN[widget.type].make(each)].flat());
      return figure;
    },
    (figure, each) => DRAWN[each.widget.type].update(figure, each, view),
  );
}

function alarmWidget({ widget }) {
  const items = widget.alarms.map(name =>
    element('li', { 'data-alarm': name }, element('span', { className: 'chip' }), element('span', {}, name)),
  );
  return [element('figcaption', {}, widget.title), element('ul', { className: 'alarm-list' }, ...items)];
}

/** The alarms of the widget are composite alarms, one for each severity. */
function updateAlarms(figure, _, { alarms }) {
  for (const item of figure.querySelectorAll('li')) {
    const on = alarms.some(({ severity, state }) => severity === item.dataset.alarm && state === 'ALARM');
    set(item.firstElementChild, 'data-tone', on ? toneOf(item.dataset.alarm) : 'good');
    text(item.firstElementChild, on ? 'in alarm' : 'OK');
  }
}

function metricWidget({ widget }) {
  const legend = widget.lines.map(({ label }, index) =>
    element('li', {}, swatch(index), element('span', {}, label), ' ', element('b')),
  );
  return [
    element('figcaption', {}, widget.title),
    element('div', { className: 'plot' }),
    element('ul', { className: 'lines' }, ...legend),
  ];
}

function updateLines(figure, { widget, points, times }) {
  const place = figure.querySelector('.plot');
  const chart = charts.get(place) ?? lineChart(place, { label: widget.title, colors: points.map((_, index) => index) });
  charts.set(place, chart);
  chart.show(
    times.map(time => time / 1000),
    points,
  );
  for (const [index, item] of [...figure.querySelectorAll('.lines li')].entries()) {
    const last = points[index].findLast(value => value !== null);
    text(item.lastElementChild, last === undefined ? '–' : short(last));
  }
}

function swatch(index) {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  const dot = document.createElementNS(namespace, 'circle');
  for (const [name, value] of Object.entries({ cx: 5, cy: 5, r: 5, fill: color(index) })) dot.setAttribute(name, value);
  svg.setAttribute('viewBox', '0 0 10 10');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(dot);
  return svg;
}
