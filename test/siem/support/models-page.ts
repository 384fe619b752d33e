/** What docs/siem/models.md states: of each model the words of what checks it, and how many events of which kind there were. */
import { page } from '../../docs/pages.ts';

export function statedWords(model: 'ECS' | 'ASIM' | 'CIM' | 'UDM'): string {
  const [, words] = new RegExp(`^\\| ${model} \\|.*\\| (.*) \\|$`, 'm').exec(page('docs/siem/models.md'))!;
  return words!;
}

/** Assets, threats, DNS blocks and removals. */
export function statedEvents(): number[] {
  const [, cells] = /^\| Events \|(.*)\|$/m.exec(page('docs/siem/models.md'))!;
  return cells!.split('|').map(Number);
}
