/**
 * How options are declared: once, in a table whose keys are names of props. `cdk.json`, defaults, checks, JSON Schema, environment and
 * documents follow from such a table. Type and text of a prop are in `connector-props.ts`, and TypeScript holds the two together.
 *
 *     logRetention: { schema: days, default: 90, name: 'logRetentionDays', form: 'logRetention' }
 *
 * is `"logRetentionDays": 90` in `cdk.json` and `logRetention: RetentionDays.THREE_MONTHS` as a prop.
 */
import * as v from 'valibot';

/** Types of the construct for plain values of `cdk.json`: the name of the type, and a member that identifies its objects. */
export const FORMS = {
  seconds: { type: 'Duration', member: 'toSeconds' },
  minutes: { type: 'Duration', member: 'toSeconds' },
  days: { type: 'Duration', member: 'toSeconds' },
  removalPolicy: { type: 'RemovalPolicy' },
  logRetention: { type: 'RetentionDays' },
  secret: { type: 'ISecret', member: 'secretArn' },
  bucket: { type: 'IBucket', member: 'bucketArn' },
  table: { type: 'ITable', member: 'tableArn' },
  key: { type: 'IKey', member: 'keyArn' },
  topic: { type: 'ITopic', member: 'topicArn' },
  managedPolicy: { type: 'IManagedPolicy', member: 'managedPolicyArn' },
  deliveryStream: { type: 'IDeliveryStreamRef', member: 'deliveryStreamRef' },
  network: { type: 'Network', member: 'vpc' },
  destination: { type: 'Destination' },
  siemReader: { type: 'SiemReader' },
} as const satisfies Readonly<Record<string, { readonly type: string; readonly member?: string }>>;

/** Account and region. A part that is known only at deployment is undefined. */
export interface Place {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
}

/** Where an existing resource must be, compared with the stack. */
export interface PlaceRule {
  /** Parts that must be those of the stack. */
  readonly same: (resource: unknown) => readonly (keyof Place)[];
  /** Reason, such as `alarms notify topics of their own region only`. */
  readonly because: string;
  /** A way out other than to move the connector, such as `Give a topic of the region of the stack`. */
  readonly instead: string;
}

export interface Option {
  /** Rule for the value in `cdk.json`. */
  readonly schema: v.GenericSchema;
  readonly default?: unknown;
  /** Name in `cdk.json`, if it differs from that of the prop. */
  readonly name?: string;
  /** Form of the prop, if it is not the plain value. */
  readonly form?: keyof typeof FORMS;
  /** Whether the value may be a token, which is known only at deployment, because nothing at synth depends on it. */
  readonly late?: true;
  /** Where the resource must be that the value names. */
  readonly place?: PlaceRule;
  /** Variable of the function that gets the value. */
  readonly variable?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** Options that belong together: of a connector, of one kind of destination, of one kind of reader. */
export interface OptionGroup {
  readonly required: Options;
  readonly optional: Options;
}

/** The table of an interface of props: an option for each, and the type of the prop where it is the plain value. */
export type GroupFor<P> = {
  readonly required: { readonly [K in RequiredKey<P>]: OptionFor<P[K]> };
  readonly optional: { readonly [K in Exclude<keyof P, RequiredKey<P> | 'type'>]-?: OptionFor<P[K]> };
};

type RequiredKey<P> = { [K in keyof P]-?: undefined extends P[K] ? never : K }[Exclude<keyof P, 'type'>];
type OptionFor<T> = Option &
  ({ readonly form: keyof typeof FORMS } | { readonly schema: v.GenericSchema<unknown, Exclude<T, undefined>> });

type ValueOf<O> = O extends { readonly schema: infer S extends v.GenericSchema } ? v.InferOutput<S> : never;
type NameOf<K, O> = O extends { readonly name: infer N extends string } ? N : K;

/** Values of a group in `cdk.json`, with defaults filled in. */
export type ConfigOf<G extends OptionGroup> = {
  readonly [K in keyof G['required'] as NameOf<K, G['required'][K]>]: ValueOf<G['required'][K]>;
} & {
  readonly [K in keyof G['optional'] as G['optional'][K] extends { default: unknown }
    ? NameOf<K, G['optional'][K]>
    : never]: ValueOf<G['optional'][K]>;
} & {
  readonly [K in keyof G['optional'] as G['optional'][K] extends { default: unknown }
    ? never
    : NameOf<K, G['optional'][K]>]?: ValueOf<G['optional'][K]> | undefined;
};

/** A schema for the values of a group. */
export function groupSchema<G extends OptionGroup>(group: G, type?: string): v.GenericSchema<unknown, ConfigOf<G>> {
  const required = Object.entries(group.required).map(([key, { name = key, schema }]) => [name, schema]);
  const optional = Object.entries(group.optional).map(([key, { name = key, schema, default: byDefault }]) => [
    name,
    v.optional(schema, byDefault),
  ]);
  const kind = type === undefined ? [] : [['type', v.literal(type)]];
  const schema: unknown = v.strictObject(Object.fromEntries([...kind, ...required, ...optional]));
  return schema as v.GenericSchema<unknown, ConfigOf<G>>;
}

/** A schema for one of several kinds. */
export function kindsSchema<T extends Readonly<Record<string, OptionGroup>>>(kinds: T) {
  const schemas = Object.entries(kinds).map(([type, group]) => groupSchema(group, type));
  const names = Object.keys(kinds).map(type => JSON.stringify(type));
  const message = `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  const schema: unknown = v.variant('type', schemas as never, message);
  return schema as v.GenericSchema<unknown, { [K in keyof T]: { readonly type: K } & ConfigOf<T[K]> }[keyof T]>;
}
