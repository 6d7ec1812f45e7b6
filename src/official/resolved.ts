import type { Property, Schemas } from './schema.ts';

/** The schema that one names, or itself. */
export const resolved = (schemas: Schemas, schema: Property): Property =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref] as Property);
