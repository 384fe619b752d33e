/**
 * How options are declared: once, in a table whose keys are names of props. `cdk.json`, props, defaults, checks, JSON Schema, environment
 * and documents follow from such a table. The doc comment of a key is its text everywhere; mapped types hand it on to the props.
 *
 *     logRetention: { schema: days, default: 90, name: 'logRetentionDays', form: 'logRetention' }
 *
 * is `"logRetentionDays": 90` in `cdk.json` and `logRetention: RetentionDays.THREE_MONTHS` as a prop.
 */
import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import * as v from 'valibot';
import type { Destination } from '../delivery/destinations.ts';
import type { Network } from '../function/poller-network.ts';
import type { SiemReader } from '../siem/readers.ts';

/** What the construct takes where `cdk.json` has a plain value. */
export interface Forms {
  readonly seconds: Duration;
  readonly minutes: Duration;
  readonly days: Duration;
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
  readonly secret: ISecret;
  readonly bucket: IBucket;
  readonly key: IKey;
  readonly topic: ITopic;
  readonly managedPolicy: IManagedPolicy;
  readonly deliveryStream: IDeliveryStreamRef;
  readonly network: Network;
  readonly destination: Destination;
  readonly siemReader: SiemReader;
}

export interface Option {
  /** Rule for the value in `cdk.json`. */
  readonly schema: v.GenericSchema;
  readonly default?: unknown;
  /** Name in `cdk.json`, where it is not that of the prop. */
  readonly name?: string;
  /** Form of the prop, where it is not the plain value. */
  readonly form?: keyof Forms;
  /** Variable of the function that gets the value. */
  readonly variable?: string;
  /** In place of a doc comment, where the option itself is derived. */
  readonly sentence?: string;
  readonly absent?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** Options that belong together: of a connector, of one kind of destination, of one kind of reader. */
export interface OptionGroup {
  readonly required: Options;
  readonly optional: Options;
}

type ValueOf<O> = O extends { readonly schema: infer S extends v.GenericSchema } ? v.InferOutput<S> : never;
type PropOf<O> = O extends { readonly form: infer F extends keyof Forms } ? Forms[F] : ValueOf<O>;
type NameOf<K, O> = O extends { readonly name: infer N extends string } ? N : K;

/** Props of a group. No clause `as` here: with one, TypeScript would drop the doc comments. */
export type PropsOf<G extends OptionGroup> = { readonly [K in keyof G['required']]: PropOf<G['required'][K]> } & {
  readonly [K in keyof G['optional']]?: PropOf<G['optional'][K]>;
};

/** The same with defaults filled in. */
export type FilledPropsOf<G extends OptionGroup> = PropsOf<G> & {
  readonly [K in keyof G['optional'] as G['optional'][K] extends { default: unknown } ? K : never]: PropOf<
    G['optional'][K]
  >;
};

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

/** Props of one of several kinds, distinguished by `type`. */
export type KindsOf<T extends Readonly<Record<string, OptionGroup>>> = {
  [K in keyof T]: { readonly type: K } & PropsOf<T[K]>;
}[keyof T];

/** A schema for one of several kinds. */
export function kindsSchema<T extends Readonly<Record<string, OptionGroup>>>(kinds: T) {
  const schemas = Object.entries(kinds).map(([type, group]) => groupSchema(group, type));
  const names = Object.keys(kinds).map(type => JSON.stringify(type));
  const message = `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  const schema: unknown = v.variant('type', schemas as never, message);
  return schema as v.GenericSchema<unknown, { [K in keyof T]: { readonly type: K } & ConfigOf<T[K]> }[keyof T]>;
}
