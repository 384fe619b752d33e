import { TOOLS, type ToolName } from '../parts.ts';
import { command } from './command.ts';

/** What this machine lacks of the tools, in words; nothing when all are there. */
export async function lacking(tools: readonly ToolName[]): Promise<string | undefined> {
  const faults = await Promise.all(tools.map(fault));
  return faults.filter(each => each !== undefined).join(', ') || undefined;
}

async function fault(tool: ToolName): Promise<string | undefined> {
  const { ask, least } = TOOLS[tool];
  try {
    const version = versionIn(await command(tool, [ask], 30));
    return isAtLeast(version, least) ? undefined : `${tool} is ${version.join('.')}, ${least.join('.')} is needed`;
  } catch {
    return `there is no ${tool}`;
  }
}

/** The first number with a dot in what a tool says of itself, or the first number. */
export function versionIn(words: string): [major: number, minor: number] {
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(words) ?? /(\d+)/.exec(words) ?? [];
  return [Number(major), Number(minor)];
}

export function isAtLeast([major, minor]: readonly [number, number], least: readonly [number, number]): boolean {
  return major > least[0] || (major === least[0] && minor >= least[1]);
}
