/**
 * `npm run bench` measures the cost of the connector, and compares each figure with a floor from
 * the same run.
 */
import { Command } from 'commander';
import { readArgumentsOrExit, wholeNumberParser } from '../local/npm-command.ts';
import { FIGURES, type Measurement } from './figures.ts';
import { type FigureResult, resultOf, resultTable } from './result.ts';

const names = FIGURES.map(({ name }) => name);
const {
  flags: { runs },
  operands: chosen,
} = readArgumentsOrExit<{ runs: number }>(describe, ({ operands }) =>
  operands
    .filter(name => !names.includes(name))
    .map(name => `there is no figure ${name}. Choose from ${names.join(', ')}`),
);

function describe(): Command {
  return new Command('npm run bench --')
    .description('Measures what the connector takes, each figure beside a floor of the same run.')
    .argument('[figures...]', `figures to measure: ${names.join(', ')}`)
    .option('--runs <n>', 'runs of each figure that is not a count', wholeNumberParser(1, 1_000), 3);
}

const results: FigureResult[] = [];
for (const figure of FIGURES.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
  console.error(`${figure.name}: ${figure.title}`);
  const measured: Measurement[][] = [];
  for (let run = 0; run < (figure.isCount ? 1 : runs); run++) measured.push(await figure.measure('full'));
  results.push(
    ...measured[0]!.map((_, at) =>
      resultOf(
        figure.name,
        measured.map(measurements => measurements[at]!),
      ),
    ),
  );
}
console.log(resultTable(results));
