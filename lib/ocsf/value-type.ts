import { ocsfSchema } from './schema.ts';

/** Types that the function checks a value for, each in its own way. */
const CHECKED = [
  'integer_t',
  'long_t',
  'float_t',
  'boolean_t',
  'json_t',
  'timestamp_t',
  'datetime_t',
  'ip_t',
  'mac_t',
  'uuid_t',
  'email_t',
  'bytestring_t',
  'subnet_t',
  'port_t',
];

/** The function's name for an OCSF type: any text will do for those that ask no more of it. */
export function valueType(type: string): string {
  if (CHECKED.includes(type)) return type.slice(0, -2);
  const { base = type, regex, max_len, range } = ocsfSchema().types[type]!;
  if (base !== 'string_t' || regex !== undefined || max_len !== undefined || range !== undefined)
    throw new Error(`The OCSF type ${type} has a rule that is not checked`);
  return 'string';
}
