import { createDraw, mixSeed } from './draw.ts';

type Draw = () => number;

/**
 * The contents of generated rows: realistic security data of about 0.9 kB (DNS blocks 0.3 kB) that depends on nothing but seed
 * and index, so that a million rows need no memory. One row in sixteen holds values that a careless consumer would damage.
 */
export function generatedMembers(stream: 'assets' | 'threats' | 'dns-blocks', seed: number, index: number): string {
  const draw = createDraw(mixSeed(seed + WRITERS[stream].salt, index));
  return (
    WRITERS[stream].write(draw, index) +
    (index % 16 === 7 ? `,${HARD_MEMBERS[(index >> 4) % HARD_MEMBERS.length]}` : '')
  );
}

/** Numbers beyond a double's reach, names that mean something to JavaScript, and text outside ASCII. */
const HARD_MEMBERS: readonly string[] = [
  '"agent_serial":9007199254740993,"score_exact":1.0,"drift":-0',
  '"bytes_total":1e400,"ratio":0.30000000000000004440892098500626',
  '"__proto__":{"polluted":true},"constructor":"x","":"a member without a name"',
  '"note":"line\\u2028separator, quote \\" backslash \\\\ tab \\t, 日本語, 🛡️, \\ud800 alone"',
  '"nested":[[[]],{},{"a":{"toString":null}},[1E5,1.50,-1.0e-7]]',
];

const WRITERS = {
  assets: { salt: 101, write: assetMembers },
  threats: { salt: 202, write: threatMembers },
  'dns-blocks': { salt: 303, write: dnsBlockMembers },
};

function assetMembers(draw: Draw, index: number): string {
  const site = pick(draw, SITES);
  const os = pick(draw, SYSTEMS);
  const ip = address(draw);
  return (
    `"name":"${site}-${pick(draw, ['ws', 'srv', 'db', 'lap', 'fw'])}-${index}","fqdn":"host-${index}.${site}.corp.example",` +
    `"kind":"${pick(draw, ['workstation', 'server', 'laptop', 'network-device', 'virtual-machine'])}",` +
    `"criticality":"${pick(draw, LEVELS)}","operating_system":{"family":"${os[0]}","version":"${os[1]}","build":${integer(draw, 30000)}},` +
    `"network_interfaces":[{"name":"eth0","mac":"${mac(draw)}","ipv4":["${ip}"],"ipv6":["fd00:${hex(draw, 4)}:${hex(draw, 4)}::${hex(draw, 2)}"]},` +
    `{"name":"eth1","mac":"${mac(draw)}","ipv4":["${address(draw)}"],"ipv6":[]}],` +
    `"owner":{"team":"${pick(draw, TEAMS)}","email":"${pick(draw, TEAMS)}@corp.example"},"location":{"site":"${site}","rack":"R${integer(draw, 40)}"},` +
    `"agent":{"version":"7.${integer(draw, 40)}.${integer(draw, 10)}","healthy":${draw() < 0.95},"policy":"baseline-${integer(draw, 9)}","id":"${hex(draw, 32)}"},` +
    `"exposure":{"internet_facing":${draw() < 0.1},"open_ports":[22,443,${1024 + integer(draw, 60000)}],"risk_score":${(draw() * 100).toFixed(2)}},` +
    `"tags":["env:${pick(draw, ['prod', 'stage', 'dev'])}","cost-center:${integer(draw, 9000)}","backup:${draw() < 0.7}"],"serial_number":"${hex(draw, 12)}"`
  );
}

function threatMembers(draw: Draw, index: number): string {
  const technique = pick(draw, TECHNIQUES);
  return (
    `"title":"${technique[1]} on host","category":"${pick(draw, ['malware', 'vulnerability', 'misconfiguration', 'identity'])}",` +
    `"severity":"${pick(draw, LEVELS)}","score":${(draw() * 10).toFixed(1)},"confidence":${draw().toFixed(4)},"status":"${pick(draw, ['open', 'triaged', 'contained'])}",` +
    `"technique":{"framework":"ATT&CK","id":"${technique[0]}","name":"${technique[1]}"},` +
    `"process":{"pid":${integer(draw, 65535)},"image":"C:\\\\Windows\\\\System32\\\\${pick(draw, IMAGES)}","command_line":"${pick(draw, IMAGES)} -enc ${hex(draw, 48)}","sha256":"${hex(draw, 64)}"},` +
    `"network":{"remote_ip":"${address(draw)}","remote_port":${integer(draw, 65535)},"domain":"${hex(draw, 8)}.bad.example","protocol":"tcp"},` +
    `"detector":{"engine":"${pick(draw, ['behaviour', 'signature', 'anomaly'])}","rule":"R-${integer(draw, 90000)}","version":"2026.${integer(draw, 12)}"},` +
    `"summary":"Detection ${index}: ${technique[1]} was seen in a process started by ${pick(draw, TEAMS)}; review the parent process and isolate the host if the activity was not planned.",` +
    `"evidence_count":${integer(draw, 400)},"references":["https://kb.example/threats/${technique[0]}","https://kb.example/rules/${integer(draw, 90000)}"]`
  );
}

function dnsBlockMembers(draw: Draw, index: number): string {
  return (
    `"domain":"${hex(draw, 10)}.${pick(draw, ['bad', 'phish', 'c2', 'ads'])}.example","query_type":"${pick(draw, ['A', 'AAAA', 'TXT', 'HTTPS'])}",` +
    `"client_ip":"${address(draw)}","policy":"${pick(draw, ['malware', 'phishing', 'newly-seen', 'tunnelling'])}","action":"blocked",` +
    `"resolver":"dns-${1 + integer(draw, 4)}.corp.example","confidence":${draw().toFixed(3)},"query_id":${index}`
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

function pick<T>(draw: Draw, choices: readonly T[]): T {
  return choices[Math.floor(draw() * choices.length)]!;
}

function integer(draw: Draw, below: number): number {
  return Math.floor(draw() * below);
}

/** All two-digit hexadecimal numbers: looking up is several times faster than formatting, and rows are made by the million. */
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** `length` must be even. */
function hex(draw: Draw, length: number, separator = ''): string {
  let text = '';
  let bits = 0;
  for (let count = 0; count < length / 2; count++) {
    bits = count % 4 === 0 ? draw() * 4_294_967_296 : bits >>> 8;
    text += (count === 0 ? '' : separator) + BYTES[bits & 255];
  }
  return text;
}

function address(draw: Draw): string {
  return `10.${integer(draw, 256)}.${integer(draw, 256)}.${integer(draw, 256)}`;
}

function mac(draw: Draw): string {
  return hex(draw, 12, ':');
}
