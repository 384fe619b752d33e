/** Runs the scenes of a command and records the calls to AWS. */
import { type Deployment, deployment } from '../support/deployment.ts';
import type { CommandPage, Scene } from './command-page.ts';

export interface AskedFor {
  /** Arguments of the command that asked. */
  readonly args: readonly string[];
  readonly permission: string;
  readonly resource: string;
}

export interface Recording {
  readonly page: CommandPage;
  /** A transcript per scene. */
  readonly transcripts: readonly string[];
  readonly asked: readonly AskedFor[];
}

export async function record(page: CommandPage): Promise<Recording> {
  await using each = await deployment({ endOfStream: 'empty-page-null' }, page.choices);
  each.connector.platform.populate({ assets: 30, threats: 20, dnsBlocks: 10 });
  const transcripts: string[] = [];
  const asked: AskedFor[] = [];
  for (const scene of page.scenes) {
    await scene.before?.(each);
    const before = each.asked().length;
    transcripts.push(await played(each, scene));
    asked.push(
      ...each
        .asked()
        .slice(before)
        .map(({ permission, resource }) => ({ args: scene.args, permission, resource })),
    );
  }
  return { page, transcripts, asked };
}

/** stderr comes first, as on a terminal. */
async function played(each: Deployment, { args, environment, shown = text => text }: Scene): Promise<string> {
  const { status, stdout, stderr } = await each.ctl(args, environment?.(each));
  const typed = `$ npm run connectorctl -- ${args.join(' ')}\n`;
  const ended = status === 0 ? '' : `[exit status ${status}]\n`;
  return steady(`${typed}${stderr}${shown(stdout).trimEnd()}`.trimEnd()).concat('\n', ended);
}
/** Replaces values that change from run to run. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/127\.0\.0\.1:\d+\/000000000000/g, 'https://sqs.eu-west-1.amazonaws.com/111122223333'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://api.acme.example'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '6f1c2a9e-0b7d-4c35-9a44-2d1f5b8e7c60'],
  [/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, '2026-11-20T12:00:00Z'],
  [/\bevents\/\d{4}\/\d\d\/\d\d\/\d\d\//g, 'events/2026/11/20/12/'],
  [/\bfor \d+ s\b(?! at most)/g, 'for 40 s'],
  [/\btook [\d.]+ s\b/g, 'took 2.1 s'],
  [/\b\d min ago/g, '5 min ago'],
  [/\((?:EAI_AGAIN|no answer in time)\)/g, '(ENOTFOUND)'],
  [/\b000000000000\b/g, '111122223333'],
  [/(?<!prices of )\bus-east-1\b/g, 'eu-west-1'],
];

export function steady(text: string): string {
  return RULES.reduce((steadied, [pattern, replacement]) => steadied.replace(pattern, replacement), text);
}
