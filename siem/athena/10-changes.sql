-- Each event once, however often it was sent, with what it changed.
create or replace view changes as
with occurrences as (
  select
    *,
    row_number() over (partition by connector, event_id order by sequence desc) as place,
    min(forwarded_at) over (partition by connector, event_id) as first_forwarded_at
  from events
),
followed as (
  select *, lag(kind) over (partition by connector, stream, id order by sequence) as kind_before
  from occurrences
  where place = 1 and refresh is null
)
select
  connector,
  stream,
  id,
  sequence,
  event_id,
  case
    when stream = 'dns-blocks' then 'blocked'
    when kind = 'tombstone' then 'removed'
    when kind = 'withdrawn' then 'withdrawn'
    when kind_before is null then 'new'
    when kind_before in ('tombstone', 'withdrawn') then 'restored'
    else 'changed' end as change,
  kind,
  "time",
  forwarded_at,
  -- Earlier than `forwarded_at` if the event was sent again.
  first_forwarded_at,
  asset_id,
  dead_letter,
  "row",
  delivery_day,
  reason
from followed
