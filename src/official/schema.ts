/** The schema of a value, in the words of discovery documents. */
export interface Schema {
  readonly type?: 'string' | 'integer' | 'boolean' | 'number' | 'object' | 'array' | 'any';
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  /** The name of another schema. */
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Property>>;
  /** Official properties that there are not here. No part of discovery documents. */
  readonly notOffered?: ReadonlySet<string>;
  /** Of a map: that of its values. */
  readonly additionalProperties?: Schema;
}

/** A property of a resource, and how it differs from the field behind it. What differs is no part of discovery documents. */
export interface Property extends Schema {
  /** The field behind it, where that has another name. */
  readonly field?: string;
  /** There is no field behind it: it always has this value. */
  readonly constant?: string | boolean;
  /** The value that is left out of answers. */
  readonly standard?: string | number | boolean;
  /** Official values by those behind them. */
  readonly spelled?: Readonly<Record<string, string>>;
}

/** Schemas by their official names. */
export type Schemas = Readonly<Record<string, Schema>>;
