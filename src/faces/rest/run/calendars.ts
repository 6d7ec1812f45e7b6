import { written } from '../../../official/write.ts';
import type { Run } from '../method.ts';
import { colors } from '../colors.ts';
import { itemsOf, pageOf, syncIssues, tagged } from './lists.ts';
import { finished } from './plain.ts';

type Json = Readonly<Record<string, unknown>>;

const roles = ['freeBusyReader', 'reader', 'writer', 'owner'];

export const listCalendars: Run = async (call) => {
  const { given, schemas } = call;
  const { value } = await call.operation('calendars', {}, syncIssues(call));
  const least = roles.indexOf(String(given.minAccessRole));
  const visible = (value as readonly Json[]).filter(
    ({ accessRole }) => roles.indexOf(String(accessRole)) >= least,
  );
  const { shown, ...next } = pageOf(visible, call, ({ id }) => String(id), 100);
  const items = await itemsOf(shown, (calendar) =>
    finished('CalendarListEntry', written(schemas, 'CalendarListEntry', calendar)),
  );
  // What a calendar is to the caller is no part of its own tag.
  return tagged({ kind: 'calendar#calendarList', ...next, items }, ({ etag, accessRole, primary }) => [
    etag,
    accessRole,
    primary === true,
  ]);
};

/** They are the same for everybody who may list calendars. */
export const showColors: Run = async (call) => {
  await call.operation('calendars', {});
  return { json: colors };
};

interface Busy {
  readonly calendarId: string;
  readonly busy: readonly object[];
  readonly error: { readonly reason: string } | null;
}

export const queryFreeBusy: Run = async (call) => {
  const { timeMin, timeMax, timeZone, items } = call.body;
  const calendarIds = Array.isArray(items) ? items.map((item: unknown) => (item as Json | null)?.id) : items;
  const { value } = await call.operation('freeBusy', {
    timeMin,
    timeMax,
    timeZone,
    calendarIds: calendarIds ?? null,
  });
  const calendars = (value as readonly Busy[]).map(
    ({ calendarId, busy, error }) =>
      [
        calendarId,
        error ? { errors: [{ domain: 'global', reason: error.reason }], busy } : { busy },
      ] as const,
  );
  return { json: { kind: 'calendar#freeBusy', timeMin, timeMax, calendars: Object.fromEntries(calendars) } };
};
