import { bucketTable } from '../bucket/bucket.fields.ts';
import { calendarFields } from '../calendar/calendar.fields.ts';
import { compileTable, type FieldTable } from '../core/fields/table.ts';
import { createSeal } from '../core/kernel/seal.ts';
import { eventFields } from '../event/model/fields.ts';
import type { RestParts } from '../faces/rest/face.ts';
import type { Schemas } from '../official/schema.ts';
import { createSchemas } from '../official/schemas.ts';
import { parseJson } from '../http/body.ts';

/** The resources as the official APIs spell them. */
export const officialSchemas = (event: FieldTable = eventFields): Schemas =>
  createSchemas({ event: compileTable(event), calendar: calendarFields, bucket: bucketTable });

/** What the REST face is put together from. `secret` seals its page tokens. */
export const restParts = ({
  secret,
  ...parts
}: Pick<RestParts, 'runner' | 'admission' | 'verify' | 'partAnswered' | 'schemas'> & {
  readonly secret: string;
}): RestParts => ({
  ...parts,
  seal: createSeal(secret, 'REST pages'),
  readJson: parseJson,
});
