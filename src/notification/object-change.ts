import type { Issue, Path } from '../core/errors.ts';
import { textIssues } from '../core/input.ts';
import type { ObjectChange } from './message.ts';
import type { ObjectEventType } from './notification.ts';

/** A change as a client sends it. */
export interface ObjectChangeBody {
  readonly eventType: ObjectEventType;
  readonly objectId: string;
  readonly objectGeneration?: string | null;
  readonly eventTime?: string | null;
  readonly overwroteGeneration?: string | null;
  readonly overwrittenByGeneration?: string | null;
  readonly object?: Readonly<Record<string, unknown>> | null;
}

const path: Path = ['change'];
const maxNameBytes = 1024;
/** What fits into a message of any broker we know, its headers included. */
const maxObjectBytes = 512 * 1024;
const generation = /^\d{1,19}$/;

/** Where each of the two generations goes with the kind of event. */
const applies: Readonly<Record<'overwroteGeneration' | 'overwrittenByGeneration', readonly ObjectEventType[]>> = {
  overwroteGeneration: ['OBJECT_FINALIZE'],
  overwrittenByGeneration: ['OBJECT_DELETE', 'OBJECT_ARCHIVE'],
};

/** Every rule a change breaks, all at once, with paths that start at the argument. */
export function changeIssues(body: ObjectChangeBody): Issue[] {
  const issues = textIssues(body, path);
  const add = (field: string, reason: Issue['reason'], message: string): unknown =>
    issues.push({ path: [...path, field], reason, message });
  if (body.objectId === '') add('objectId', 'required', 'objectId is the name of the object and must not be empty.');
  if (Buffer.byteLength(body.objectId) > maxNameBytes) add('objectId', 'tooLong', `objectId has at most ${maxNameBytes} bytes (UTF-8).`);
  if (/[\r\n]/.test(body.objectId)) add('objectId', 'invalid', 'The name of an object has no line breaks.');
  for (const field of ['objectGeneration', 'overwroteGeneration', 'overwrittenByGeneration'] as const) {
    const value = body[field];
    if (typeof value === 'string' && !generation.test(value)) add(field, 'invalid', `${field} must be a decimal number of 1 to 19 digits.`);
  }
  for (const [field, types] of Object.entries(applies)) {
    const given = typeof body[field as keyof typeof applies] === 'string';
    if (given && body.eventType && !types.includes(body.eventType)) {
      add(field, 'invalid', `${field} goes with ${types.join(' or ')} only. Leave it out, or send another eventType.`);
    }
  }
  if (body.object && Buffer.byteLength(JSON.stringify(body.object)) > maxObjectBytes) {
    add('object', 'tooLong', `The object's JSON has at most ${maxObjectBytes} bytes.`);
  }
  return issues;
}

/** The change a checked body describes; without a time of its own it happened now. */
export function changeOf(body: ObjectChangeBody, now: number): ObjectChange {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
  return { ...(given as Omit<ObjectChange, 'eventTime'>), eventTime: withMicroseconds(body.eventTime ?? new Date(now).toISOString()) };
}

/** An RFC 3339 time in UTC with six digits behind the second, as messages write it. */
export function withMicroseconds(time: string): string {
  const digits = /\.(\d+)/.exec(time)?.[1] ?? '';
  const whole = new Date(Date.parse(time.toUpperCase().replace(/\.\d+/, ''))).toISOString().slice(0, 19);
  return `${whole}.${digits.padEnd(6, '0').slice(0, 6)}Z`;
}
