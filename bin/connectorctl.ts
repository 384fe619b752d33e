#!/usr/bin/env node
/** The operator's command line. See `--help`. */
import { connectorctl } from './ctl/command-line.ts';
import { machineProxy, UNUSED_PROXY_WARNING, useProxy } from './machine-proxy.ts';

handleClosedOutput();
// The SDK's warning about its future versions is disabled, because on Node 20 it would appear in
// the middle of the output.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const interruption = new AbortController();
process.once('SIGINT', () => {
  interruption.abort();
  // A second Ctrl-C ends the process at once.
  process.once('SIGINT', () => process.exit(130));
});

const { stdin, stdout, stderr, env: environment } = process;
const wanted = machineProxy(environment);
const proxy = useProxy(wanted);
if (wanted && !proxy) stderr.write(`${UNUSED_PROXY_WARNING}\n`);
const shell = { stdin, stdout, stderr, environment };
// The package compiles this file to CommonJS, which has no top-level await.
void connectorctl(process.argv.slice(2), { shell, signal: interruption.signal, proxy }).then(exitCode => {
  process.exitCode = exitCode;
});

/**
 * A reader of stdout that exits early (`| head -1`) ends the process without an error, because the
 * result is printed only after the work is done. A closed stderr must not end the work halfway, so
 * errors of stderr are ignored.
 */
function handleClosedOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    process.stderr.write(
      `The result could not be written (${error.code ?? error.message}). The command was carried out.\n`,
    );
    process.exit(1);
  });
}
