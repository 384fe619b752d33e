import { classesOf } from '../../lambda/core/ocsf/classes.ts';
import { STREAMS, type Stream, type StreamName } from '../../lambda/streams.ts';
import { type OcsfAttribute, type OcsfObject, ocsfSchema } from './schema.ts';

/** The attribute of a path, which a member can fill. */
export interface FoundAttribute {
  readonly attribute: OcsfAttribute;
  /** Objects on the way, from the top, each with its path. */
  readonly objects: readonly { readonly path: string; readonly object: OcsfObject }[];
}

/** Why no member can fill the attribute of a path. */
export interface WrongPath {
  /** `absent`: the attribute does not exist. `own`: the connector fills it. `unfit`: it exists, and no member can fill it. */
  readonly kind: 'absent' | 'own' | 'unfit';
  readonly reason: string;
  /** How many names of the path exist. */
  readonly depth: number;
}

/** Follows a path such as `device.os.name` from the top of a class. */
export function findAttribute(path: string, emitted: EmittedClass): FoundAttribute | WrongPath {
  const { uid, caption, own } = emitted;
  if (own.some(each => path === each || path.startsWith(`${each}.`)))
    return { kind: 'own', reason: `${path} is filled by the connector itself`, depth: 0 };
  const names = path.split('.');
  const objects: { path: string; object: OcsfObject }[] = [];
  let holder = ocsfSchema().classes[uid]!;
  for (const [index, name] of names.entries()) {
    const at = names.slice(0, index + 1).join('.');
    const attribute = Object.hasOwn(holder.attributes, name) ? holder.attributes[name]! : undefined;
    if (!attribute)
      return { kind: 'absent', reason: `OCSF 1.8.0 has no attribute ${at} in ${uid} ${caption}`, depth: index };
    const reason = unfit(at, name, attribute, holder, emitted) ?? misplaced(at, attribute, index === names.length - 1);
    if (reason !== undefined) return { kind: 'unfit', reason, depth: index };
    if (attribute.object === undefined) return { attribute, objects };
    holder = ocsfSchema().objects[attribute.object]!;
    objects.push({ path: at, object: holder });
  }
  throw new Error(`The path ${path} has no end`);
}

function unfit(at: string, name: string, attribute: OcsfAttribute, holder: OcsfObject, emitted: EmittedClass) {
  const { profiles, deprecated } = attribute;
  if (profiles && !profiles.some(profile => emitted.profiles.includes(profile)))
    return `${at} is only there with the profile ${profiles.join(' or ')}, which the connector does not apply to ${emitted.uid} ${emitted.caption}`;
  if (deprecated) return `${at} is deprecated in OCSF 1.8.0`;
  const named = Object.entries(holder.attributes).find(([, { sibling }]) => sibling === name);
  return named && `${at} takes the caption of ${named[0]}: map to that`;
}

function misplaced(at: string, { object, array }: OcsfAttribute, isLast: boolean): string | undefined {
  if (object !== undefined && array) return `${at} is a list of objects, which no member can fill`;
  if (object === 'object') return `${at} is an object without attributes of its own`;
  if (isLast && object !== undefined) return `${at} is an object: name one of its attributes`;
  return !isLast && object === undefined ? `${at} is a value, with no attributes below it` : undefined;
}

/** A class that rows of a stream become, as far as a mapping is concerned. */
export interface EmittedClass {
  readonly uid: string;
  readonly caption: string;
  readonly profiles: readonly string[];
  /** Attributes that the connector fills by itself. */
  readonly own: readonly string[];
}

const OWN = [
  'activity_id',
  'category_uid',
  'class_uid',
  'metadata',
  'raw_data',
  'resources',
  'time',
  'type_uid',
  'unmapped',
];

/** The class of each stream for live rows. Nothing is mapped to tombstones and withdrawals. */
export const EMITTED = Object.fromEntries(STREAMS.map(stream => [stream.name, emittedBy(stream)])) as Readonly<
  Record<StreamName, EmittedClass>
>;

function emittedBy(stream: Stream): EmittedClass {
  const { uid, caption, profiles = [], idPath, constants = '' } = classesOf(stream).live;
  const constant = Object.keys(JSON.parse(`{${constants}}`)).filter(name => name.endsWith('_id'));
  const own = [...OWN, ...(idPath === undefined ? [] : [idPath]), ...constant];
  return { uid: String(uid), caption, profiles, own };
}
