import { STREAMS, type StreamKey, type StreamName, streamKey } from '../../lambda/streams.ts';
import { createRandom, mixSeed } from './random.ts';
import type { TenantData } from './tenant-data.ts';

/**
 * Numbers of generated rows by stream, for example `dnsBlocks` for `dns-blocks`. An absent member
 * means 0.
 */
export type SeedCounts = Partial<Readonly<Record<StreamKey, number>>>;

/** Numbers of generated rows by default, for `npm run api-simulator` and `npm start`. */
export const DEFAULT_SEED_COUNTS = {
  simulator: { assets: 200, threats: 500, dnsBlocks: 1000 },
  start: { assets: 1500, threats: 2500, dnsBlocks: 4000 },
} as const satisfies Record<string, Required<SeedCounts>>;

/** Names of the options for the numbers of rows. */
export const SEED_COUNT_NAMES: readonly StreamKey[] = STREAMS.map(({ name }) => streamKey(name));

/** Takes the numbers of rows out of an object with other options. */
export function seedCountsIn(options: SeedCounts): Required<SeedCounts> {
  return Object.fromEntries(SEED_COUNT_NAMES.map(name => [name, options[name] ?? 0])) as Required<SeedCounts>;
}

const DAY = 86_400_000;
const HISTORY = 90 * DAY;

/**
 * Fills an empty API simulator with data of ninety days, which end a day ago. The contents of rows
 * are generated only when they are read.
 */
export function seedTenantData(
  tenantData: TenantData,
  counts: SeedCounts,
  { now, seed, tieSize }: { readonly now: number; readonly seed: number; readonly tieSize: number },
): void {
  if (STREAMS.some(({ name }) => tenantData.count(name) > 0)) {
    throw new RangeError('Only an empty API simulator can be populated: generated rows belong to its past.');
  }
  const random = createRandom(seed);
  const { assets = 0, threats = 0, dnsBlocks = 0 } = counts;
  const { streams } = tenantData;
  const timeOf = (index: number, count: number) => {
    const first = index - (index % Math.round(tieSize));
    return Math.floor(now) - HISTORY - DAY + Math.floor((first / count) * HISTORY);
  };
  const updatedBefore = (at: number) => at - Math.floor(random() * 30 * DAY);

  for (let index = 0; index < assets; index++) {
    const at = timeOf(index, assets);
    const deletedAt = isRemoved(index) ? at : 0;
    const change = { members: index, updatedAt: deletedAt || updatedBefore(at), deletedAt };
    streams.assets.deliver(GENERATORS.assets.id(index), change, at * 1000);
  }
  for (let index = 0; index < threats && assets > 0; index++) {
    const at = timeOf(index, threats);
    const id = GENERATORS.threats.id(index);
    const parentId = GENERATORS.assets.id(liveIndex(Math.floor(random() * assets)));
    tenantData.assign('threats', id, parentId);
    streams.threats.deliver(id, { members: index, updatedAt: updatedBefore(at), parentId }, at * 1000);
  }
  for (let index = 0; index < dnsBlocks; index++) {
    const id = GENERATORS['dns-blocks'].id(index);
    streams['dns-blocks'].add({ seq: 0, id, at: timeOf(index, dnsBlocks), timeText: undefined, members: index });
  }
}

/** Whether the row is a tombstone, as every fiftieth row is. */
function isRemoved(index: number): boolean {
  return index % 50 === 49;
}

function liveIndex(index: number): number {
  return isRemoved(index) ? index - 1 : index;
}

type Random = () => number;

/** Generates the ids and members of a stream's rows. */
interface Generator {
  readonly id: (index: number) => string;
  /**
   * Returns additional members as JSON text joined by commas. Members that every row of the stream
   * has are not among them.
   */
  readonly members: (random: Random, index: number) => string;
}

const GENERATORS: Readonly<Record<StreamName, Generator>> = {
  // Some ids must be encoded in a path, so that a client that does not encode ids is noticed.
  assets: {
    id: index => (index % 64 === 9 ? `büro/site ${index % 7}?#${index}` : `asset-${index}`),
    members: assetMembers,
  },
  threats: { id: index => `threat-${index}`, members: threatMembers },
  'dns-blocks': { id: index => `dns-${String(index).padStart(9, '0')}`, members: dnsBlockMembers },
};

/**
 * Generates the contents of a row: realistic security data of about 0.9 kB, or 0.3 kB for a DNS
 * block. The contents depend only on seed and index, so rows need not be kept in memory. One row in
 * sixteen has values that a careless consumer would damage.
 */
export function generatedMembers(name: StreamName, seed: number, index: number): string {
  const salt = 101 * (1 + STREAMS.findIndex(each => each.name === name));
  const random = createRandom(mixSeed(seed + salt, index));
  const hard = index % 16 === 7 ? `,${HARD_MEMBERS[(index >> 4) % HARD_MEMBERS.length]}` : '';
  return GENERATORS[name].members(random, index) + hard;
}

/** Numbers that a double cannot hold, names with a meaning in JavaScript, and non-ASCII text. */
const HARD_MEMBERS: readonly string[] = [
  '"agent_serial":9007199254740993,"score_exact":1.0,"drift":-0',
  '"bytes_total":1e400,"ratio":0.30000000000000004440892098500626',
  '"__proto__":{"polluted":true},"constructor":"x","":"a member without a name"',
  '"note":"line\\u2028separator, quote \\" backslash \\\\ tab \\t, 日本語, 🛡️, \\ud800 alone"',
  '"nested":[[[]],{},{"a":{"toString":null}},[1E5,1.50,-1.0e-7]]',
];

function assetMembers(random: Random, index: number): string {
  const site = pick(random, SITES);
  const os = pick(random, SYSTEMS);
  const ip = address(random);
  return (
    `"name":"${site}-${pick(random, ['ws', 'srv', 'db', 'lap', 'fw'])}-${index}","fqdn":"host-${index}.${site}.corp.example",` +
    `"kind":"${pick(random, ['workstation', 'server', 'laptop', 'network-device', 'virtual-machine'])}",` +
    `"criticality":"${pick(random, LEVELS)}","operating_system":{"family":"${os[0]}","version":"${os[1]}","build":${integer(random, 30000)}},` +
    `"network_interfaces":[{"name":"eth0","mac":"${hex(random, 12, ':')}","ipv4":["${ip}"],"ipv6":["fd00:${hex(random, 4)}:${hex(random, 4)}::${hex(random, 2)}"]},` +
    `{"name":"eth1","mac":"${hex(random, 12, ':')}","ipv4":["${address(random)}"],"ipv6":[]}],` +
    `"owner":{"team":"${pick(random, TEAMS)}","email":"${pick(random, TEAMS)}@corp.example"},"location":{"site":"${site}","rack":"R${integer(random, 40)}"},` +
    `"agent":{"version":"7.${integer(random, 40)}.${integer(random, 10)}","healthy":${random() < 0.95},"policy":"baseline-${integer(random, 9)}","id":"${hex(random, 32)}"},` +
    `"exposure":{"internet_facing":${random() < 0.1},"open_ports":[22,443,${1024 + integer(random, 60000)}],"risk_score":${(random() * 100).toFixed(2)}},` +
    `"tags":["env:${pick(random, ['prod', 'stage', 'dev'])}","cost-center:${integer(random, 9000)}","backup:${random() < 0.7}"],"serial_number":"${hex(random, 12)}"`
  );
}

function threatMembers(random: Random, index: number): string {
  const technique = pick(random, TECHNIQUES);
  return (
    `"title":"${technique[1]} on host","category":"${pick(random, ['malware', 'vulnerability', 'misconfiguration', 'identity'])}",` +
    `"severity":"${pick(random, LEVELS)}","score":${(random() * 10).toFixed(1)},"confidence":${random().toFixed(4)},"status":"${pick(random, ['open', 'triaged', 'contained'])}",` +
    `"technique":{"framework":"ATT&CK","id":"${technique[0]}","name":"${technique[1]}"},` +
    `"process":{"pid":${integer(random, 65535)},"image":"C:\\\\Windows\\\\System32\\\\${pick(random, IMAGES)}","command_line":"${pick(random, IMAGES)} -enc ${hex(random, 48)}","sha256":"${hex(random, 64)}"},` +
    `"network":{"remote_ip":"${address(random)}","remote_port":${integer(random, 65535)},"domain":"${hex(random, 8)}.bad.example","protocol":"tcp"},` +
    `"detector":{"engine":"${pick(random, ['behaviour', 'signature', 'anomaly'])}","rule":"R-${integer(random, 90000)}","version":"2026.${integer(random, 12)}"},` +
    `"summary":"Detection ${index}: ${technique[1]} was seen in a process started by ${pick(random, TEAMS)}; review the parent process and isolate the host if the activity was not planned.",` +
    `"evidence_count":${integer(random, 400)},"references":["https://kb.example/threats/${technique[0]}","https://kb.example/rules/${integer(random, 90000)}"]`
  );
}

function dnsBlockMembers(random: Random, index: number): string {
  return (
    `"domain":"${hex(random, 10)}.${pick(random, ['bad', 'phish', 'c2', 'ads'])}.example","query_type":"${pick(random, ['A', 'AAAA', 'TXT', 'HTTPS'])}",` +
    `"client_ip":"${address(random)}","policy":"${pick(random, ['malware', 'phishing', 'newly-seen', 'tunnelling'])}","action":"blocked",` +
    `"resolver":"dns-${1 + integer(random, 4)}.corp.example","confidence":${random().toFixed(3)},"query_id":${index}`
  );
}

const SITES = ['berlin', 'porto', 'osaka', 'austin', 'dc-east', 'dc-west'];
const TEAMS = ['platform', 'payments', 'it-support', 'research', 'sales'];
const LEVELS = ['low', 'medium', 'high', 'critical'];
const IMAGES = ['powershell.exe', 'rundll32.exe', 'wscript.exe', 'certutil.exe'];
const SYSTEMS = [
  ['windows', '11 24H2'],
  ['windows-server', '2025'],
  ['linux', 'Debian 13'],
  ['macos', '26.1'],
];
const TECHNIQUES = [
  ['T1059.001', 'PowerShell'],
  ['T1003', 'OS Credential Dumping'],
  ['T1071.004', 'DNS Command and Control'],
  ['T1486', 'Data Encrypted for Impact'],
  ['T1566.002', 'Spearphishing Link'],
];

function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)]!;
}

function integer(random: Random, below: number): number {
  return Math.floor(random() * below);
}

/**
 * All two-digit hexadecimal numbers, because a lookup is several times faster than formatting, and
 * rows are generated by the million.
 */
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Draws a hexadecimal number. `length` must be even. */
function hex(random: Random, length: number, separator = ''): string {
  let text = '';
  let bits = 0;
  for (let count = 0; count < length / 2; count++) {
    bits = count % 4 === 0 ? random() * 4_294_967_296 : bits >>> 8;
    text += (count === 0 ? '' : separator) + BYTES[bits & 255];
  }
  return text;
}

function address(random: Random): string {
  return `10.${integer(random, 256)}.${integer(random, 256)}.${integer(random, 256)}`;
}
