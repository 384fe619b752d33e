/** Imports a module in a fresh process; prints how long that took. */
import { pathToFileURL } from 'node:url';

const begun = performance.now();
await import(pathToFileURL(process.argv[2]!).href);
console.log(JSON.stringify(performance.now() - begun));
