import { organizationKey } from '../../../../lambda/store/item.ts';
import { THROTTLING_FAULTS } from '../../../../local/aws/faults.ts';
import { answerJson, tamperList } from '../../../../local/incidents/tampered-api.ts';
import { type Connector, connector } from '../../../support/function/connector.ts';

export interface Scenario {
  readonly name: string;
  /** After a first run over some rows. */
  readonly act: (each: Connector) => Promise<unknown>;
}

const WHOLE_BATCH = { failItems: (index: number) => index % 2 === 1 };

/**
 * Together these reach every line of the function that a call to AWS passes, as its coverage shows.
 */
const SCENARIOS: readonly Scenario[] = [
  { name: 'first run', act: async () => undefined },
  {
    name: 'removal and restoration',
    async act(each) {
      each.simulator.put('threats', { id: 'threat-gone', asset_id: 'asset-2' });
      await each.run();
      each.simulator.remove('assets', 'asset-2');
      await each.run();
      each.simulator.restore('assets', 'asset-2');
      await each.run();
    },
  },
  {
    name: 'dead letters',
    async act(each) {
      const rows = [{ id: '' }, { id: 'wide', text: 'x'.repeat(1_100_000) }];
      each.api.tamper(
        tamperList('/v1/assets', answerJson(200, { data: rows, pagination: { next_cursor: null, page_size: 2 } })),
      );
      await each.run();
    },
  },
  {
    name: 'throttling and partial failures',
    act(each) {
      each.simulator.put('assets', { id: 'asset-1', name: 'again' });
      each.simulator.put('assets', { id: 'asset-3', name: 'again' });
      each.aws.faults.next('firehose', THROTTLING_FAULTS.firehose, WHOLE_BATCH);
      each.aws.faults.next('dynamodb', THROTTLING_FAULTS.dynamodb, ...Array.from({ length: 12 }, () => WHOLE_BATCH));
      return each.run();
    },
  },
  {
    name: 'another client, which a row that was sent proves',
    async act(each) {
      await each.table.update({
        Key: organizationKey,
        UpdateExpression: 'SET digest = :other',
        ExpressionAttributeValues: { ':other': { S: 'other' } },
      });
      // The call above is the test's own.
      each.forget();
      await each.run();
    },
  },
  {
    name: 'sweep, an hour after the resync',
    async act(each) {
      await each.run({ resync: ['assets'] });
      each.clock.advance(3_660_000);
      await each.run();
    },
  },
  { name: 'replay', act: each => each.run({ replay: ['assets', 'threats', 'dns-blocks'] }) },
  {
    name: 'a batch that was not finished',
    async act(each) {
      each.simulator.put('assets', { id: 'asset-1', name: 'changed' });
      each.aws.faults.next('firehose', { refuse: { status: 400, code: 'AccessDeniedException', message: 'No.' } });
      await each.run().catch(() => undefined);
      await each.run();
    },
  },
  { name: 'two runs at one moment', act: each => Promise.all([each.run(), each.run()]) },
  {
    name: 'a long run that renews its lease',
    act(each) {
      for (let index = 0; index < 4; index++) each.simulator.put('dns-blocks', { id: `late-${index}` });
      each.simulator.setFaults([{ endpoint: 'threats', kind: 'delay', delayMs: 25_000 }]);
      return each.run();
    },
  },
];

/** One call of a scenario. */
export interface SeenCall {
  readonly permission: string;
  readonly resource: string;
  readonly scenario: string;
}

/** Every call of the function in each scenario, as recorded at the endpoints. */
export async function seenCalls(
  environmentOf: (each: Connector) => Readonly<Record<string, string>>,
): Promise<SeenCall[]> {
  const seen: SeenCall[] = [];
  for (const { name, act } of SCENARIOS) {
    await using each = await connector();
    Object.assign(each.environment, environmentOf(each), { PAGE_LIMIT: '10' });
    each.simulator.populate({ assets: 8, threats: 12, dnsBlocks: 12 });
    await each.run({}, { cold: true });
    if (name !== 'first run') each.forget();
    await act(each);
    for (const { permission, resource } of each.calls) seen.push({ permission, resource, scenario: name });
  }
  return seen;
}
