import {
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTypeId,
  type DuckDBValueConverter,
  type Json,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';

const TIMESTAMPS: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
]);

/** A cell as JSON can carry it: whole numbers that a double cannot hold, and decimals, are texts; times are ISO 8601, UTC. */
export const cellValue: DuckDBValueConverter<Json> = (value, type, converter) => {
  if (typeof value === 'bigint' && BigInt(Number(value)) === value && Number.isSafeInteger(Number(value))) {
    return Number(value);
  }
  // By itself it would be written in the zone of this machine.
  if (value instanceof DuckDBTimestampTZValue) return isoTime(String(new DuckDBTimestampValue(value.micros)));
  if (value !== null && TIMESTAMPS.has(type.typeId)) return isoTime(String(value));
  return JsonDuckDBValueConverter(value, type, converter);
};

/** `infinity` is a timestamp too. */
function isoTime(text: string): string {
  return text.includes(' ') ? `${text.replace(' ', 'T')}Z` : text;
}
