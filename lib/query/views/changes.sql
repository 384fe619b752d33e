-- What happened, each event once however often it was sent, and what it was to its id.
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
  -- The type that the view is declared with: of the words alone Athena would make a varchar(9).
  cast(case
    when stream = 'dns-blocks' then 'blocked'
    when kind = 'tombstone' then 'removed'
    when kind = 'withdrawn' then 'withdrawn'
    when kind_before is null then 'new'
    when kind_before in ('tombstone', 'withdrawn') then 'restored'
    else 'changed' end as varchar) as change,
  kind,
  "time",
  forwarded_at,
  -- Earlier than `forwarded_at` where the event was sent again, which is not a change.
  first_forwarded_at,
  asset_id,
  dead_letter,
  "row",
  delivery_day,
  reason
from followed
