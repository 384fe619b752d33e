/** Runs the scenes of each command and records the calls to AWS. */
import { deployment } from '../support/deployment.ts';
import { type CommandScenes, SCENES } from './scenes.ts';

export interface AskedFor {
  /** Arguments of the command that asked. */
  readonly args: readonly string[];
  readonly permission: string;
  readonly resource: string;
}

export interface Recording {
  readonly command: string;
  readonly asked: readonly AskedFor[];
}

export async function recordAll(): Promise<Recording[]> {
  const recordings: Recording[] = [];
  for (const each of SCENES) recordings.push(await record(each));
  return recordings;
}

async function record({ command, choices, scenes }: CommandScenes): Promise<Recording> {
  await using each = await deployment({ endOfStream: 'empty-page-null' }, choices);
  each.connector.simulator.populate({ assets: 30, threats: 20, dnsBlocks: 10 });
  const asked: AskedFor[] = [];
  for (const { before, args, environment } of scenes) {
    await before?.(each);
    const from = each.asked().length;
    const { status, stderr } = await each.ctl(args, environment?.(each));
    // 3 reports a finding. With 1 or 2 the command did not do all of its calls.
    if (status !== 0 && status !== 3) throw new Error(`connectorctl ${args.join(' ')} ended with ${status}: ${stderr}`);
    const calls = each.asked().slice(from);
    asked.push(...calls.map(({ permission, resource }) => ({ args, permission, resource })));
  }
  return { command, asked };
}
