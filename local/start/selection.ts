/** `--filter threats="severity != 'low'"` and `--omit assets=contact.email`: which rows are sent, and which of their members. */
import { STREAMS, streamKey } from '../../lambda/streams.ts';

export interface SelectionFlags {
  readonly filter?: readonly string[];
  readonly omit?: readonly string[];
}

export interface Selection {
  readonly settings: Readonly<Record<string, string>>;
  readonly faults: readonly string[];
}

const KEYS: readonly string[] = STREAMS.map(({ name }) => streamKey(name));

/** By setting of the function, the option that gives it. */
export const SELECTION_SETTINGS = { FILTERS: 'filter', OMIT: 'omit' } as const;

export function selectionOf({ filter = [], omit = [] }: SelectionFlags): Selection {
  const filters = byStream('--filter', filter);
  const omits = byStream('--omit', omit);
  const repeated = [...filters.values].filter(([, given]) => given.length > 1);
  return {
    settings: {
      ...setting(
        'FILTERS',
        [...filters.values].map(([key, [expression]]) => [key, expression!]),
      ),
      ...setting(
        'OMIT',
        [...omits.values].map(([key, lists]) => [key, lists.flatMap(list => list.split(','))]),
      ),
    },
    faults: [
      ...filters.faults,
      ...omits.faults,
      ...repeated.map(([key]) => `--filter ${key} is given twice: join the expressions with &&`),
    ],
  };
}

function setting(
  name: keyof typeof SELECTION_SETTINGS,
  values: readonly (readonly [string, unknown])[],
): Record<string, string> {
  return values.length === 0 ? {} : { [name]: JSON.stringify(Object.fromEntries(values)) };
}

/** Values are not repeated in faults: an expression may name what a tenant has. */
function byStream(option: string, given: readonly string[]) {
  const values = new Map<string, string[]>();
  const faults: string[] = [];
  for (const each of given) {
    const [, key = '', value = ''] = /^(\w+)=([\s\S]*)$/.exec(each) ?? [];
    if (KEYS.includes(key) && value.trim() !== '') values.set(key, [...(values.get(key) ?? []), value]);
    else faults.push(`${option} must begin with ${KEYS.map(name => `${name}=`).join(', ')} and have a value behind it`);
  }
  return { values, faults };
}

/** The function's fault in terms of the options: `FILTERS.threats is …` becomes `--filter threats is …`. */
export function selectionFault(fault: string): string {
  const [whole, name = '', rest = ''] = /^(FILTERS|OMIT)\.([\s\S]*)$/.exec(fault) ?? [];
  return whole === undefined ? fault : `--${SELECTION_SETTINGS[name as keyof typeof SELECTION_SETTINGS]} ${rest}`;
}
