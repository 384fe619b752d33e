-- The latest event of each (connector, stream, id).
select * from latest_inventory
union all
select * from latest_blocks
