-- The rule of docs/events.md: of all events of one (connector, stream, id), the greatest sequence is the truth.
create or replace view latest_inventory as
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
  where stream not in ('dns-blocks')
) as ranked
where place = 1
