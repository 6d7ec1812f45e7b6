import { AppError } from '../core/kernel/errors.ts';
import type { ServiceRefusal } from './client/call.ts';

const scopes: ReadonlySet<string> = new Set([
  'insufficientPermissions',
  'insufficientScope',
  'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
]);

/** Whether a service refuses a token for its scopes. */
export const lacksScope = ({ reason }: ServiceRefusal): boolean => scopes.has(reason);

export const insufficientScope = (): AppError =>
  new AppError('FORBIDDEN', 'insufficientScope', 'The token does not carry the scope that this needs.');

/** What a service says of a refusal, shortened and without addresses. */
export const saidIn = ({ words }: ServiceRefusal): string => words.replaceAll(/\S+@\S+/g, '…').slice(0, 200);
