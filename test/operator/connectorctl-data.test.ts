/**
 * The commands about data: lookup, verify and dead letters, against a deployed stack: see
 * connectorctl.test.ts.
 */
import './suites/lookup.ts';
import './suites/verify.ts';
import './suites/dead-letters.ts';
import './suites/test-event.ts';
