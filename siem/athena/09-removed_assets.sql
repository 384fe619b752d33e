-- Each asset that was removed, and when. `row` is the tombstone.
create or replace view removed_assets as
select connector, id, "time" as removed_at, forwarded_at, sequence, event_id, stream_position, dead_letter, "row"
from latest_inventory
where stream = 'assets' and kind = 'tombstone'
