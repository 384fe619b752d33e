/** Runs the scenes of each command and records the calls to AWS. */
import { populated } from '../support/deployment.ts';
import { SCENES } from './scenes.ts';

export interface AskedFor {
  /** Arguments of the command that asked. */
  readonly args: readonly string[];
  readonly permission: string;
  readonly resource: string;
}

export async function recordCalls(): Promise<AskedFor[]> {
  const asked: AskedFor[] = [];
  for (const scenes of SCENES) {
    await using each = await populated(undefined, { endOfStream: 'empty-page-null' });
    for (const { before, args, environment } of scenes) {
      await before?.(each);
      const from = each.asked().length;
      const { status, stderr } = await each.ctl(args, environment?.(each));
      // 3 reports a finding. With 1 or 2 the command did not do all of its calls.
      if (status !== 0 && status !== 3) throw new Error(`connectorctl ${args} ended with ${status}: ${stderr}`);
      for (const { permission, resource } of each.asked().slice(from)) asked.push({ args, permission, resource });
    }
  }
  return asked;
}
