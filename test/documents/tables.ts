/** Tables and lists of the documents that are generated. */

/** From a heading on. */
function partOf(text: string, heading: string): string {
  const at = text.indexOf(`\n${heading}\n`);
  if (at < 0) throw new Error(`There is no heading "${heading}"`);
  return text.slice(at);
}

/** The first table below the heading keeps its head. */
export function withTable(text: string, heading: string, lines: readonly (readonly string[])[]): string {
  const part = partOf(text, heading);
  const body = lines.map(cells => `| ${cells.join(' | ')} |\n`).join('');
  return (
    text.slice(0, -part.length) +
    part.replace(/(\n\|[^\n]*\n\|[ :|-]+\n)(?:\|[^\n]*(?:\n|$))*/, (_, head: string) => head + body)
  );
}

/** Replaces the first list below the heading. */
export function withList(text: string, heading: string, lines: readonly string[]): string {
  const part = partOf(text, heading);
  const list = lines.map(line => `- ${line}\n`).join('');
  return text.slice(0, -part.length) + part.replace(/(?<=\n\n)(?:- [^\n]*\n)+/, () => list);
}
