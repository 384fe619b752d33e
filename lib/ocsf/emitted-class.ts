import type { StreamName } from '../../lambda/streams.ts';

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

/** Tombstones and withdrawals have classes or activities of their own, and nothing is mapped to them. */
export const EMITTED: Readonly<Record<StreamName, EmittedClass>> = {
  assets: { uid: '5001', caption: 'Device Inventory Info', profiles: [], own: [...OWN, 'device.uid'] },
  threats: { uid: '2004', caption: 'Detection Finding', profiles: [], own: [...OWN, 'finding_info.uid'] },
  'dns-blocks': {
    uid: '4003',
    caption: 'DNS Activity',
    profiles: ['security_control'],
    own: [...OWN, 'action_id', 'disposition_id'],
  },
};
