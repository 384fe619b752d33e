/** What is written to stdout meanwhile, which nobody sees. */
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
