-- The assets that exist now. Of one that was too large (`dead_letter`), only the stored row says whether it was removed.
select connector, id, "time" as updated_at, forwarded_at, sequence, event_id, stream_position, dead_letter, "row"
from latest_inventory
where stream = 'assets' and kind not in ('tombstone', 'withdrawn')
