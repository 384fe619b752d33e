/**
 * What `connectorctl` does, a file a subject, in real processes against a deployed stack. They share one process of the test runner,
 * because synthesizing the stack takes longer than any of them.
 */
import { afterAll } from '@jest/globals';
import { removeCompileCache } from './support/compile-cache.ts';
import './suites/status.ts';
import './suites/watch.ts';
import './suites/doctor.ts';
import './suites/doctor-before.ts';
import './suites/schedule.ts';
import './suites/orders.ts';
import './suites/waiting.ts';
import './suites/set-credentials.ts';
import './suites/finding.ts';
import './suites/interruption.ts';
import './suites/closed-output.ts';
import './suites/terminal.ts';
import './suites/operations.ts';

afterAll(removeCompileCache);
