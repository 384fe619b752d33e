/**
 * Attributes by their paths, written as nested JSON objects. An object that lacks what OCSF requires of it is left out,
 * and what it held is reported, so that no row can make an event invalid.
 */

interface Leaf {
  readonly kind: 'leaf';
  readonly name: string;
  readonly slot: number;
  /** Written when nothing else is known and the object is there. */
  fallback?: string;
}

interface Branch {
  readonly kind: 'branch';
  readonly name: string;
  readonly nodes: (Leaf | Branch)[];
  readonly rules: OcsfRule[];
}

/** JSON texts by slot. */
export type Slots = (string | undefined)[];

const UNKNOWN = '0';

export class Attributes {
  readonly #root: Branch = { kind: 'branch', name: '', nodes: [], rules: [] };
  readonly #slots = new Map<string, number>();

  /**
   * @param paths of attributes that may be written, no path the beginning of another
   * @param fallbacks JSON texts by path, of attributes that are never without a value
   */
  constructor(paths: Iterable<string>, fallbacks: Readonly<Record<string, string>>, rules: readonly OcsfRule[]) {
    for (const path of paths) this.#leaf(path);
    for (const rule of rules) {
      for (const name of rule.unknown ?? []) this.#leaf(below(rule.path, name)).fallback = UNKNOWN;
      this.#branch(rule.path === '' ? [] : rule.path.split('.')).rules.push(rule);
    }
    for (const [path, text] of Object.entries(fallbacks)) this.#leaf(path).fallback = text;
  }

  /** Place of an attribute in the slots. */
  slot(path: string): number {
    return this.#slots.get(path) ?? -1;
  }

  /** @returns the members of the top, each with its name. @param lost called with each slot that could not be written */
  write(slots: Slots, lost: (slot: number) => void): Map<string, string> {
    return members(this.#root, slots, lost);
  }

  #leaf(path: string): Leaf {
    const names = path.split('.');
    const name = names.pop()!;
    const { nodes } = this.#branch(names);
    const found = nodes.find(node => node.name === name);
    if (found?.kind === 'leaf') return found;
    const leaf: Leaf = { kind: 'leaf', name, slot: this.#slots.size };
    this.#slots.set(path, leaf.slot);
    nodes.push(leaf);
    return leaf;
  }

  #branch(names: readonly string[]): Branch {
    let branch = this.#root;
    for (const name of names) {
      let next = branch.nodes.find(node => node.name === name);
      if (next?.kind !== 'branch') {
        next = { kind: 'branch', name, nodes: [], rules: [] };
        branch.nodes.push(next);
      }
      branch = next;
    }
    return branch;
  }
}

function members({ nodes }: Branch, slots: Slots, lost: (slot: number) => void): Map<string, string> {
  const written = new Map<string, string>();
  for (const node of nodes) {
    const text = node.kind === 'leaf' ? (slots[node.slot] ?? node.fallback) : objectText(node, slots, lost);
    if (text !== undefined) written.set(node.name, text);
  }
  return written;
}

function objectText(branch: Branch, slots: Slots, lost: (slot: number) => void): string | undefined {
  if (!holdsAny(branch, slots)) return undefined;
  const written = members(branch, slots, lost);
  if (branch.rules.every(rule => fits(rule, written))) return `{${joined(written)}}`;
  lose(branch, slots, lost);
  return undefined;
}

function holdsAny({ nodes }: Branch, slots: Slots): boolean {
  return nodes.some(node => (node.kind === 'leaf' ? slots[node.slot] !== undefined : holdsAny(node, slots)));
}

function fits({ required = [], atLeastOne, justOne }: OcsfRule, written: ReadonlyMap<string, string>): boolean {
  const has = (name: string) => written.has(name);
  return (
    required.every(has) &&
    (atLeastOne === undefined || atLeastOne.some(has)) &&
    (justOne === undefined || justOne.filter(has).length === 1)
  );
}

function lose({ nodes }: Branch, slots: Slots, lost: (slot: number) => void): void {
  for (const node of nodes) {
    if (node.kind === 'branch') lose(node, slots, lost);
    else if (slots[node.slot] !== undefined) {
      slots[node.slot] = undefined;
      lost(node.slot);
    }
  }
}

/** Members as an object writes them. */
export function joined(members: ReadonlyMap<string, string>): string {
  return Array.from(members, ([name, text]) => `"${name}":${text}`).join(',');
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
/** The mapping of row members to OCSF attributes as the infrastructure compiles it: the function knows no schema. */

/** How a value must be for an attribute to take it: the name of its OCSF type without `_t`, or `string`. */
export type OcsfType =
  | 'string'
  | 'integer'
  | 'long'
  | 'float'
  | 'boolean'
  | 'json'
  | 'timestamp'
  | 'datetime'
  | 'ip'
  | 'mac'
  | 'uuid'
  | 'email'
  | 'bytestring'
  | 'subnet'
  | 'port';

export interface OcsfField {
  /** Attribute, such as `device.os.name`. */
  readonly to: string;
  /** Absent: `string`. */
  readonly type?: OcsfType | undefined;
  readonly array?: true | undefined;
  /** Captions by value, where only these values are allowed. */
  readonly enum?: Readonly<Record<string, string>> | undefined;
  /** Attribute that takes the caption. */
  readonly sibling?: string | undefined;
}

/** What an object must hold to be valid. Names are those that a row can bring; an object that lacks them is not sent. */
export interface OcsfRule {
  readonly path: string;
  /** Required attributes that are 0, Unknown, when nothing else is known. */
  readonly unknown?: readonly string[] | undefined;
  readonly required?: readonly string[] | undefined;
  readonly atLeastOne?: readonly string[] | undefined;
  readonly justOne?: readonly string[] | undefined;
}

export interface OcsfStreamFields {
  /** By member of the row. */
  readonly fields: Readonly<Record<string, OcsfField>>;
  readonly rules: readonly OcsfRule[];
}

/** By stream. */
export type OcsfFields = Readonly<Record<string, OcsfStreamFields>>;
