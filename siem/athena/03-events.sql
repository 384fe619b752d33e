-- Every delivered event, repeats included. No other view reads `lines`.
create or replace view events as
with marked as (
  -- `row` is the last member of an event. A quote inside a JSON string is escaped, so the first match is the member.
  select line, delivery_day, strpos(line, ',"row":') as row_at
  from lines
  -- The members of an event have a fixed order. Other lines are skipped.
  where substr(line, 1, 12) = '{"event_id":'
),
cut as (
  select
    delivery_day,
    case when row_at > 0 then substr(line, 1, row_at - 1) || '}' else line end as head,
    -- The row is cut as text, because a row that is parsed and written again loses digits.
    case when row_at > 0 then substr(line, row_at + 7, length(line) - row_at - 7) end as row_text
  from marked
),
members as (
  select
    json_extract_scalar(head, '$.event_id') as event_id,
    json_extract_scalar(head, '$.sequence') as sequence,
    -- An event with `format` is of a later format, which is skipped. A quote inside a string is escaped.
    case when strpos(head, ',"format":') = 0 then json_extract_scalar(head, '$.kind') end as kind,
    json_extract_scalar(head, '$.stream') as stream,
    json_extract_scalar(head, '$.id') as id,
    try(from_iso8601_timestamp(json_extract_scalar(head, '$.time'))) as happened,
    json_extract_scalar(head, '$.stream_position') as stream_position,
    json_extract_scalar(head, '$.connector') as connector,
    try(from_iso8601_timestamp(json_extract_scalar(head, '$.forwarded_at'))) as forwarded,
    json_extract_scalar(head, '$.asset_id') as asset_id,
    json_extract_scalar(head, '$.dead_letter') as dead_letter,
    json_extract_scalar(head, '$.reason') as reason,
    row_text,
    json_extract_scalar(head, '$.refresh') as refresh,
    delivery_day
  from cut
)
select
  connector,
  stream,
  id,
  sequence,
  event_id,
  kind,
  -- A column of a view in Athena has no time zone, so both times are UTC.
  cast(at_timezone(happened, 'UTC') as timestamp) as "time",
  cast(at_timezone(forwarded, 'UTC') as timestamp) as forwarded_at,
  stream_position,
  asset_id,
  dead_letter,
  row_text as "row",
  delivery_day,
  -- 'true' for an event of the refresh, which repeats what the SIEM has.
  refresh,
  reason
from members
-- Other kinds, which later releases may send, are left out, so that they do not hide the latest event (docs/events.md).
where event_id is not null and kind in ('upsert', 'tombstone', 'withdrawn', 'dns_block', 'oversize')
