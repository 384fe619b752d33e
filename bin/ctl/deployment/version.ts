/** Whether what one version deployed is understood by another: before 1.0 the second number tells, from then on the first. */
export function isCompatible(deployed: string, own: string): boolean {
  return lineOf(deployed) === lineOf(own) && lineOf(own) !== undefined;
}

function lineOf(version: string): string | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)\.\d+/.exec(version) ?? [];
  return major === '0' ? `0.${minor}` : major;
}
