import type { Property, Schemas } from '../method.ts';

/** The schema that one names, or itself. */
export const resolved = (schemas: Schemas, schema: Property): Property => (schema.$ref === undefined ? schema : (schemas[schema.$ref] as Property));
