import type { Tenant } from '../lib/cost/tenant.ts';
import type { Platform } from '../local/platform/platform.ts';
import { rowText } from './rows.ts';

/** Lets the minutes of a tenant's hours pass on its platform, in rows of realistic size. */
export class TenantTraffic {
  readonly #platform: Platform;
  readonly #tenant: Tenant;
  /** What is owed: an hour's sixtieth is seldom a whole number. */
  readonly #owed = new Map<string, number>();
  #serial = 0;

  constructor(platform: Platform, tenant: Tenant) {
    this.#platform = platform;
    this.#tenant = tenant;
  }

  minute(): void {
    const { assetChanges, threatChanges, removals, dnsBlocks } = this.#tenant;
    this.#happen('new assets', assetChanges / 10, () => this.#putAsset(`new-${this.#serial}`));
    this.#happen('changed assets', (assetChanges * 9) / 10, () => this.#putAsset(this.#some('assets')));
    this.#happen('new threats', threatChanges / 2, () => this.#putThreat(`new-${this.#serial}`));
    this.#happen('changed threats', threatChanges / 2, () => this.#putThreat(this.#some('threats')));
    this.#happen('removals', removals, () => this.#platform.removeAsset(this.#some('assets')));
    this.#happen('dns blocks', dnsBlocks, () => {
      const { id: _id, blocked_at: _at, ...members } = this.#members('dns-blocks');
      this.#platform.putDnsBlock({ id: `block-${this.#serial}`, ...members });
    });
  }

  #happen(what: string, anHour: number, event: () => void): void {
    const owed = (this.#owed.get(what) ?? 0) + anHour / 60;
    for (let done = 0; done < Math.floor(owed); done++) {
      this.#serial++;
      event();
    }
    this.#owed.set(what, owed % 1);
  }

  #putAsset(id: string): void {
    const { updated_at: _at, stream_position: _position, deleted: _deleted, ...members } = this.#members('assets');
    this.#platform.putAsset({ ...members, id });
  }

  #putThreat(id: string): void {
    const { updated_at: _at, stream_position: _position, asset_id: _owner, ...members } = this.#members('threats');
    const known = this.#platform.tenantData.threats.latest.get(id)?.assetId;
    this.#platform.putThreat({ ...members, id, asset_id: known ?? this.#some('assets') });
  }

  #members(stream: 'assets' | 'threats' | 'dns-blocks'): Record<string, unknown> {
    return JSON.parse(rowText(stream, this.#serial)) as Record<string, unknown>;
  }

  /** One that is not removed, another each time. */
  #some(kind: 'assets' | 'threats'): string {
    const { ids, latest } = this.#platform.tenantData[kind];
    for (let step = 0; ; step++) {
      const id = ids[(this.#serial * 7919 + step) % ids.length]!;
      const version = latest.get(id)!;
      const owner = kind === 'assets' ? version : this.#platform.tenantData.assets.latest.get(version.assetId);
      if (!owner?.deletedAt) return id;
    }
  }
}
