-- The assets that are gone, and since when. `row` is the tombstone.
select connector, id, "time" as removed_at, forwarded_at, sequence, event_id, stream_position, dead_letter, "row"
from latest_inventory
where stream = 'assets' and kind = 'tombstone'
