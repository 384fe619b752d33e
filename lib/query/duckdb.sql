-- What DuckDB lacks of Athena's SQL, so that both run the same views. Its clock is set to UTC, as Athena's is.
set TimeZone = 'UTC';

-- DuckDB refuses a surrogate without its other half, which an id may hold as an escape: Athena reads it as a question mark, and so
-- does this. The control characters cannot occur in JSON as they are: they surround what is kept, and are adjacent where nothing is.
create macro well_formed_json(json_text) as
  translate(
    replace(
      regexp_replace(
        json_text,
        '(\\[^u]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}',
        chr(1) || '\1' || chr(2), 'g'),
      chr(1) || chr(2), '?'),
    chr(1) || chr(2), '');

-- Each number as a text, in its own digits. Strings get quotes too, and lose them again.
create macro json_numbers_quoted(json_text) as
  replace(regexp_replace(json_text, '"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*', '"\0"', 'g'), '""', '"');

-- `->>` rewrites what is no integer (1.10 as 1.1, 1e2 as 100.0, -0 as 0), and gives objects and lists, which are null in Athena:
-- only what may be one of these is read again, with care. The list is there to name what was found; written twice, it would be
-- parsed twice.
create macro json_scalar_at(json_text, path) as
  list_transform([try(json_text ->> path)], lambda json_scalar :
    case
      when regexp_matches(json_scalar, '^([\[{]|(0|-?[0-9]+(\.[0-9]+|(\.[0-9]+)?[eE][+-]?[0-9]+))$)')
        or json_scalar is null and strpos(json_text, '\u') > 0
      then try(json_value(json_numbers_quoted(well_formed_json(json_text)), path) ->> '$')
      else json_scalar
    end)[1];

-- Malformed JSON is null. Athena reads no further than the member, and may find it all the same.
-- `$["a.b"]` of Athena is `$."a.b"` here.
create macro json_extract_scalar(json_text, path) as
  json_scalar_at(json_text, replace(replace(path, '["', '."'), '"]', '"'));

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
-- MySQL's letters, as far as both have them: %Y, %m, %d, %H.
create macro date_format(moment, pattern) as strftime(moment, pattern);
