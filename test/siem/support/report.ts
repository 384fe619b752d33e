/** Figures of a run, for whoever reads its output: jest shows nothing of a test that passes. */
export function report(engine: string, what: string, figures: Readonly<Record<string, number | string>>): void {
  const words = Object.entries(figures).map(([name, value]) => `${name} ${value.toLocaleString('en')}`);
  process.stderr.write(`${engine}, ${what}: ${words.join(', ')}\n`);
}
