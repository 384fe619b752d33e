/**
 * The commands of `connectorctl` against a deployed stack. The suites share one process of the test
 * runner, because synthesizing the stack takes longer than each of them.
 */
import './suites/status.ts';
import './suites/every-connector.ts';
import './suites/doctor.ts';
import './suites/pause-resume.ts';
import './suites/run.ts';
import './suites/confirm.ts';
import './suites/set-credentials.ts';
import './suites/surroundings.ts';
import './suites/interruption.ts';
import './suites/closed-output.ts';
import './suites/terminal.ts';
