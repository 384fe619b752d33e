/**
 * Items as JSON text with bytes in base64: `{"window":{"B":"AAEC"}}`. This form is used in requests
 * to DynamoDB and in the file of a table.
 */

export function readTableJson(text: string) {
  return JSON.parse(text, (name, value) =>
    name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value,
  );
}

export function tableJson(value: object): string {
  return JSON.stringify(value, function base64(this: Readonly<Record<string, unknown>>, name, member) {
    // The bytes are read from `this`, because `member` is already the result of the Buffer's
    // `toJSON`, which contains a list of numbers.
    const bytes = this[name];
    return bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64') : member;
  });
}
