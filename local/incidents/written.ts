/** The lines of what `act` writes to stdout and stderr, which does not appear there. */
export function linesOf(act: () => void): string[] {
  return written(act).split('\n').filter(Boolean);
}

/** What `act` writes to stdout and stderr, which does not appear there. */
export function written(act: () => void): string {
  const lines: string[] = [];
  const outputs = [process.stdout, process.stderr].map(output => ({ output, write: output.write }));
  for (const { output } of outputs) output.write = (chunk: string | Uint8Array) => lines.push(String(chunk)) > 0;
  try {
    act();
  } finally {
    for (const { output, write } of outputs) output.write = write;
  }
  return lines.join('');
}
