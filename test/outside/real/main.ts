/**
 * `npm run test:real`: tests on third-party software that speaks the protocols of AWS, of the token
 * endpoint and of Athena.
 */
import { launch } from '../launcher.ts';
import { PARTS, SUITES } from './parts.ts';

await launch({
  command: 'test:real',
  description:
    'Runs tests on third-party software: DynamoDB Local, moto, Keycloak and Trino, fetched and started here.',
  parts: PARTS,
  suites: () => SUITES,
});
