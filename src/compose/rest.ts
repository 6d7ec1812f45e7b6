import { bucketTable } from '../bucket/bucket.fields.ts';
import { calendarFields } from '../calendar/calendar.fields.ts';
import { compileTable, type FieldTable } from '../core/fields/table.ts';
import { createSeal } from '../core/kernel/seal.ts';
import { eventFields } from '../event/model/fields.ts';
import type { RestParts } from '../faces/rest/face.ts';
import { createSchemas } from '../official/schemas.ts';
import { parseJson } from '../http/json-body.ts';

/** What the REST face is put together from. `secret` seals its page tokens. */
export const restParts = ({ secret, eventFields: event = eventFields, ...parts }: Pick<RestParts, 'runner' | 'admission' | 'verify' | 'partAnswered'> & { readonly secret: string; readonly eventFields: FieldTable | undefined }): RestParts => ({
  ...parts,
  schemas: createSchemas({ event: compileTable(event), calendar: calendarFields, bucket: bucketTable }),
  seal: createSeal(secret, 'REST pages'),
  readJson: parseJson,
});
