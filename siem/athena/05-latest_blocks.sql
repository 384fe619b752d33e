-- The latest event of each row that never changes, by the rule of latest_inventory.
create or replace view latest_blocks as
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
  where stream in ('dns-blocks')
) as ranked
where place = 1
