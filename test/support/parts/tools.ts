import { command } from './command.ts';

export type ToolName = 'go' | 'java' | 'javac' | 'mvn' | 'openssl' | 'python3';
type Version = readonly [major: number, minor: number];

/** The tools that parts need: how each says its version, and the lowest version that is enough. */
const TOOLS: Readonly<Record<ToolName, { readonly ask: string; readonly least: Version }>> = {
  go: { ask: 'version', least: [1, 21] },
  java: { ask: '-version', least: [17, 0] },
  // Trino's starter is a source file: a Java without its compiler does not run that.
  javac: { ask: '-version', least: [17, 0] },
  mvn: { ask: '-version', least: [3, 6] },
  openssl: { ask: 'version', least: [1, 1] },
  python3: { ask: '--version', least: [3, 10] },
};

/** @returns what this machine lacks of the tools, in words; nothing when all are there */
export async function lacking(tools: readonly ToolName[]): Promise<string | undefined> {
  const problems = await Promise.all(tools.map(tool => problem(tool, TOOLS[tool].least)));
  return problems.filter(each => each !== undefined).join(', ') || undefined;
}

async function problem(tool: ToolName, least: Version): Promise<string | undefined> {
  try {
    const version = versionIn(await command(tool, [TOOLS[tool].ask], 30));
    return isAtLeast(version, least) ? undefined : `${tool} is ${version.join('.')}, ${least.join('.')} is needed`;
  } catch {
    return `there is no ${tool}`;
  }
}

/** The first number with a dot in what a tool says of itself, or the first number. */
function versionIn(words: string): [major: number, minor: number] {
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(words) ?? /(\d+)/.exec(words) ?? [];
  return [Number(major), Number(minor)];
}

function isAtLeast([major, minor]: readonly [number, number], least: readonly [number, number]): boolean {
  return major > least[0] || (major === least[0] && minor >= least[1]);
}
