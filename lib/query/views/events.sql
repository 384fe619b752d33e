-- Every delivered event in either format, repeats included. No other view reads `lines`.
with marked as (
  select
    line,
    delivery_day,
    -- The members of an envelope have a fixed order. OCSF lines do not begin with `event_id`.
    substr(line, 1, 12) = '{"event_id":' as is_envelope,
    -- `row` is the last member of an envelope. A quote inside a JSON string is escaped, so the first match is the member.
    strpos(line, ',"row":') as row_at
  from lines
),
cut as (
  select
    is_envelope,
    delivery_day,
    case when is_envelope and row_at > 0 then substr(line, 1, row_at - 1) || '}' else line end as head,
    -- The row is cut as text, because a row that is parsed and written again loses digits.
    case when is_envelope and row_at > 0 then substr(line, row_at + 7, length(line) - row_at - 7) end as row_text
  from marked
),
classed as (
  select
    is_envelope,
    delivery_day,
    head,
    row_text,
    case when not is_envelope then json_extract_scalar(head, '$.class_uid') end as class_uid,
    case when not is_envelope then json_extract_scalar(head, '$.activity_id') end as activity_id,
    not is_envelope and json_extract_scalar(head, '$.metadata.is_truncated') = 'true' as is_truncated
  from cut
),
members as (
  select
    case when is_envelope then json_extract_scalar(head, '$.event_id')
      else json_extract_scalar(head, '$.metadata.uid') end as event_id,
    case when is_envelope then json_extract_scalar(head, '$.sequence')
      -- With leading zeros the number sorts as text, like the sequence of an envelope.
      else lpad(json_extract_scalar(head, '$.metadata.sequence'), 20, '0') end as sequence,
    case
      -- An envelope with `format` is of a later format, which is skipped. A quote inside a string is escaped.
      when is_envelope and strpos(head, ',"format":') > 0 then null
      when is_envelope then json_extract_scalar(head, '$.kind')
      -- A removal is recognized by its class, even if the row was too large to be sent.
      {{removed_kinds}}
      when is_truncated then 'oversize'
      {{other_kinds}} end as kind,
    case when is_envelope then json_extract_scalar(head, '$.stream')
      else json_extract_scalar(head, '$.metadata.log_name') end as stream,
    case when is_envelope then json_extract_scalar(head, '$.id')
      {{ids}} end as id,
    case when is_envelope then try(from_iso8601_timestamp(json_extract_scalar(head, '$.time')))
      else try(from_unixtime(cast(json_extract_scalar(head, '$.time') as double) / 1000)) end as happened,
    case when is_envelope then json_extract_scalar(head, '$.stream_position')
      else json_extract_scalar(head, '$.unmapped.stream_position') end as stream_position,
    case when is_envelope then json_extract_scalar(head, '$.connector')
      else json_extract_scalar(head, '$.metadata.tenant_uid') end as connector,
    case when is_envelope then try(from_iso8601_timestamp(json_extract_scalar(head, '$.forwarded_at')))
      else try(from_unixtime(cast(json_extract_scalar(head, '$.metadata.processed_time') as double) / 1000)) end as forwarded,
    case when is_envelope then json_extract_scalar(head, '$.asset_id')
      else json_extract_scalar(head, '$.resources[0].uid') end as asset_id,
    case when is_envelope then json_extract_scalar(head, '$.dead_letter')
      -- Only of a truncated event: otherwise `unmapped` holds members of the row.
      when is_truncated then json_extract_scalar(head, '$.unmapped.dead_letter') end as dead_letter,
    case when is_envelope then json_extract_scalar(head, '$.reason')
      when activity_id = '99' then json_extract_scalar(head, '$.unmapped.reason') end as reason,
    case when is_envelope then row_text else json_extract_scalar(head, '$.raw_data') end as row_text,
    case when is_envelope then json_extract_scalar(head, '$.refresh')
      when json_extract_scalar(head, '$.metadata.labels[0]') = 'refresh' then 'true' end as refresh,
    delivery_day
  from classed
)
select
  connector,
  stream,
  id,
  sequence,
  event_id,
  kind,
  -- A column of the catalogue has no time zone, so both times are UTC.
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
