/** Plays the scenes of a command in real processes, and notes what AWS was asked for. */

import { type Deployment, deployment } from '../support/deployment.ts';
import type { CommandPage, Scene } from '../transcripts/command-page.ts';
import { steady } from './steady.ts';

export interface AskedFor {
  readonly permission: string;
  readonly resource: string;
}

export interface Recording {
  readonly page: CommandPage;
  /** A transcript a scene. */
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
        .map(({ permission, resource }) => ({ permission, resource })),
    );
  }
  return { page, transcripts, asked };
}

/** What is said on the way comes first: on a terminal both arrive as they are written. */
async function played(each: Deployment, { args, environment, shown = text => text }: Scene): Promise<string> {
  const { status, stdout, stderr } = await each.ctl(args, environment?.(each));
  const typed = `$ npm run connectorctl -- ${args.join(' ')}\n`;
  const ended = status === 0 ? '' : `[exit status ${status}]\n`;
  return steady(`${typed}${stderr}${shown(stdout).trimEnd()}`.trimEnd()).concat('\n', ended);
}
