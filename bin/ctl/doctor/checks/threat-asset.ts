import { readRow } from '../../../../lambda/core/row.ts';
import { STREAMS } from '../../../../lambda/streams.ts';
import { sha256 } from '../../../../lambda/system.ts';
import { type Check, fail, ok, skipped } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

/** Without it the threats of a removed asset cannot be withdrawn. */
export const threatAsset: Check<DoctorContext> = {
  name: 'threat-asset',
  needs: ['list-threats'],
  async look(context) {
    const [element] = (await context.firstPage('threats'))?.rows ?? [];
    const row = element && readRow(element, STREAMS.find(({ name }) => name === 'threats')!, sha256);
    if (!row || 'reason' in row) return skipped('there is no threat yet that could show it');
    const { threatAssetField } = await context.settings();
    if (row.parent !== undefined) return ok(`a threat names its asset in "${threatAssetField}"`);
    const names = Object.keys(JSON.parse(row.text) as object).map(name => JSON.stringify(name.slice(0, 64)));
    return fail(
      `the first threat names no asset in "${threatAssetField}"; its members are ${names.join(', ')}`,
      'Set threatAssetField in cdk.json, deploy, and order a resync of the threats.',
    );
  },
};
