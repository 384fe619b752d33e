import type { CommandPage } from './command-page.ts';

export const cost: CommandPage = {
  command: 'cost',
  purpose: `The bill of the calendar month so far, in UTC, from the figures that CloudWatch counted, and what it comes to at the month's end if it goes on
like this; or, with any of the numbers, an estimate that needs no stack and no AWS. [cost.md](cost.md) has the formula, the prices and how sure each is.
The estimate is a model of what \`npm run cost\` counts, and a test holds the two together. A look costs about 20 metrics, 0.02 cent.`,
  scenes: [
    {
      before: each => each.run(),
      args: ['cost'],
      // How much of a month has passed is another thing each day.
      shown: output => output.split('\n').slice(2, 4).join('\n').concat('\n[…]\n'),
    },
    { says: 'Without AWS:', args: ['cost', '--assets', '10000', '--threats', '40000', '--changes-per-day', '60000'] },
  ],
};
