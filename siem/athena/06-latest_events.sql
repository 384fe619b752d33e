-- The latest event of each (connector, stream, id).
create or replace view latest_events as
select * from latest_inventory
union all
select * from latest_blocks
