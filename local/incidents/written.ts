/** What `act` writes to stdout, which does not appear there. */
export function written(act: () => void): string {
  const lines: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = (chunk: string | Uint8Array) => lines.push(String(chunk)) > 0;
  try {
    act();
  } finally {
    process.stdout.write = write;
  }
  return lines.join('');
}
