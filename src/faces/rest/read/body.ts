import { isFields } from '../../../core/kernel/patch.ts';
import type { Issue, Path } from '../../../core/kernel/errors.ts';
import { BodyFault, ListBody, RawBody } from '../../../http/face.ts';
import { RestFault } from '../faults.ts';
import { BodyReader } from '../../../official/read.ts';
import type { Schemas } from '../../../official/schema.ts';
import type { BodyRow } from '../method.ts';

export interface ReadBody {
  /** In the names of the fields behind it. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What there is not, in official names: it is left out. */
  readonly unknown: readonly Path[];
  /** Fields that only the official API has, in official names: they are left out too. */
  readonly notOffered: readonly Path[];
  /** Values in place of lists; paths are in the names of fields. */
  readonly issues: readonly Issue[];
}

/** Reads the body of a request. */
export function readBody(
  { schema, nullClears = false, clears = [] }: BodyRow,
  body: unknown,
  schemas: Schemas,
): ReadBody {
  if (body instanceof RawBody)
    throw new RestFault(415, 'unsupportedMediaType', 'The Content-Type must be application/json.');
  if (body !== undefined && (!isFields(body) || body instanceof ListBody))
    throw new BodyFault('The body must be one JSON object.');
  const reader = new BodyReader(schemas, nullClears);
  const read = reader.read({ $ref: schema }, body ?? {}, { official: [], field: [] }) as ReadBody['fields'];
  const { unknown, notOffered, issues } = reader;
  const cleared = clears.filter((name) => read[name] === undefined).map((name) => [name, null] as const);
  return {
    fields: cleared.length > 0 ? { ...Object.fromEntries(cleared), ...read } : read,
    unknown,
    notOffered,
    issues,
  };
}
