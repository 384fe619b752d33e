/** Statements of docs/integrations/every-siem.md: the checkers of each model, and the number of events of each kind. */
import { page } from '../../../documents/pages.ts';

export function statedWords(model: 'ECS' | 'ASIM' | 'CIM'): string {
  const [, words] = new RegExp(`^\\| ${model} \\|.*\\| (.*) \\|$`, 'm').exec(page('docs/integrations/every-siem.md'))!;
  return words!;
}

/** Assets, threats, DNS blocks and removals. */
export function statedEvents(): number[] {
  const [, cells] = /^\| Events \|(.*)\|$/m.exec(page('docs/integrations/every-siem.md'))!;
  return cells!.split('|').map(Number);
}
