export type XmlValue =
  | string
  | number
  | boolean
  | Date
  | undefined
  | readonly XmlValue[]
  | { readonly [name: string]: XmlValue };

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** An element around a text, which is escaped. */
export function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

/** An element as the query protocol writes values: the entries of a list are `<member>`s, what is undefined is left out. */
export function valueElement(name: string, value: XmlValue): string {
  if (value === undefined) return '';
  if (value instanceof Date) return element(name, value.toISOString());
  if (typeof value !== 'object') return element(name, String(value));
  if (isList(value)) return `<${name}>${value.map(each => valueElement('member', each)).join('')}</${name}>`;
  const members = Object.entries(value).map(([member, each]) => valueElement(member, each));
  return `<${name}>${members.join('')}</${name}>`;
}

function isList(value: XmlValue): value is readonly XmlValue[] {
  return Array.isArray(value);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

function escapeXml(text: string): string {
  return text.replace(/[&<>"\r]/g, character => ENTITIES[character] ?? character);
}
