/**
 * Rows of a page have the same members in the same order, so the order is worked out once and then only recognised.
 *
 * A shape is the sequence of names that an object has shown so far; each further name leads to the next shape, and the
 * one that followed last time is tried first. At an object's end its shape knows how the members sort:
 *
 *     {"id":1,"deleted":false}     root → "id": → "deleted":     order [1, 0]
 *
 * How many shapes are remembered is bounded, since a tenant chooses the names.
 */
import { type Bytes, bytesOf } from './codes.ts';

export const SHAPES_REMEMBERED = 4096;

const NO_BYTES = bytesOf('');

export class Shape {
  /** The name as canonical text, with quotes and colon; empty for the root. */
  readonly key: string;
  /** The same as bytes, to be compared with the text at hand; of a shape that is not remembered none. */
  bytes: Bytes = NO_BYTES;
  /** Place of this member among those asked for; -1 when nobody asked. */
  readonly wanted: number;
  readonly excluded: boolean;
  /** The shape that followed last time. */
  following: Shape | undefined = undefined;
  readonly #parent: Shape | undefined;
  readonly #rules: ShapeRules | undefined;
  #followers: Map<string, Shape> | undefined;
  #objects: Shape | undefined;
  #order: Int32Array | undefined;

  constructor(key: string, parent: Shape | undefined, rules: ShapeRules | undefined) {
    this.key = key;
    this.#parent = parent;
    this.#rules = rules;
    this.wanted = parent ? (rules?.wanted.get(key) ?? -1) : -1;
    this.excluded = parent !== undefined && key === rules?.excluded;
  }

  /** Root of the shapes of objects that are this member's value. */
  get objects(): Shape {
    this.#objects ??= new Shape('', undefined, undefined);
    return this.#objects;
  }

  follow(key: string, room: Room): Shape {
    let follower = this.#followers?.get(key);
    if (!follower) {
      follower = new Shape(key, this, this.#rules);
      // A row may have a million names, each of them once: such a shape must stay small.
      if (room.shapes-- <= 0) return follower;
      follower.bytes = bytesOf(key);
      this.#followers ??= new Map();
      this.#followers.set(key, follower);
    }
    this.following = follower;
    return follower;
  }

  /** Indexes of the members in the order of their names, those of one name as they come; empty when they are in order. */
  get order(): Int32Array {
    this.#order ??= sortedOrder(this.#keys());
    return this.#order;
  }

  #keys(): string[] {
    const keys: string[] = [];
    for (let shape: Shape = this; shape.#parent; shape = shape.#parent) if (!shape.excluded) keys.push(shape.key);
    return keys.reverse();
  }
}

/** What is asked of the members of a row, and of nothing inside it. Names are canonical keys. */
export interface ShapeRules {
  readonly wanted: ReadonlyMap<string, number>;
  readonly excluded: string;
}

/** How many more shapes may be remembered. */
export interface Room {
  shapes: number;
}

/** The shapes of the rows of one stream. */
export interface RowShapes {
  readonly root: Shape;
  readonly room: Room;
}

export function rowShapes(rules: ShapeRules): RowShapes {
  return { root: new Shape('', undefined, rules), room: { shapes: SHAPES_REMEMBERED } };
}

function sortedOrder(keys: readonly string[]): Int32Array {
  const order = Int32Array.from(keys, (_, index) => index);
  order.sort((a, b) => (keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : a - b));
  return order.every((from, to) => from === to) ? new Int32Array() : order;
}
