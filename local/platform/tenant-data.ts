import { ProblemError } from './problem.ts';
import { cutControlRow, type RowInput } from './rows.ts';
import type { PlatformSettings } from './settings.ts';
import { createPositions, type Version, VersionedStream } from './versioned-stream.ts';

/** The organization's assets and threats, and the changes to them. Refusals are ProblemErrors. */
export class TenantData {
  readonly assets: VersionedStream;
  readonly threats: VersionedStream;
  readonly #threatsOf = new Map<string, Set<string>>();
  readonly #clock: () => number;
  readonly #assetMember: string;

  constructor(clock: () => number, random: () => number, settings: PlatformSettings) {
    const keepsVersions = settings.retention === 'every-version';
    this.assets = new VersionedStream(createPositions(clock, random, settings), keepsVersions);
    this.threats = new VersionedStream(createPositions(clock, random, settings), keepsVersions);
    this.#clock = clock;
    this.#assetMember = settings.threatAssetMember;
  }

  /** Creates an asset or replaces a live one's content. `updated_at` may be given; the default is now. */
  putAsset(row: RowInput): void {
    const { id, given, members } = cutControlRow(row, ['updated_at']);
    if (this.assets.latest.get(id)?.deletedAt)
      throw new ProblemError('resource/conflict', 'The asset is removed: restore it.');
    this.assets.deliver(id, { members, updatedAt: given.get('updated_at') ?? this.#clock() });
  }

  /** Removes a live asset: its tombstone is delivered, and its threats leave the lists. */
  removeAsset(id: string): void {
    const asset = this.#asset(id);
    if (asset.deletedAt) throw new ProblemError('resource/conflict', 'The asset is already removed.');
    this.assets.deliver(id, { deletedAt: this.#clock(), updatedAt: this.#clock() });
    for (const threat of this.#threatsOf.get(id) ?? []) this.threats.hide(threat);
  }

  /** Restores a removed asset: it is delivered as live data, its threats reappear unchanged at new positions. */
  restoreAsset(id: string): void {
    const asset = this.#asset(id);
    if (!asset.deletedAt) throw new ProblemError('resource/conflict', 'The asset is not removed.');
    this.assets.deliver(id, { deletedAt: 0, updatedAt: this.#clock() });
    for (const threat of this.#threatsOf.get(id) ?? []) this.threats.deliver(threat, {});
  }

  /** Delivers the tombstone of an asset that was created and removed before any list showed it. */
  tombstoneUnseen(id: string): void {
    if (this.assets.latest.has(id)) throw new ProblemError('resource/conflict', 'The asset exists.');
    this.assets.deliver(id, { deletedAt: this.#clock(), updatedAt: this.#clock() });
  }

  /** Creates a threat or replaces its content. Its asset must exist; while that is removed, no list shows the threat. */
  putThreat(row: RowInput): void {
    const { id, given, members } = cutControlRow(row, ['updated_at', this.#assetMember]);
    const assetId = given.get(this.#assetMember) ?? this.threats.latest.get(id)?.assetId;
    if (!assetId) throw new ProblemError('request/malformed', `A threat needs "${this.#assetMember}".`);
    const asset = this.#asset(assetId);
    this.assign(id, assetId);
    const change = { members, assetId, updatedAt: given.get('updated_at') ?? this.#clock() };
    if (!asset.deletedAt) {
      this.threats.deliver(id, change);
      return;
    }
    this.threats.hide(id);
    this.threats.record(id, change);
  }

  /** Delivers a resource again, unchanged, at a new position. */
  redeliver(stream: 'assets' | 'threats', id: string): void {
    const known = this[stream].latest.get(id);
    if (!known) throw new ProblemError('resource/not-found', 'No such resource.');
    if (stream === 'threats' && this.isHidden(known)) {
      throw new ProblemError('resource/conflict', "The threat's asset is removed, so no list shows it.");
    }
    this[stream].deliver(id, {});
  }

  /** Whether no list shows the threat because its asset is removed. */
  isHidden(threat: Version): boolean {
    return Boolean(this.assets.latest.get(threat.assetId)?.deletedAt);
  }

  /** Records the asset of a threat. */
  assign(threatId: string, assetId: string): void {
    const before = this.threats.latest.get(threatId)?.assetId;
    if (before && before !== assetId) this.#threatsOf.get(before)?.delete(threatId);
    const threats = this.#threatsOf.get(assetId);
    if (threats) threats.add(threatId);
    else this.#threatsOf.set(assetId, new Set([threatId]));
  }

  #asset(id: string): Version {
    const asset = this.assets.latest.get(id);
    if (!asset) throw new ProblemError('resource/not-found', 'No such asset.');
    return asset;
  }
}
