/**
 * The commands about data: lookup, verify, dead letters and cost, in real processes against a deployed stack: see
 * connectorctl.test.ts.
 */
import { afterAll } from '@jest/globals';
import { removeCompileCache } from './support/compile-cache.ts';
import './suites/lookup.ts';
import './suites/verify.ts';
import './suites/dead-letters.ts';
import './suites/cost.ts';

afterAll(removeCompileCache);
