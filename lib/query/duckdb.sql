-- What DuckDB lacks of Athena's SQL, so that both run the same views. Its clock is set to UTC, as Athena's is.
set TimeZone = 'UTC';

-- Malformed JSON is null, as in Athena. DuckDB refuses a surrogate without its other half, which an id may hold as an escape:
-- Athena reads it as a question mark, and so does this. The control characters stand in for what must survive that: they cannot
-- occur in JSON as they are.
create macro lone_surrogates_replaced(json_text) as
  replace(
    regexp_replace(
      regexp_replace(
        regexp_replace(
          replace(json_text, '\\', chr(1)),
          '\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})', chr(2) || '\1' || chr(3) || '\2', 'g'),
        '\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '?', 'g'),
      chr(2) || '(....)' || chr(3), '\\u\1\\u', 'g'),
    chr(1), '\\');

create macro json_extract_scalar(json_text, path) as
  case
    when strpos(json_text, '\ud') + strpos(json_text, '\uD') = 0 then try(json_text ->> path)
    else try(lone_surrogates_replaced(json_text) ->> path)
  end;

-- Timestamps without a zone, in UTC, because those with one cost DuckDB four times as much; a plain cast would pass over an offset.
-- Without its seconds, or with a comma, DuckDB refuses a time that is ISO 8601. Athena's times end at the millisecond.
create macro from_iso8601_timestamp(iso_text) as
  date_trunc('millisecond',
    case
      when iso_text like '____-__-__T__:__:__%Z' and strpos(iso_text, ',') = 0 then cast(iso_text as timestamp)
      else timezone('UTC', cast(
        replace(regexp_replace(iso_text, 'T(\d\d:\d\d)(Z|[+-].*)?$', 'T\1:00\2'), ',', '.') as timestamptz))
    end);
create macro from_unixtime(seconds) as epoch_ms(cast(round(seconds * 1000) as bigint));
create macro at_timezone(utc, zone) as utc;
