/** The table of Microsoft Sentinel and the queries on it, in KQL. */
import {
  BURST,
  comment,
  GENERATED,
  GONE_KINDS,
  HISTORY_STREAMS,
  KINDS,
  MEMBERS,
  NOT_FOR,
  quoted,
  SEVERITY,
  SILENCE_MINUTES,
  STATE_KINDS,
  STATE_STREAMS,
} from './event-facts.ts';

export const TABLE = 'SecurityData_CL';
export const STREAM = 'Custom-SecurityData';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'datetime' | 'boolean' | 'dynamic';
  readonly member: string;
}

/** Names of their own: `id`, `Type` and others are reserved in Log Analytics, and a column `Kind` was refused for one public project. */
const COLUMN_NAMES: Readonly<Record<string, string>> = {
  event_id: 'EventId',
  sequence: 'Sequence',
  kind: 'EventKind',
  stream: 'Stream',
  id: 'ObjectId',
  time: 'EventTime',
  stream_position: 'StreamPosition',
  connector: 'Connector',
  forwarded_at: 'ForwardedAt',
  asset_id: 'AssetId',
  dead_letter: 'DeadLetter',
  refresh: 'Refresh',
  reason: 'Reason',
  row: 'Row',
};

/** Microsoft's reserved names of columns, in any case. */
export const RESERVED = [
  'id',
  'BilledSize',
  'IsBillable',
  'InvalidTimeGenerated',
  'TenantId',
  'Title',
  'Type',
  'UniqueId',
  '_ItemId',
  '_ResourceGroup',
  '_ResourceId',
  '_SubscriptionId',
  '_TimeReceived',
] as const;

/** The columns of the members, in the order of the envelope. */
export const COLUMNS: readonly Column[] = MEMBERS.map(({ name: member, isTime, isBoolean, isRow }) => {
  const name = COLUMN_NAMES[member];
  if (name === undefined) throw new Error(`The member ${member} of the events has no column in Sentinel.`);
  return { name, member, type: isRow ? 'dynamic' : isTime ? 'datetime' : isBoolean ? 'boolean' : 'string' };
});

/** What the data collection rule does with a line. Names in brackets, because some are words of KQL. */
export function transformation(): string {
  const columns = COLUMNS.map(({ name, member }) =>
    member === 'stream_position' ? `${name} = tostring(['${member}'])` : `${name} = ['${member}']`,
  );
  return `source | project TimeGenerated = ['forwarded_at'], ${columns.join(', ')}`;
}

const BEFORE = [
  `The time range of a query must reach back to the newest event of each id: longer than the retention of ${TABLE} it cannot.`,
] as const;

export interface KqlFunction {
  readonly name: string;
  readonly says: string;
  readonly kql: string;
}

const KNOWN = `${TABLE}
| where EventKind in (${quoted(KINDS)})`;

/** The functions that the template saves in the workspace, each after those that it uses. */
export const FUNCTIONS: readonly KqlFunction[] = [
  {
    name: 'SecurityDataEvents',
    says: 'Each event once, however often it was sent: of its repeats the one with the greatest sequence.',
    kql: `${KNOWN}
| extend SequenceNumber = tolong(Sequence)
| summarize arg_max(SequenceNumber, *) by Connector, EventId`,
  },
  {
    name: 'SecurityDataNow',
    says: 'What exists now: the newest event of each id, without what is gone. Filter by EventKind behind it, never before.',
    kql: `${TABLE}
| where Stream in (${quoted(STATE_STREAMS)}) and EventKind in (${quoted(STATE_KINDS)})
| extend SequenceNumber = tolong(Sequence)
| summarize arg_max(SequenceNumber, *) by Connector, Stream, ObjectId
| where EventKind !in (${quoted(GONE_KINDS)})`,
  },
  {
    name: 'SecurityDataChanges',
    says: 'What happened to each id, one row per event: new, changed, restored, removed, withdrawn, blocked.',
    kql: `SecurityDataEvents
| where not(coalesce(Refresh, false))
| sort by Connector asc, Stream asc, ObjectId asc, SequenceNumber asc
| extend KindBefore = iff(prev(Connector) == Connector and prev(Stream) == Stream and prev(ObjectId) == ObjectId, prev(EventKind), "")
| extend Change = case(
    Stream in (${quoted(HISTORY_STREAMS)}), "blocked",
    EventKind == "tombstone", "removed",
    EventKind == "withdrawn", "withdrawn",
    KindBefore == "", "new",
    KindBefore in (${quoted(GONE_KINDS)}), "restored",
    "changed")`,
  },
  {
    name: 'SecurityDataRepeats',
    says: 'Events that arrived more than once. Repeats are expected after a crash, a resync or a replay.',
    kql: `${KNOWN}
| summarize Lines = count(), First = min(ForwardedAt), Last = max(ForwardedAt) by Connector, Stream, EventId
| where Lines > 1`,
  },
];

/** Queries to type, or to make analytics rules of. */
export const QUERIES: readonly KqlFunction[] = [
  {
    name: 'ThreatsWithAssets',
    says: 'The threats that exist now, with their assets.',
    kql: `SecurityDataNow
| where Stream == "threats"
| join kind=leftouter (
    SecurityDataNow | where Stream == "assets" | project Connector, AssetId = ObjectId, Asset = Row
  ) on Connector, AssetId`,
  },
  {
    name: 'EventsByDay',
    says: 'Events by stream and day, each once: must agree with npm run connectorctl -- counts.',
    kql: `${KNOWN}
| extend Day = startofday(ForwardedAt)
| summarize by Connector, Stream, Day, EventId
| summarize Events = count() by Connector, Stream, Day`,
  },
  {
    name: 'Freshness',
    says: 'When the connector made the newest event of each stream.',
    kql: `${KNOWN}
| summarize Newest = max(ForwardedAt) by Connector, Stream`,
  },
  {
    name: 'TestEvent',
    says: 'The event of npm run connectorctl -- test-event.',
    kql: `${TABLE}
| where EventId == "<event_id>"`,
  },
  {
    name: 'Silence',
    says: `A connector without events for ${SILENCE_MINUTES} minutes. A rule over a day or more; a quiet tenant needs more minutes.`,
    kql: `${TABLE}
| summarize Newest = max(ForwardedAt) by Connector
| where Newest < ago(${SILENCE_MINUTES}m)`,
  },
  {
    name: 'NewCriticalThreats',
    says: `New threats whose member ${SEVERITY.member} is ${SEVERITY.value}. The API does not promise the member: change it.`,
    kql: `SecurityDataChanges
| where Stream == "threats" and Change in ("new", "restored")
| where tostring(Row.${SEVERITY.member}) == "${SEVERITY.value}"`,
  },
  {
    name: 'AssetsRemoved',
    says: 'Assets that were removed.',
    kql: `SecurityDataChanges
| where Change == "removed"`,
  },
  {
    name: 'BurstOfWithdrawals',
    says: `${BURST.events} withdrawals or more of a connector within ${BURST.minutes} minutes.`,
    kql: `SecurityDataEvents
| where EventKind == "withdrawn"
| summarize Withdrawals = count() by Connector, Window = bin(ForwardedAt, ${BURST.minutes}m)
| where Withdrawals >= ${BURST.events}`,
  },
];

export function kqlFile(): string {
  const header = [
    'Queries for Microsoft Sentinel, on the functions that azuredeploy.json saves.',
    GENERATED,
    ...NOT_FOR,
    ...BEFORE,
  ];
  const parts = QUERIES.map(({ name, says, kql }) => `// ${name}: ${says}\n${kql}\n`);
  return [`${comment('//', header)}\n`, ...parts].join('\n');
}
