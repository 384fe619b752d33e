-- The threats that exist now.
select connector, id, asset_id, "time" as updated_at, forwarded_at, sequence, event_id, stream_position, dead_letter, "row"
from latest_inventory
where stream = 'threats' and kind <> 'withdrawn'
