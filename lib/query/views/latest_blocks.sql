-- The same rule for what never changes, and is most of the bytes. See latest_inventory.
select
  connector,
  stream,
  id,
  sequence,
  event_id,
  kind,
  "time",
  forwarded_at,
  stream_position,
  asset_id,
  dead_letter,
  "row",
  delivery_day,
  reason
from (
  select *, row_number() over (partition by connector, stream, id order by sequence desc) as place
  from events
  where stream in ({{immutable_streams}}) and prefix not in ({{versioned_prefixes}})
) as ranked
where place = 1
