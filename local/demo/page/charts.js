/** Line charts by uPlot, in the colours of the page. */
import uPlot from './uplot/uPlot.esm.js';

/** Distinct to the eye in light and dark, also without red and green. */
const COLORS = {
  light: [
    '#0b5cad',
    '#b35900',
    '#14713b',
    '#8a3ffc',
    '#b3261e',
    '#00767a',
    '#6b5b00',
    '#a2307a',
    '#4a5568',
    '#3d7a00',
    '#2f4bb3',
    '#7a3e00',
  ],
  dark: [
    '#6cb6ff',
    '#f0a35e',
    '#4cc374',
    '#c8a6ff',
    '#ff8a80',
    '#4fd0d4',
    '#dcc84a',
    '#f09bd0',
    '#a9b6c6',
    '#a6d35e',
    '#9db1ff',
    '#e0a67a',
  ],
};

const dark = matchMedia('(prefers-color-scheme: dark)');
const charts = new Set();
dark.addEventListener('change', () => {
  for (const each of charts) each.rebuild();
});

export function color(index) {
  const palette = dark.matches ? COLORS.dark : COLORS.light;
  return palette[index % palette.length];
}

function token(name) {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color: resolved } = getComputedStyle(probe);
  probe.remove();
  return resolved;
}

/** @param {{ label: string, colors: number[], fill?: boolean, top?: (values: number[]) => number }} options `top`: of the scale, by the first line */
export function lineChart(container, { label, colors, fill = false, top }) {
  let plot;
  let data = [[], ...colors.map(() => [])];
  container.role = 'img';
  container.ariaLabel = label;

  const build = () => {
    plot?.destroy();
    const axis = { stroke: token('--quiet'), grid: { stroke: token('--line'), width: 1 }, ticks: { show: false } };
    const font = '12px system-ui, sans-serif';
    plot = new uPlot(
      {
        width: container.clientWidth || 300,
        height: container.clientHeight || 110,
        tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
        cursor: { show: false },
        legend: { show: false },
        padding: [8, 8, 0, 0],
        scales: { y: { range: (_, __, most) => [0, top ? top(data[1]) : Math.max(1, most * 1.1)] } },
        axes: [
          { ...axis, font, size: 24, space: 60, grid: { show: false }, values: (_, ticks) => ticks.map(hours) },
          { ...axis, font, size: 42, space: 26, values: (_, ticks) => ticks.map(short) },
        ],
        series: [
          {},
          ...colors.map(index => ({
            stroke: color(index),
            width: 1.75,
            points: { show: false },
            ...(fill && { fill: `${color(index)}26` }),
          })),
        ],
      },
      data,
      container,
    );
  };
  const resize = new ResizeObserver(() => {
    if (plot && container.clientWidth > 0)
      plot.setSize({ width: container.clientWidth, height: container.clientHeight });
  });
  resize.observe(container);
  const shown = { rebuild: () => plot && build() };
  charts.add(shown);
  return {
    show(times, lines) {
      data = [times, ...lines];
      if (plot) plot.setData(data);
      else build();
    },
  };
}

function hours(seconds) {
  return new Date(seconds * 1000).toISOString().slice(11, 16);
}

export function short(value) {
  if (value === 0) return '0';
  if (Math.abs(value) >= 1_000_000) return `${Number((value / 1_000_000).toFixed(1))}M`;
  if (Math.abs(value) >= 10_000) return `${Math.round(value / 1000)}k`;
  if (Math.abs(value) >= 1000) return `${Number((value / 1000).toFixed(1))}k`;
  return Math.abs(value) < 1 ? String(Number(value.toPrecision(2))) : String(Number(value.toFixed(1)));
}
