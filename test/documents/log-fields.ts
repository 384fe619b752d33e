import { STREAMS } from '../../lambda/streams.ts';
import { answerProblem } from '../../local/incidents/tampered-api.ts';
import { connector } from '../support/function/connector.ts';
import { functionProcess, HANDLER } from '../support/function/function-process.ts';

/** What CloudWatch adds to each line. */
const ADDED = ['@timestamp', '@message'];

/**
 * The fields that the function's log has, by the names that CloudWatch Logs Insights gives them.
 */
export async function logFields(): Promise<Set<string>> {
  await using each = await connector();
  each.simulator.populate({ assets: 2, threats: 2, dnsBlocks: 2 });
  const { path } = STREAMS[0];
  each.api.tamper(({ target }) => (target.startsWith(path) ? answerProblem(403, 'auth/insufficient-role') : undefined));
  each.aws.faults.always('firehose', { refuse: { status: 400, code: 'AccessDeniedException', message: 'No.' } });
  const { stdout, stderr } = await functionProcess(HANDLER, each.environment);
  const lines = `${stdout}${stderr}`.split('\n').filter(line => line.startsWith('{'));
  return new Set([...ADDED, ...lines.flatMap(line => paths(JSON.parse(line)))]);
}

function paths(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, each]) => {
    const here = `${prefix}${name}`;
    return typeof each === 'object' && each !== null ? [here, ...paths(each, `${here}.`)] : [here];
  });
}
