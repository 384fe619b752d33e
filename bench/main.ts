/** `npm run bench`: what the connector takes, each figure beside a floor of the same run. */
import { Command } from 'commander';
import { FIGURES, type Measurement } from './figures.ts';
import { type Result, resultOf, table } from './result.ts';

const names = FIGURES.map(({ name }) => name);
const command = new Command('bench')
  .description('Measures what the connector takes, each figure beside a floor of the same run.')
  .argument('[figures...]', `figures to measure: ${names.join(', ')}`)
  .option('--runs <n>', 'runs of each figure that is not a count', Number, 3)
  .parse();
const { runs } = command.opts<{ runs: number }>();
const unknown = command.args.filter(each => !names.includes(each));
if (unknown.length > 0) command.error(`Unknown figure: ${unknown.join(', ')}. Choose from ${names.join(', ')}.`);
if (!Number.isInteger(runs) || runs < 1) command.error('--runs must be a whole number, 1 or greater.');

const results: Result[] = [];
for (const figure of FIGURES.filter(({ name }) => command.args.length === 0 || command.args.includes(name))) {
  console.error(`${figure.name}: ${figure.title}`);
  const measured: Measurement[][] = [];
  for (let run = 0; run < (figure.isCount ? 1 : runs); run++) measured.push(await figure.measure('full'));
  results.push(
    ...measured[0]!.map((_, at) =>
      resultOf(
        figure.name,
        measured.map(each => each[at]!),
      ),
    ),
  );
}
console.log(table(results));
