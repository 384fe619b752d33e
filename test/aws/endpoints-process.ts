import { startAws } from './endpoints.ts';

/** The endpoints in a process of their own: prints their environment as one line of JSON, then waits to be killed. */
const aws = await startAws({ directory: process.argv[2]!, secret: '{}' });
console.log(JSON.stringify(aws.environment));
