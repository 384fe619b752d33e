/** Draws a small chart: an area over the minutes of the last hour. */

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 360;
const HEIGHT = 76;
const MINUTES = 60;

export function createChart(label) {
  const svg = made('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img' });
  const title = svg.appendChild(made('title', {}));
  const area = svg.appendChild(made('path', { class: 'area' }));
  const line = svg.appendChild(made('path', { class: 'line', 'vector-effect': 'non-scaling-stroke' }));
  return {
    svg,
    /**
     * @param {number[]} values one value for each minute, the newest last @param {number} top
     * greatest value of the scale
     */
    show(values, top) {
      const points = values.map((value, index) => {
        const minute = MINUTES - values.length + index;
        return `${place(minute / (MINUTES - 1), WIDTH)},${place(1 - value / top, HEIGHT)}`;
      });
      line.setAttribute('d', `M${points.join('L')}`);
      area.setAttribute('d', `M${points.join('L')}V${HEIGHT}H${points[0].split(',')[0]}Z`);
      title.textContent = `${label}: ${values.at(-1)} now, at most ${Math.max(...values)} in the last hour`;
    },
  };
}

/**
 * Returns a place at least one pixel from the edge, so that the line is not cut off. @param
 * {number} share share of the length, from 0 to 1
 */
function place(share, length) {
  return (1 + share * (length - 2)).toFixed(1);
}

function made(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
