import { bytesIn } from '../../core/text/characters.ts';
import { isDate, parseDateTime } from '../../core/time/local-time.ts';
import type { Issue, Path } from '../../core/errors.ts';
import { textIssues } from '../../core/report.ts';
import type { ObjectEventType } from '../notification.ts';
import type { ObjectChangeBody } from '../notification.requests.ts';
import type { ObjectChange } from './message.ts';

const path: Path = ['change'];
const maxNameBytes = 1024;
/** With its headers, such a message fits the limits of common brokers. */
const maxObjectBytes = 512 * 1024;
const generation = /^\d{1,19}$/;
const generations = ['objectGeneration', 'overwroteGeneration', 'overwrittenByGeneration'] as const;

/** The kinds of event that each of the two generations applies to. */
const applies: Readonly<
  Record<'overwroteGeneration' | 'overwrittenByGeneration', readonly ObjectEventType[]>
> = {
  overwroteGeneration: ['OBJECT_FINALIZE'],
  overwrittenByGeneration: ['OBJECT_DELETE', 'OBJECT_ARCHIVE'],
};

/** Validates a change. Returns all issues, with paths that start at the argument. */
export function changeIssues(body: ObjectChangeBody): Issue[] {
  return [
    ...textIssues(body, path),
    ...nameIssues(body.objectId),
    ...generationIssues(body),
    ...timeIssues(body.eventTime),
    ...objectIssues(body.object),
  ];
}

function nameIssues(name: string): Issue[] {
  const actual = bytesIn(name);
  const issue = (reason: Issue['reason'], message: string, params?: Issue['params']): Issue[] => [
    { path: [...path, 'objectId'], reason, message, ...(params && { params }) },
  ];
  const params = { min: 1, max: maxNameBytes, actual };
  if (actual === 0)
    return issue(
      'required',
      `objectId is the name of the object and has 1 to ${maxNameBytes} bytes (UTF-8).`,
      params,
    );
  if (name === '.' || name === '..')
    return issue('invalid', 'The name of an object must not be "." or "..".');
  return [
    ...(actual > maxNameBytes
      ? issue(
          'tooLong',
          `objectId has at most ${maxNameBytes} bytes (UTF-8); this one has ${actual}.`,
          params,
        )
      : []),
    ...(/[\r\n]/.test(name)
      ? issue('invalid', 'The name of an object must not hold line breaks (CR or LF).')
      : []),
  ];
}

function generationIssues(body: ObjectChangeBody): Issue[] {
  return generations.flatMap((field): Issue[] => {
    const value = body[field];
    if (typeof value !== 'string') return [];
    const at = { path: [...path, field], reason: 'invalid' as const };
    const types = field === 'objectGeneration' ? undefined : applies[field];
    const form = {
      ...at,
      message: `${field} must be a decimal number of 1 to 19 digits.`,
      params: { min: 1, max: 19 },
    };
    const misplaced = {
      ...at,
      message: `${field} goes with ${types?.join(' or ')} only. Leave it out, or send another eventType.`,
    };
    return [
      ...(generation.test(value) ? [] : [form]),
      ...(types && body.eventType && !types.includes(body.eventType) ? [misplaced] : []),
    ];
  });
}

/** Refuses times whose year in UTC is 0 or has more than four digits: messages cannot write them. */
function timeIssues(time: string | null | undefined): Issue[] {
  if (typeof time !== 'string' || !parseDateTime(time)?.offset || isDate(withMicroseconds(time).slice(0, 10)))
    return [];
  return [
    {
      path: [...path, 'eventTime'],
      reason: 'invalid',
      message: 'eventTime must be in the years 0001 to 9999 in UTC too, as messages write it.',
    },
  ];
}

function objectIssues(object: ObjectChangeBody['object']): Issue[] {
  const actual = object ? bytesIn(JSON.stringify(object)) : 0;
  if (actual <= maxObjectBytes) return [];
  const message = `The object's JSON has at most ${maxObjectBytes} bytes; this one has ${actual}.`;
  return [{ path: [...path, 'object'], reason: 'tooLong', message, params: { max: maxObjectBytes, actual } }];
}

/** Makes the change that a validated body describes. */
export function changeOf(body: ObjectChangeBody, eventTime: string): ObjectChange {
  const given = Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== null && value !== undefined),
  );
  return { ...(given as Omit<ObjectChange, 'eventTime'>), eventTime };
}

/** The time of a change, by default now. */
export const eventTimeOf = (body: ObjectChangeBody, now: number): string =>
  withMicroseconds(body.eventTime ?? new Date(now).toISOString());

/** An RFC 3339 time in UTC with six digits behind the second, as messages write it. */
export function withMicroseconds(time: string): string {
  const digits = /\.(\d+)/.exec(time)?.[1] ?? '';
  const whole = new Date(Date.parse(time.toUpperCase().replace(/\.\d+/, ''))).toISOString().slice(0, 19);
  return `${whole}.${digits.padEnd(6, '0').slice(0, 6)}Z`;
}
