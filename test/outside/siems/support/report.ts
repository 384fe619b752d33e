/** Prints figures of a run, because jest prints nothing for a passing test. */
export function report(engine: string, what: string, figures: Readonly<Record<string, number | string>>): void {
  const words = Object.entries(figures).map(([name, value]) => `${name} ${value.toLocaleString('en')}`);
  process.stderr.write(`${engine}, ${what}: ${words.join(', ')}\n`);
}
