import { entryEtag, requireMatch } from '../../../core/if-match.ts';
import { errorAt, type Issue, type Warning } from '../../../core/errors.ts';
import { type Fields, isFields } from '../../../core/patch.ts';
import { mapInTurns } from '../../../core/runtime/event-loop.ts';
import { addressKey } from '../../../core/text/email.ts';
import { written } from '../../../google/write.ts';
import type { Answered, Call, Run } from '../method.ts';
import { pageOf, syncIssues, tagged } from './lists.ts';
import { finished } from './operation.ts';

const foreground = '#1d1d1d';
const backgrounds = (
  '#a4bdfc #7ae7bf #dbadff #ff887c #fbd75b #ffb878 #46d6db #e1e1e1 ' + '#5484ed #51b749 #dc2127'
).split(' ');

/** The palette of `colorId`, the same for every caller. Calendars have colours of their own. */
const colors = {
  kind: 'calendar#colors',
  updated: '2012-02-14T00:00:00.000Z',
  calendar: {},
  event: Object.fromEntries(
    backgrounds.map((background, index) => [String(index + 1), { background, foreground }]),
  ),
} as const;

interface Entry {
  readonly email: string;
  readonly role: string;
}

const prefix = 'user:';

function ruleOf({ email, role }: Entry): Fields {
  return {
    kind: 'calendar#aclRule',
    etag: entryEtag({ email, role }),
    id: prefix + email,
    scope: { type: 'user', value: email },
    role,
  };
}

const noRule = () => errorAt('NOT_FOUND', ['ruleId'], 'notFound', 'The calendar has no such rule.');

/** The address of a rule's id. */
const addressOf = ({ path }: Call): string | undefined => {
  const ruleId = path.ruleId as string;
  return ruleId.startsWith(prefix) ? ruleId.slice(prefix.length) : undefined;
};

async function entriesOf(call: Call, issues?: readonly Issue[]): Promise<readonly Entry[]> {
  const { value } = await call.operation('calendarAccess', { calendarId: call.path.calendarId }, issues);
  return value as readonly Entry[];
}

function entryOf(entries: readonly Entry[], email: string | undefined): Entry {
  const found =
    email === undefined ? undefined : entries.find((entry) => addressKey(entry.email) === addressKey(email));
  if (!found) throw noRule();
  return found;
}

export const listRules: Run = async (call) => {
  const { shown, ...next } = pageOf(await entriesOf(call, syncIssues(call)), call, ({ email }) => email, 100);
  return tagged({ kind: 'calendar#acl', ...next, items: shown.map(ruleOf) });
};

export const getRule: Run = async (call) => ({
  json: ruleOf(entryOf(await entriesOf(call), addressOf(call))),
});

/** A rule, and what of the body differs from it for good. `before`: as the client may have read it. */
function answered(call: Call, rule: Fields, before: Fields = rule): Answered {
  const ignored = ['kind', 'etag', 'id'].filter(
    (name) =>
      (call.body[name] ?? undefined) !== undefined && ![rule[name], before[name]].includes(call.body[name]),
  );
  return {
    json: rule,
    warnings: ignored.map((name): Warning => ({
      path: [name],
      reason: 'readOnly',
      message: `The ${name} of a rule is set by the server: the value that was sent was ignored.`,
    })),
  };
}

/** Gives an address a role; the rule as it is then. */
async function give(
  call: Call,
  email: unknown,
  role: unknown,
  beside: { readonly issues?: readonly Issue[]; readonly optional?: readonly string[] } = {},
): Promise<Fields> {
  const { value } = await call.operation(
    'setCalendarAccess',
    { calendarId: call.path.calendarId, email: email ?? null, role: role ?? null },
    beside.issues,
    beside.optional,
  );
  const found = (value as readonly Entry[] | null)?.find(
    (entry) => addressKey(entry.email) === addressKey(String(email)),
  );
  return ruleOf(found ?? { email: String(email), role: String(role) });
}

/** A rule is for one address here. */
function scopeIssues(scope: unknown): Issue[] {
  const type = isFields(scope) ? scope.type : undefined;
  if (type === 'user') return [];
  return [
    {
      path: ['scope', 'type'],
      reason: type === undefined ? 'required' : 'invalid',
      message: 'The type of a scope must be user: a rule is for one address.',
    },
  ];
}

export const insertRule: Run = async (call) => {
  const { scope, role } = call.body;
  const issues = scopeIssues(scope);
  // A scope of another type has no address as its value.
  const isOther = issues.some(({ reason }) => reason === 'invalid');
  const email = isFields(scope) && !isOther ? scope.value : undefined;
  return answered(call, await give(call, email, role, { issues, optional: isOther ? ['email'] : [] }));
};

/** Sets the role of a rule; its scope stays, and without a role the rule stays as it is. */
export const setRule: Run = async (call) => {
  const { scope, role } = call.body;
  const email = addressOf(call);
  const otherScope =
    isFields(scope) &&
    ((scope.type ?? 'user') !== 'user' ||
      (typeof scope.value === 'string' && addressKey(scope.value) !== addressKey(email ?? '')));
  const known = entryOf(await entriesOf(call, otherScope ? [fixedScope] : []), email);
  if (call.row.verb !== 'PATCH' || role !== undefined)
    return answered(call, await give(call, email, role), ruleOf(known));
  requireMatch(call.given['If-Match'] as string | undefined, () => entryEtag(known), 'rule');
  return answered(call, ruleOf(known));
};

const fixedScope: Issue = {
  path: ['scope'],
  reason: 'immutable',
  message: 'Whom a rule is for cannot be changed. Leave scope out, or make another rule.',
};

export const removeRule: Run = async (call) => {
  const email = addressOf(call);
  if (email === undefined) throw noRule();
  await call.operation('setCalendarAccess', { calendarId: call.path.calendarId, email, role: 'none' });
  return {};
};

const roles = ['freeBusyReader', 'reader', 'writer', 'owner'];

export const listCalendars: Run = async (call) => {
  const { given, schemas } = call;
  const { value } = await call.operation('calendars', {}, syncIssues(call));
  const least = roles.indexOf(String(given.minAccessRole));
  const visible = (value as readonly Fields[]).filter(
    ({ accessRole }) => roles.indexOf(String(accessRole)) >= least,
  );
  const { shown, ...next } = pageOf(visible, call, ({ id }) => String(id), 100);
  const items = await mapInTurns(shown, (calendar) =>
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
  const calendarIds = Array.isArray(items)
    ? items.map((item: unknown) => (item as Fields | null)?.id)
    : items;
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
