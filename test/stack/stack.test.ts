/**
 * Tests of the synthesized stack, with one file per subject. They share one process, because
 * loading the CDK and synthesizing each variant takes longer than all assertions about the
 * templates.
 */
import './suites/function.ts';
import './suites/delivery.ts';
import './suites/new-objects.ts';
import './suites/siem-access.ts';
import './suites/siem-readers.ts';
import './suites/safety.ts';
import './suites/landing-zone.ts';
import './suites/replacement.ts';
import './suites/alarms.ts';
import './suites/dashboard.ts';
import './suites/error-query.ts';
import './suites/security-data-connector.ts';
import './suites/grants.ts';
import './suites/metrics.ts';
import './suites/tokens.ts';
import './suites/checks.ts';
