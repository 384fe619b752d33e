-- Each threat that exists now. If it was too large (`dead_letter`), only the stored row says whether it was removed.
create or replace view current_threats as
select connector, id, asset_id, "time" as updated_at, forwarded_at, sequence, event_id, stream_position, dead_letter, "row"
from latest_inventory
where stream = 'threats' and kind not in ('tombstone', 'withdrawn')
