import { randomBytes } from 'node:crypto';
import { demoSecret } from '../access/demo-secret.ts';
import type { Config } from '../config.ts';
import type { FieldTable } from '../core/fields/table.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { EventTools } from '../event/event.find.ts';
import { eventFields } from '../event/model/fields.ts';
import { compileModel } from '../event/model/model.ts';

/** The secret of this gateway's own tokens, and a notice on it for whoever started the demo. */
export const secretOf = ({
  demo,
  auth,
  stateFolder,
}: Config): { readonly secret?: string; readonly notice?: string } =>
  demo ? demoSecret(stateFolder) : { secret: auth.secret };

/** What working with events needs; `secret` signs where no setting does. */
export const createEventTools = (
  config: Config,
  clock: Clock,
  secret: string | undefined,
  fields: FieldTable = eventFields,
): EventTools => ({
  model: compileModel(fields),
  clock,
  links: { event: `${config.calendarUrl}/event`, call: `${config.calendarUrl}/call` },
  signingSecret: config.signingSecret ?? secret ?? randomBytes(32).toString('base64url'),
  mails: config.mail !== undefined,
});
