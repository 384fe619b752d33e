-- The delivered objects as lines of text. Replace BUCKET, which stands here twice, by the stack's output BucketName.
-- The one column holds the whole line, because the default delimiter is U+0001, which JSON must escape.
-- Athena computes the partitions from the prefixes that Firehose writes, so no crawler is needed. Each is a day of delivery, in UTC.
-- The range begins before the first version. A query lists every day of it: where objects are kept for 365 days, NOW-367DAYS lists fewer.
create external table if not exists lines (line string)
partitioned by (delivery_day string)
row format serde 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe'
stored as textfile
location 's3://BUCKET/events/'
tblproperties (
  'projection.enabled' = 'true',
  'projection.delivery_day.type' = 'date',
  'projection.delivery_day.format' = 'yyyy/MM/dd',
  'projection.delivery_day.range' = '2026/01/01,NOW',
  'projection.delivery_day.interval' = '1',
  'projection.delivery_day.interval.unit' = 'DAYS',
  'storage.location.template' = 's3://BUCKET/events/${delivery_day}/'
)
