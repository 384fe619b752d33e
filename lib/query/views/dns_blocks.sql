-- Each DNS block once.
select connector, id, "time" as blocked_at, forwarded_at, sequence, event_id, dead_letter, "row"
from latest_blocks
