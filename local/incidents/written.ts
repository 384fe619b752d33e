/** Captures the text that `act` writes to stdout and stderr. */
export function captureOutput(act: () => void): string {
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
