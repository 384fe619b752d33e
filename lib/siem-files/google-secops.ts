/** Files for Google Security Operations. Nothing here can run them. */
import { comment, EXISTING_KINDS, GENERATED, HEAD, KINDS, NOT_FOR, STATE_KINDS, STATE_STREAMS } from './event-facts.ts';

const NOT_RUN = 'Not run: there is no instance to run it on here. Written from the documents of Google.';
const LOG_TYPE = 'SECURITY_DATA_CUSTOM';

/** Members with a field of their own in UDM, and one that may be a number, which the parser's conditions do not take. */
const ELSEWHERE = ['event_id', 'kind', 'id', 'forwarded_at', 'stream_position'];
const ADDITIONAL = HEAD.filter(({ isBoolean }) => !isBoolean)
  .map(({ name }) => name)
  .filter(name => !ELSEWHERE.includes(name));

function parser(): string {
  const merge = (name: string) => `  if [${name}] != "" {
    mutate {
      replace => {
        "label_${name}.key" => "${name}"
        "label_${name}.value.string_value" => "%{${name}}"
      }
    }
    mutate { merge => { "event.idm.read_only_udm.additional.fields" => "label_${name}" } }
  }`;
  const empty = ['event_id', 'kind', 'id', 'forwarded_at', ...ADDITIONAL].map(name => `      "${name}" => ""`);
  return `${comment('#', [
    `Parser of the log type ${LOG_TYPE}, which you request first.`,
    GENERATED,
    NOT_RUN,
    ...NOT_FOR,
    'Such lines make no event: the raw log keeps them.',
    'The time of an event is forwarded_at: never null, never old. A backfill brings rows that are years old.',
  ])}
filter {
  mutate {
    replace => {
${empty.join('\n')}
    }
  }
  json { source => "message" on_error => "not_json" }
  if [not_json] or [event_id] == "" { drop { tag => "TAG_UNSUPPORTED" } }
  date { match => ["forwarded_at", "ISO8601"] }
  mutate {
    replace => {
      "event.idm.read_only_udm.metadata.event_type" => "GENERIC_EVENT"
      "event.idm.read_only_udm.metadata.vendor_name" => "Security Data Connector"
      "event.idm.read_only_udm.metadata.product_name" => "Security Data"
      "event.idm.read_only_udm.metadata.product_log_id" => "%{event_id}"
      "event.idm.read_only_udm.metadata.product_event_type" => "%{kind}"
      "event.idm.read_only_udm.target.resource.product_object_id" => "%{id}"
    }
  }
${ADDITIONAL.map(merge).join('\n')}
  mutate { merge => { "@output" => "event" } }
}
`;
}

function anyOf(field: string, values: readonly string[]): string {
  return `${field} = /^(${values.join('|')})$/`;
}

function existsNow(): string {
  return `${comment('//', [
    'What exists now: the greatest sequence of each id, then the event that has it. Statistics with a stage.',
    GENERATED,
    NOT_RUN,
    ...NOT_FOR,
    'Test it first with two events of one id whose sequence differs only in the last digit. A 64-bit integer holds the 20 digits until',
    'epoch 922,337,203; a floating-point number does not. If the two look equal, let the parser split the sequence into two integers.',
    'How many rows a stage may answer could not be confirmed: count them, and split by stream where they end at a round number.',
  ])}
stage newest {
  $e.metadata.log_type = "${LOG_TYPE}"
  ${anyOf('$e.additional.fields["stream"]', STATE_STREAMS)}
  ${anyOf('$e.metadata.product_event_type', STATE_KINDS)}
  $connector = $e.additional.fields["connector"]
  $stream = $e.additional.fields["stream"]
  $id = $e.target.resource.product_object_id
  $number = cast.as_int($e.additional.fields["sequence"])
  match:
    $connector, $stream, $id
  outcome:
    $sequence = max($number)
}

$f.metadata.log_type = "${LOG_TYPE}"
$newest.connector = $f.additional.fields["connector"]
$newest.stream = $f.additional.fields["stream"]
$newest.id = $f.target.resource.product_object_id
$newest.sequence = cast.as_int($f.additional.fields["sequence"])
// Behind the newest, never in the first stage, which would then return removed things.
${anyOf('$f.metadata.product_event_type', EXISTING_KINDS)}
match:
  $newest.connector, $newest.stream, $newest.id
outcome:
  $kind = array_distinct($f.metadata.product_event_type)
`;
}

function counts(): string {
  return `${comment('//', [
    'Events by stream and day, each once: must agree with npm run connectorctl -- counts.',
    GENERATED,
    NOT_RUN,
    ...NOT_FOR,
  ])}
metadata.log_type = "${LOG_TYPE}"
${anyOf('metadata.product_event_type', KINDS)}
$connector = additional.fields["connector"]
$stream = additional.fields["stream"]
$day = timestamp.get_date(metadata.event_timestamp.seconds, "UTC")
match:
  $connector, $stream, $day
outcome:
  $events = count_distinct(metadata.product_log_id)
  $newest = max(metadata.event_timestamp.seconds)
`;
}

export function googleSecOpsFiles(): Record<string, string> {
  return {
    'google-secops/parser.conf': parser(),
    'google-secops/exists-now.yaral': existsNow(),
    'google-secops/counts.yaral': counts(),
  };
}
