import type { ApiSimulator } from '../api-simulator/simulator.ts';
import { LONG_RUNS, limitRate, putPages } from './backlog.ts';
import { type Incident, STREAMS } from './incident.ts';
import type { Scene } from './scene.ts';
import { json, list, problem } from './tampered-api.ts';

const honest = (scene: Scene): void => scene.api.tamper();
const AN_HOUR = '3600';

/** Incidents caused by the API and its operator. */
export const API_INCIDENTS: readonly Incident[] = [
  {
    name: 'The API is down',
    caused: 'every list answers 503, to be called again in an hour',
    minutes: 36,
    begin: ({ simulator }) =>
      simulator.setFaults(
        STREAMS.map(endpoint => ({ endpoint, kind: 'status', status: 503, retryAfter: AN_HOUR }) as const),
      ),
    end: ({ simulator }) => simulator.setFaults([]),
    alarms: ['function-errors', 'stream-silent'],
  },
  {
    name: 'One endpoint is down',
    caused: 'the list of threats resets every connection',
    minutes: 36,
    begin: ({ simulator }) => simulator.setFaults([{ endpoint: 'threats', kind: 'reset' }]),
    end: ({ simulator }) => simulator.setFaults([]),
    alarms: ['function-errors', 'stream-silent'],
  },
  {
    name: 'The API is too slow for the backlog',
    // A run fetches no page with less than 30 s left, so a page of 19 s does not exceed the timeout.
    caused: 'each page of assets takes 19 s, and there are more than runs can read',
    minutes: 375,
    paging: LONG_RUNS,
    begin(scene) {
      putPages(scene, 1_300);
      scene.simulator.setFaults([{ endpoint: 'assets', kind: 'delay', delayMs: 19_000 }]);
    },
    end: ({ simulator }) => simulator.setFaults([]),
    alarms: ['stream-behind'],
  },
  {
    name: 'The API’s rate limit is too low for the backlog',
    caused: 'every other request for assets is answered 429 with a Retry-After of 280 s, and there are many pages',
    minutes: 375,
    paging: LONG_RUNS,
    begin(scene) {
      putPages(scene, 120);
      limitRate(scene, 280);
    },
    end: honest,
    alarms: ['stream-behind'],
  },
  {
    name: 'The client secret was rotated, and the new one not stored',
    caused: 'a new secret is issued; tokens end after five minutes',
    minutes: 45,
    begin: ({ simulator }) => void simulator.account.rotateSecret(),
    end: scene => scene.storeCredentials(),
    alarms: ['credentials-refused', 'function-errors', 'stream-silent'],
  },
  {
    name: 'The service account was disabled',
    caused: 'the account is revoked',
    minutes: 36,
    begin({ simulator }) {
      simulator.account.revoked = true;
    },
    end({ simulator }) {
      simulator.account.revoked = false;
    },
    alarms: ['credentials-refused', 'function-errors', 'stream-silent'],
  },
  {
    name: 'A role was taken away',
    caused: 'the account loses the role of the threat list',
    minutes: 36,
    begin: ({ simulator }) => void simulator.account.roles.delete('threats:read'),
    end: ({ simulator }) => void simulator.account.roles.add('threats:read'),
    alarms: ['role-missing', 'function-errors', 'stream-silent'],
  },
  {
    name: 'The API changes the form of its responses',
    caused: 'the DNS block list has another name for its cursor',
    minutes: 36,
    begin: ({ api }) => api.tamper(list('/v1/dns-blocks', json(200, { data: [], pagination: { cursor: null } }))),
    end: honest,
    alarms: ['contract-error', 'function-errors', 'stream-silent'],
  },
  {
    name: 'The API refuses every cursor of a list, and its beginning',
    caused: 'the list of assets answers 400 invalid-cursor to every request',
    minutes: 36,
    begin: ({ api }) => api.tamper(list('/v1/assets', problem(400, 'request/invalid-cursor'))),
    end: honest,
    alarms: ['function-errors', 'stream-silent'],
  },
  {
    name: 'The API leads a walk back to where it was',
    caused: 'each poll of DNS blocks is answered with a block, and with the cursor that was sent',
    minutes: 375,
    simulator: { endOfStream: 'empty-page-null' },
    begin({ api }) {
      api.tamper(({ target }) => {
        const next_cursor = new URL(target, 'http://localhost').searchParams.get('cursor');
        if (!target.startsWith('/v1/dns-blocks?') || next_cursor === null) return undefined;
        const block = { id: 'block-x', blocked_at: '2026-11-20T12:00:00Z' };
        return json(200, { data: [block], pagination: { next_cursor, page_size: 1 } });
      });
    },
    // The API repairs the block: a row that it never had would stay in the SIEM's copy.
    end(scene) {
      honest(scene);
      scene.simulator.put('dns-blocks', { id: 'block-x' });
    },
    alarms: ['stream-behind'],
  },
  {
    name: 'A row cannot be sent',
    caused: 'a threat without an id comes among the others',
    minutes: 10,
    begin({ api }) {
      const answer = { data: [{ id: '', asset_id: 'asset-1' }], pagination: { next_cursor: null, page_size: 1 } };
      api.tamper(list('/v1/threats', json(200, answer)));
    },
    end: honest,
    alarms: ['dead-letters'],
  },
  {
    name: 'Threats name their asset in another member than configured',
    caused: 'a threat arrives whose asset is in another member',
    minutes: 10,
    begin({ api }) {
      const row = { id: 'threat-x', host_id: 'asset-1', updated_at: '2026-11-20T12:00:00Z', stream_position: '9' };
      api.tamper(list('/v1/threats', json(200, { data: [row], pagination: { next_cursor: null, page_size: 1 } })));
    },
    // The API repairs the threat: a row that it never had again would stay in the SIEM's copy.
    end(scene) {
      const { simulator, minute } = scene;
      honest(scene);
      simulator.put('assets', { id: `host-${minute}` });
      simulator.put('threats', { id: 'threat-x', [simulator.settings.threatAssetMember]: `host-${minute}` });
    },
    alarms: ['threats-without-asset'],
  },
  {
    name: 'A filter does not fit a row',
    caused: 'the filter of threats compares a number, and a threat arrives in which it is text',
    minutes: 10,
    configuration: { filters: { threats: 'risk == `null` || risk > `5`' } },
    begin: ({ simulator }) => void simulator.put('threats', { id: 'threat-y', asset_id: 'asset-1', risk: '9' }),
    alarms: ['filter-errors'],
  },
  {
    name: 'A changed filter excludes hundreds of rows that the SIEM has',
    caused: 'a filter of threats is deployed that excludes a severity, which 520 threats have',
    minutes: 10,
    begin: ({ simulator }) => putThreats(simulator, 'low'),
    eachMinute(scene, run, minute) {
      if (minute < 3) return run();
      if (minute === 3) scene.cool();
      return scene.run({ ...scene.environment, FILTERS: JSON.stringify({ threats: "severity != 'low'" }) });
    },
    end: scene => scene.cool(),
    alarms: ['mass-withdrawal'],
  },
];

function putThreats(simulator: ApiSimulator, severity: string): void {
  for (let index = 0; index < 520; index++)
    simulator.put('threats', { id: `threat-${index}`, [simulator.settings.threatAssetMember]: 'asset-1', severity });
}
