/** `npm run query` queries the delivered events in SQL. See `npm run query -- --help`. */
import { runQuery } from './query/command.ts';

// A reader of the output may exit early, as `head` does, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const output = { print: (text: string) => console.log(text), complain: (text: string) => console.error(text) };
process.exitCode = await runQuery(process.argv.slice(2), process.env, output);
