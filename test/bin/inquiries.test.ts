/**
 * The commands of `connectorctl` that ask what the SIEM has and what it lacks, in real processes against a deployed stack: see
 * connectorctl.test.ts.
 */
import { afterAll, jest } from '@jest/globals';
import { removeCompileCache } from './support/compile-cache.ts';
import './suites/inquiry.ts';
import './suites/verify.ts';
import './suites/dead-letters.ts';
import './suites/cost.ts';

// Several processes a test, on machines that have others to run.
jest.setTimeout(60_000);

afterAll(removeCompileCache);
