import { filterFields } from '../../core/json.ts';
import { countUtf8Bytes } from '../../core/text/characters.ts';
import { isDate, parseDateTime } from '../../core/time/local-time.ts';
import type { Issue, Path } from '../../core/errors.ts';
import { findUnstorableTexts } from '../../core/report.ts';
import type { ObjectEventType } from '../notification.ts';
import type { ObjectChangeBody } from '../notification.fields.ts';
import type { ObjectChange } from './message.ts';

const changePath: Path = ['change'];
const maxNameBytes = 1024;
/** Limit of an object's JSON, which with headers fits into the message limits of common brokers. */
const maxObjectBytes = 512 * 1024;
/** Event types with which each generation field may be sent; undefined: with all. */
const allowedTypesByField = {
  objectGeneration: undefined,
  overwroteGeneration: ['OBJECT_FINALIZE'],
  overwrittenByGeneration: ['OBJECT_DELETE', 'OBJECT_ARCHIVE'],
} as const satisfies { readonly [Field in keyof ObjectChangeBody]?: readonly ObjectEventType[] | undefined };

/** Adds an issue of a field. */
type AddIssue = (
  field: keyof ObjectChangeBody,
  reason: Issue['reason'],
  message: string,
  params?: Issue['params'],
) => void;

/** Lists everything that is wrong with an object change whose fields have the right types. */
export function findObjectChangeIssues(body: ObjectChangeBody): Issue[] {
  const issues = findUnstorableTexts(body, changePath);
  const add: AddIssue = (field, reason, message, params) =>
    issues.push({ path: [...changePath, field], reason, message, ...(params && { params }) });
  checkObjectName(body.objectId, add);
  checkGenerations(body, add);
  checkTime(body.eventTime, add);
  checkObject(body.object, add);
  return issues;
}

function checkObjectName(name: string, add: AddIssue): void {
  const params = { min: 1, max: maxNameBytes, actual: countUtf8Bytes(name) };
  if (name === '') {
    const message = `objectId is the name of the object and has 1 to ${maxNameBytes} bytes (UTF-8).`;
    return add('objectId', 'required', message, params);
  }
  if (name === '.' || name === '..')
    return add('objectId', 'invalid', 'The name of an object must not be "." or "..".');
  if (params.actual > maxNameBytes) {
    const message = `objectId has at most ${maxNameBytes} bytes (UTF-8); this one has ${params.actual}.`;
    add('objectId', 'tooLong', message, params);
  }
  if (/[\r\n]/.test(name))
    add('objectId', 'invalid', 'The name of an object must not hold line breaks (CR or LF).');
}

function checkGenerations(body: ObjectChangeBody, add: AddIssue): void {
  for (const field of Object.keys(allowedTypesByField) as (keyof typeof allowedTypesByField)[]) {
    const value = body[field];
    if (typeof value !== 'string') continue;
    if (!/^\d{1,19}$/.test(value)) {
      const message = `${field} must be a decimal number of 1 to 19 digits.`;
      add(field, 'invalid', message, { min: 1, max: 19 });
    }
    const types: readonly ObjectEventType[] | undefined = allowedTypesByField[field];
    if (types && body.eventType && !types.includes(body.eventType)) {
      const message = `${field} needs ${types.join(' or ')} only. Leave it out, or send another eventType.`;
      add(field, 'invalid', message);
    }
  }
}

/** Refuses times whose UTC year is 0 or has more than four digits, as RFC 3339 cannot express them. */
function checkTime(time: string | null | undefined, add: AddIssue): void {
  if (
    typeof time !== 'string' ||
    !parseDateTime(time)?.offset ||
    isDate(formatMicroseconds(time).slice(0, 10))
  )
    return;
  add(
    'eventTime',
    'invalid',
    'eventTime must be in the years 0001 to 9999 in UTC too, as messages write it.',
  );
}

function checkObject(object: ObjectChangeBody['object'], add: AddIssue): void {
  const actual = object ? countUtf8Bytes(JSON.stringify(object)) : 0;
  if (actual <= maxObjectBytes) return;
  const message = `The object's JSON has at most ${maxObjectBytes} bytes; this one has ${actual}.`;
  add('object', 'tooLong', message, { max: maxObjectBytes, actual });
}

/** Converts a validated body to an object change, without nulls. */
export function toObjectChange(body: ObjectChangeBody, eventTime: string): ObjectChange {
  const fields = filterFields(body, (value) => value !== null && value !== undefined);
  return { ...(fields as Omit<ObjectChange, 'eventTime'>), eventTime };
}

/** Formats the time of a change for messages; defaults to `now` (epoch ms). */
export const formatEventTime = (body: ObjectChangeBody, now: number): string =>
  formatMicroseconds(body.eventTime ?? new Date(now).toISOString());

/** Formats an RFC 3339 time in UTC with microseconds, as messages require. */
export function formatMicroseconds(time: string): string {
  const digits = /\.(\d+)/.exec(time)?.[1] ?? '';
  const wholeSeconds = new Date(Date.parse(time.toUpperCase().replace(/\.\d+/, '')))
    .toISOString()
    .slice(0, 19);
  return `${wholeSeconds}.${digits.padEnd(6, '0').slice(0, 6)}Z`;
}
