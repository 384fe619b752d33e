/** The mapping of row members to OCSF attributes as the infrastructure compiles it: the function knows no schema. */

/** How a value must be for an attribute to take it: the name of its OCSF type without `_t`, or `string`. */
export type OcsfType =
  | 'string'
  | 'integer'
  | 'long'
  | 'float'
  | 'boolean'
  | 'json'
  | 'timestamp'
  | 'datetime'
  | 'ip'
  | 'mac'
  | 'uuid'
  | 'email'
  | 'bytestring'
  | 'subnet'
  | 'port';

export interface OcsfField {
  /** Attribute, such as `device.os.name`. */
  readonly to: string;
  /** Absent: `string`. */
  readonly type?: OcsfType | undefined;
  readonly array?: true | undefined;
  /** Captions by value, where only these values are allowed. */
  readonly enum?: Readonly<Record<string, string>> | undefined;
  /** Attribute that takes the caption. */
  readonly sibling?: string | undefined;
}

/** What an object must hold to be valid. Names are those that a row can bring; an object that lacks them is not sent. */
export interface OcsfRule {
  readonly path: string;
  /** Required attributes that are 0, Unknown, when nothing else is known. */
  readonly unknown?: readonly string[] | undefined;
  readonly required?: readonly string[] | undefined;
  readonly atLeastOne?: readonly string[] | undefined;
  readonly justOne?: readonly string[] | undefined;
}

export interface OcsfStreamFields {
  /** By member of the row. */
  readonly fields: Readonly<Record<string, OcsfField>>;
  readonly rules: readonly OcsfRule[];
}

/** By stream. */
export type OcsfFields = Readonly<Record<string, OcsfStreamFields>>;
