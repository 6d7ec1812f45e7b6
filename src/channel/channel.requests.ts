import * as z from 'zod/mini';
import type { Issue, Path } from '../core/errors.ts';
import { issuesOfBody } from '../core/fields/reduce-change.ts';
import { type Body, compileTable, type FieldTable, type PatchOf, flag, text } from '../core/fields/table.ts';
import { Report } from '../core/report.ts';
import { parseDateTime } from '../core/time/local-time.ts';
import type { ChannelView } from './channel.view.ts';

const dayMs = 86_400_000;

/** Limits of channels: their numbers, the address, and how long one lasts. */
export const limits = {
  maxPerCaller: 100,
  maxPerCalendar: 20,
  maxAddressCharacters: 2_048,
  maxLifetimeMs: 30 * dayMs,
  defaultLifetimeMs: 7 * dayMs,
} as const;

/** Check of a string by a pattern; `error` is the message of the issue. */
const createPatternCheck = (pattern: RegExp, error: string) =>
  z.refine((value) => pattern.test(value as string), { error, params: { reason: 'invalid' } });

const readOnlyField = { change: 'readOnly', storedIn: 'computed' } as const;

const storedField = { change: 'immutable', storedIn: 'channel' } as const;

const ignoredField = { change: 'request', storedIn: 'computed' } as const;

/** Fields of a channel: who sets each, and its values. The address has rules of the gateway in addition. */
const channelRows = {
  kind: { ...readOnlyField, value: z.string() },
  id: {
    ...storedField,
    value: text(64).check(
      createPatternCheck(/^[\w+/=-]+$/, 'An id has 1 to 64 letters, digits and the characters - _ + / =.'),
    ),
  },
  resourceId: { ...readOnlyField, value: z.string() },
  resourceUri: { ...readOnlyField, value: z.string() },
  type: {
    ...ignoredField,
    value: z.string().check(createPatternCheck(/^web_hook$/, 'The type must be web_hook.')),
  },
  address: { ...storedField, value: z.string() },
  token: {
    ...storedField,
    value: text(256).check(
      createPatternCheck(/^[\x20-\x7e]*$/, 'A token has printable ASCII characters only.'),
    ),
  },
  expiration: { ...storedField, value: z.string() },
  payload: { ...ignoredField, value: flag },
  params: { ...ignoredField },
  'params.*': { value: z.string() },
} as const satisfies FieldTable;

const channelTable = compileTable(channelRows);

export type ChannelBody = PatchOf<Omit<Body<typeof channelRows>, 'id' | 'address'>> & {
  readonly id: string;
  readonly address: string;
};

export interface WatchCalendarArgs {
  /** Calendar id, or `primary` for the caller's own calendar. */
  readonly calendarId: string;
  readonly channel: ChannelBody;
}

/** Arguments of `stopChannel`, which identify a channel of the caller. */
export interface StopChannelArgs {
  readonly id: string;
  readonly resourceId: string;
}

export interface RequestedExpiration {
  readonly path: Path;
  /** Epoch ms; NaN if malformed. */
  readonly timeMs: number;
}

/** Reads `expiration` and `params.ttl`, of which the first one counts. */
export function readExpirations(
  { expiration, params }: Partial<ChannelBody>,
  now: number,
): RequestedExpiration[] {
  const requestedExpirations: RequestedExpiration[] = [];
  if (typeof expiration === 'string')
    requestedExpirations.push({ path: ['channel', 'expiration'], timeMs: parseExpiration(expiration) });
  if (typeof params?.ttl === 'string')
    requestedExpirations.push({
      path: ['channel', 'params', 'ttl'],
      timeMs: now + parseSeconds(params.ttl),
    });
  return requestedExpirations;
}

/** Reads RFC 3339 with an offset, or epoch milliseconds; NaN if malformed. */
function parseExpiration(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  return parseDateTime(value)?.offset ? Date.parse(value.toUpperCase()) : Number.NaN;
}

/** Reads whole seconds as milliseconds; NaN if malformed. */
const parseSeconds = (value: string): number =>
  /^\d{1,12}$/.test(value) ? Number(value) * 1000 : Number.NaN;

/** Lists the issues of a channel without loading its calendar. `isAllowedAddress`: the rules of the gateway. */
export function channelIssues(
  channel: Partial<ChannelBody>,
  isAllowedAddress: (address: string) => boolean,
): readonly Issue[] {
  const report = new Report(issuesOfBody(channelTable, channel, ['channel']));
  const { address } = channel;
  if (address !== undefined && (address.length > limits.maxAddressCharacters || !isAllowedAddress(address)))
    report.addIssue(['channel', 'address'], 'invalid', addressMessage);
  for (const { path, timeMs } of readExpirations(channel, 0))
    if (Number.isNaN(timeMs)) report.addIssue(path, 'invalid', expirationMessage);
  return report.issues;
}

const addressMessage =
  `The address must be an https URL of a public host in at most ${limits.maxAddressCharacters} ASCII characters, ` +
  'without blanks, user, password and fragment (#).';

const expirationMessage =
  'This must be a time with an offset such as 2026-05-04T09:30:00Z or milliseconds since 1970; a ttl is a number of seconds.';

/** Reports the values of a body that have no effect. */
export function warnIgnored(body: ChannelBody, view: ChannelView, report: Report): void {
  for (const name of ['kind', 'resourceId', 'resourceUri'] as const)
    if (typeof body[name] === 'string' && body[name] !== view[name])
      report.warn(['channel', name], 'readOnly', `The ${name} is set by the server: your value was ignored.`);
  if (body.payload === true)
    report.warn(['channel', 'payload'], 'ignored', 'Messages have no body: payload was ignored.');
  for (const name of Object.keys(body.params ?? {}))
    if (name !== 'ttl')
      report.warn(['channel', 'params', name], 'ignored', 'Only the parameter ttl has an effect.');
}

/** Warning for an expiration beyond the limit. */
export const expirationCutMessage = 'A channel lasts at most 30 days: its expiration was cut.';
