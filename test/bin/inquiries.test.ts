/**
 * The commands of `connectorctl` that ask what the SIEM has and what it lacks, in real processes against a deployed stack: see
 * connectorctl.test.ts.
 */
import { afterAll } from '@jest/globals';
import { removeCompileCache } from './support/compile-cache.ts';
import './suites/inquiry.ts';
import './suites/verify.ts';
import './suites/dead-letters.ts';
import './suites/cost.ts';

afterAll(removeCompileCache);
