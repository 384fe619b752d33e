/** Files for CrowdStrike Falcon Next-Gen SIEM and LogScale. Nothing here can run them. */
import {
  BURST,
  comment,
  EXISTING_KINDS,
  GENERATED,
  HISTORY_STREAMS,
  KEY,
  KINDS,
  NOT_FOR,
  quoted,
  SEQUENCE_HALF,
  SEVERITY,
  SILENCE_MINUTES,
  STATE_KINDS,
  STATE_STREAMS,
} from './event-facts.ts';

const NOT_RUN = 'Not run: there is no LogScale to run it on here. Written from its documents.';

/**
 * Events of a run that `version` distinguishes. A run lasts 15 minutes, so more would be 11,000 events a second. Epochs below 90 million,
 * some 170 years at a run a minute, keep it within the 15 digits of a number.
 */
const COUNTERS = 10_000_000;

const SCRIPT = `parseJson()
| parseTimestamp("yyyy-MM-dd'T'HH:mm:ss[.SSS]XXX", field=forwarded_at)
| regex("^(?<epoch>\\\\d{${SEQUENCE_HALF}})(?<counter>\\\\d{${SEQUENCE_HALF}})$", field=sequence, strict=false)
| version := epoch * ${COUNTERS} + counter`;

function parser(): string {
  const notes = [
    'Parser of LogScale.',
    GENERATED,
    NOT_RUN,
    ...NOT_FOR,
    'version is the sequence as one number that aggregates compare exactly. @rawstring keeps the line with every digit.',
    'parseJson flattens the row: row.id, row.tags[0]. Beyond 8,000 fields (1,000 in older releases) fields are dropped,',
    'in alphabetical order, so that those of the envelope may be among them: see docs/siem/crowdstrike.md.',
  ];
  const script = SCRIPT.split('\n').map(line => `  ${line}`);
  return `${comment('#', notes)}
$schema: https://schemas.humio.com/parser/v0.3.0
name: security-data-connector
tagFields: []
script: |-
${script.join('\n')}
`;
}

function queries(): string {
  const take = '[version, sequence, kind, event_id, time, asset_id, @rawstring]';
  const newest = `in(stream, values=[${quoted(STATE_STREAMS)}])
| in(kind, values=[${quoted(STATE_KINDS)}])
| groupBy([${KEY.join(', ')}], function=selectFromMax(field=version, include=${take}), limit=max)`;
  const once = `groupBy([connector, event_id], function=selectFromMax(field=version, include=[stream, id, time, forwarded_at, kind]), limit=max)`;
  return `${comment('//', ['Queries for LogScale.', GENERATED, NOT_RUN, ...NOT_FOR])}

// What exists now. A group is an id: at most 1,000,000 by limit=max. Beyond, split by stream or by the beginning of id.
${newest}
| in(kind, values=[${quoted(EXISTING_KINDS)}])

// DNS blocks, each once.
in(stream, values=[${quoted(HISTORY_STREAMS)}])
| ${once}
| count()

// Events by stream and day, each once: must agree with npm run connectorctl -- counts.
in(kind, values=[${quoted(KINDS)}])
| regex("^(?<day>\\d{4}-\\d{2}-\\d{2})", field=forwarded_at)
| groupBy([connector, stream, day], function=count(event_id, distinct=true, as=events), limit=max)

// Freshness of each stream.
in(kind, values=[${quoted(KINDS)}])
| groupBy([connector, stream], function=max(@timestamp, as=newest), limit=max)

// Silence: a connector without events for ${SILENCE_MINUTES} minutes. Over a day or more.
in(kind, values=[${quoted(KINDS)}])
| groupBy(connector, function=max(@timestamp, as=newest), limit=max)
| test(newest < now() - ${SILENCE_MINUTES * 60_000})

// Critical threats. The API does not promise the member ${SEVERITY.member}.
stream = "threats" | kind = "upsert" | refresh != "true" | row.${SEVERITY.member} = "${SEVERITY.value}"

// ${BURST.events} withdrawals or more of a connector within ${BURST.minutes} minutes.
kind = "withdrawn"
| ${once}
| bucket(span=${BURST.minutes}min, field=connector, function=count(as=withdrawals))
| test(withdrawals >= ${BURST.events})

// The event of npm run connectorctl -- test-event.
event_id = "<event_id>"
`;
}

export function crowdstrikeFiles(): Record<string, string> {
  return { 'crowdstrike/security-data-connector.parser.yaml': parser(), 'crowdstrike/queries.logscale': queries() };
}
