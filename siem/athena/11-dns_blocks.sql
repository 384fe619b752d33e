-- Each DNS block once.
create or replace view dns_blocks as
select connector, id, "time" as blocked_at, forwarded_at, sequence, event_id, dead_letter, "row"
from latest_blocks
where stream = 'dns-blocks'
