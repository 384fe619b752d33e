/** The process of one invocation. It imports the function, invokes it as Lambda does, and writes the outcome to file descriptor 3. */
import { writeSync } from 'node:fs';

const { handler } = await import(process.argv[2]!);
const end = Date.now() + 60_000;
const context = { getRemainingTimeInMillis: () => end - Date.now() };
const outcome = await handler({}, context).catch((error: Error) => ({ error: `${error.name}: ${error.message}` }));
writeSync(3, JSON.stringify(outcome));
