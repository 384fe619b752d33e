/** The OCSF classes that the connector emits, and what is the same in every event of each. */
import type { STREAMS, Stream, StreamName } from '../../streams.ts';
import type { WithdrawalReason } from '../event.ts';
import { Attributes, type OcsfRule } from './attributes.ts';

export interface OcsfClass {
  readonly uid: number;
  readonly caption: string;
  readonly category: number;
  readonly activity: number;
  /** Activity instead of `activity` where the SIEM has the thing already. */
  readonly update?: number;
  readonly profiles?: readonly string[];
  /** Attribute that takes the id; classes of events without one leave it to `metadata.original_event_uid`. */
  readonly idPath?: string;
  /** JSON texts of attributes that have these values unless a row has better ones. */
  readonly fallbacks: Readonly<Record<string, string>>;
  /** Members of the event's top, as JSON text: no row changes them. */
  readonly constants?: string;
}

/** 0, Unknown: the API's specification shows no severity. */
const SEVERITY = { severity_id: '0' };

/** Collect. What kind of device an asset is, the specification does not say. */
const INVENTORY: OcsfClass = {
  uid: 5001,
  caption: 'Device Inventory Info',
  category: 5,
  activity: 2,
  idPath: 'device.uid',
  fallbacks: { ...SEVERITY, 'device.type_id': '0' },
};

/** Delete. 99, Other, with the API's own word: not every asset need be a device. */
const ASSET_REMOVAL: OcsfClass = {
  uid: 3004,
  caption: 'Entity Management',
  category: 3,
  activity: 4,
  idPath: 'entity.uid',
  fallbacks: { ...SEVERITY, 'entity.type_id': '99', 'entity.type': '"Asset"' },
};

/** Create or Update. */
const FINDING: OcsfClass = {
  uid: 2004,
  caption: 'Detection Finding',
  category: 2,
  activity: 1,
  update: 2,
  idPath: 'finding_info.uid',
  fallbacks: SEVERITY,
};

const WHY_WITHDRAWN =
  'The asset that this finding belongs to was removed, and the finding left the source with it. It was neither resolved nor closed.';

/** Close would say that somebody dealt with it. */
const WITHDRAWAL: OcsfClass = {
  uid: FINDING.uid,
  caption: FINDING.caption,
  category: FINDING.category,
  activity: 99,
  idPath: 'finding_info.uid',
  fallbacks: SEVERITY,
  constants: `"activity_name":"Withdrawn","status_detail":"${WHY_WITHDRAWN}"`,
};

const WHY: Readonly<Record<WithdrawalReason, string>> = {
  filtered: 'The filter of the connector excludes this object now. It may still exist at the source.',
  'not-found': 'The source does not know this object any more.',
};

/** By stream: the event that withdraws a row. @param reason absent: the row disappeared with its parent */
export function withdrawalClass(stream: Stream, reason?: WithdrawalReason): OcsfClass {
  const { live, removed, withdrawn } = classesOf(stream);
  if (reason === undefined) return withdrawn!;
  return {
    ...(removed ?? withdrawn ?? live),
    activity: 99,
    constants: `"activity_name":"Withdrawn","status_detail":"${WHY[reason]}"`,
  };
}

/** Query: denied and blocked. */
const DNS_BLOCK: OcsfClass = {
  uid: 4003,
  caption: 'DNS Activity',
  category: 4,
  activity: 1,
  profiles: ['security_control'],
  fallbacks: SEVERITY,
  constants: '"action_id":2,"action":"Denied","disposition_id":2,"disposition":"Blocked"',
};

/** The classes of a stream: of its rows, of its tombstones where it has such, and of its withdrawals where it cascades. */
export interface StreamClasses {
  readonly live: OcsfClass;
  readonly removed?: OcsfClass;
  readonly withdrawn?: OcsfClass;
}

type Facts<Name extends StreamName> = Extract<(typeof STREAMS)[number], { readonly name: Name }>;
type Needed<Name extends StreamName> =
  | 'live'
  | (Facts<Name>['tombstones'] extends true ? 'removed' : never)
  | (Facts<Name> extends { readonly cascadesFrom: string } ? 'withdrawn' : never);

const CLASSES: { readonly [Name in StreamName]: Readonly<Record<Needed<Name>, OcsfClass>> } = {
  assets: { live: INVENTORY, removed: ASSET_REMOVAL },
  threats: { live: FINDING, withdrawn: WITHDRAWAL },
  'dns-blocks': { live: DNS_BLOCK },
};

export function classesOf({ name }: Stream): StreamClasses {
  return CLASSES[name as StreamName];
}

export function classOf(stream: Stream, deleted: boolean): OcsfClass {
  const { live, removed = live } = classesOf(stream);
  return deleted ? removed : live;
}

/** The attributes of a class's events. @param paths of those that rows are mapped to */
export function attributesOf(
  { idPath, fallbacks }: OcsfClass,
  paths: readonly string[] = [],
  rules: readonly OcsfRule[] = [],
): Attributes {
  return new Attributes([...(idPath === undefined ? [] : [idPath]), ...paths], fallbacks, rules);
}

/** OCSF wants one end of a DNS query at least. The API's specification shows neither, and this names none. */
const NO_ENDPOINT = '{"name":"unknown"}';

export function withEndpoint(ocsfClass: OcsfClass, attributes: Map<string, string>): Map<string, string> {
  const isComplete = ocsfClass !== DNS_BLOCK || attributes.has('src_endpoint') || attributes.has('dst_endpoint');
  return isComplete ? attributes : attributes.set('src_endpoint', NO_ENDPOINT);
}
