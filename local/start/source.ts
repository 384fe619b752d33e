import * as v from 'valibot';
import { optionOf } from './option-settings.ts';
import { type EmbeddedTarget, StartFaultsError, type StartRequest, type TenantTarget } from './start-request.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** How the embedded platform came to be as it is: replayed, it offers the same rows, positions and cursors again. */
const TenantData = v.object({
  seed: count,
  /** Milliseconds since the epoch. */
  startedAt: count,
  assets: count,
  threats: count,
  dnsBlocks: count,
  /** In the order in which they happened. */
  changes: v.array(v.object({ at: count, count })),
});

const Tenant = v.object({ baseUrl: v.string(), clientId: v.string() });

/** Where the rows of a state folder come from; cursors and row states of one source mean nothing to another. */
export const Source = v.object({
  version: v.literal(1),
  /** Of the delivered events. Absent where an earlier release made the folder. */
  format: v.optional(v.picklist(['envelope', 'ocsf'])),
  tenantData: v.optional(TenantData),
  tenant: v.optional(Tenant),
});

export type Source = v.InferOutput<typeof Source>;
export type TenantDataRecipe = v.InferOutput<typeof TenantData>;

const DEFAULT_COUNTS = { seed: 1, assets: 1500, threats: 2500, dnsBlocks: 4000 };

/**
 * The source of this run: that of the runs before, with the changes asked for, or a new one.
 *
 * @param now milliseconds since the epoch
 * @throws StartFaultsError when the state folder was filled from another source
 */
export function nextSource(request: StartRequest, before: Source | undefined, now: number): Source {
  const { target, name, format } = request;
  const faults = before === undefined ? [] : [...contradictions(target, before, name), ...otherFormat(request, before)];
  if (faults.length > 0) throw new StartFaultsError(faults);
  if ('baseUrl' in target) return { version: 1, format, tenant: tenantRecord(target) };
  const { change, ...given } = target;
  const recipe = before?.tenantData ?? { ...DEFAULT_COUNTS, ...given, startedAt: now, changes: [] };
  return { version: 1, format, tenantData: change === 0 ? recipe : withChange(recipe, change, now) };
}

/** Lines of two formats beside each other are read by no SIEM. */
function otherFormat({ name, format }: StartRequest, { format: before = format }: Source): string[] {
  if (before === format) return [];
  const wayOut = `Use --format ${before}, choose another --name or --state-folder, or start anew with --reset`;
  return [`"${name}" holds events in the format ${before}, and this run would add ${format}. ${wayOut}`];
}

/** Each change takes a millisecond of the estate's time, and the clock of the machine may have been set back. */
function withChange(recipe: TenantDataRecipe, change: number, now: number): TenantDataRecipe {
  const last = recipe.changes.at(-1) ?? { at: recipe.startedAt, count: 1 };
  return { ...recipe, changes: [...recipe.changes, { at: Math.max(now, last.at + last.count), count: change }] };
}

function contradictions(target: EmbeddedTarget | TenantTarget, { tenantData, tenant }: Source, name: string): string[] {
  const wayOut = 'Choose another --name, or start anew with --reset';
  if ('baseUrl' in target) return tenantContradictions(target, tenant, name, wayOut);
  if (!tenantData)
    return [`"${name}" has been filled from ${tenant?.baseUrl}, not from the embedded platform. ${wayOut}`];
  const changed = (['seed', 'assets', 'threats', 'dnsBlocks'] as const).filter(
    option => target[option] !== undefined && target[option] !== tenantData[option],
  );
  return changed.map(option => `${optionOf(option)} was ${tenantData[option]} when "${name}" began. ${wayOut}`);
}

function tenantContradictions(target: TenantTarget, before: Source['tenant'], name: string, wayOut: string): string[] {
  const { baseUrl, clientId } = tenantRecord(target);
  if (before?.baseUrl !== baseUrl) {
    return [`"${name}" has been filled from ${before?.baseUrl ?? 'the embedded platform'}. ${wayOut}`];
  }
  // Another client may act for another organization, whose rows must not be taken for this one's.
  if (before.clientId !== clientId) return [`"${name}" has been filled with --client-id ${before.clientId}. ${wayOut}`];
  return [];
}

function tenantRecord({ baseUrl, clientId }: TenantTarget): NonNullable<Source['tenant']> {
  return { baseUrl: baseUrl.replace(/\/+$/, ''), clientId };
}
