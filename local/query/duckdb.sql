-- The functions of Athena's SQL that DuckDB does not have, so that both run the same views. Athena's time zone is UTC.
set TimeZone = 'UTC';

-- An id may hold a lone surrogate as an escape. DuckDB refuses it, and Athena reads it as a question mark, which takes its place here.
-- The pattern keeps every other escape between U+0001 and U+0002, which JSON must escape. For a lone surrogate nothing is between them.
create macro well_formed_json(json_text) as
  translate(
    replace(
      regexp_replace(
        json_text,
        '(\\[^u]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}',
        chr(1) || '\1' || chr(2), 'g'),
      chr(1) || chr(2), '?'),
    chr(1) || chr(2), '');

-- Puts quotes around numbers, so that they keep their digits. Strings get a second pair of quotes, which is removed again.
create macro json_numbers_quoted(json_text) as
  replace(regexp_replace(json_text, '"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*', '"\0"', 'g'), '""', '"');

-- `->>` rewrites numbers other than integers (1.10 as 1.1, 1e2 as 100.0, -0 as 0), and returns objects and lists, which are null in
-- Athena. Only values that may be one of these are read a second time, which costs more. The list gives the value a name: an expression
-- that is written twice is parsed twice.
create macro json_scalar_at(json_text, path) as
  list_transform([try(json_text ->> path)], lambda json_scalar :
    case
      when regexp_matches(json_scalar, '^([\[{]|(0|-?[0-9]+(\.[0-9]+|(\.[0-9]+)?[eE][+-]?[0-9]+))$)')
        or json_scalar is null and strpos(json_text, '\u') > 0
      then try(json_value(json_numbers_quoted(well_formed_json(json_text)), path) ->> '$')
      else json_scalar
    end)[1];

-- Of malformed JSON the result is null. Athena stops at the member, so it may find one.
-- Athena's `$["a.b"]` is `$."a.b"` in DuckDB.
create macro json_extract_scalar(json_text, path) as
  json_scalar_at(json_text, replace(replace(path, '["', '."'), '"]', '"'));

-- A timestamp without a zone, in UTC: one with a zone costs DuckDB four times as much. A plain cast would ignore the offset. ISO 8601
-- allows times without seconds or with a comma, which DuckDB refuses. Athena's times end at the millisecond.
create macro from_iso8601_timestamp(iso_text) as
  date_trunc('millisecond',
    case
      when iso_text like '____-__-__T__:__:__%Z' and strpos(iso_text, ',') = 0 then cast(iso_text as timestamp)
      else timezone('UTC', cast(
        replace(regexp_replace(iso_text, 'T(\d\d:\d\d)(Z|[+-].*)?$', 'T\1:00\2'), ',', '.') as timestamptz))
    end);
create macro at_timezone(utc, zone) as utc;
-- The patterns of MySQL that both have: %Y, %m, %d, %H.
create macro date_format(moment, pattern) as strftime(moment, pattern);
