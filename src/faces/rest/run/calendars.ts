import { etagOfAccessEntry, requireMatch } from '../../../core/if-match.ts';
import { errorAt, type Issue, type Warning } from '../../../core/errors.ts';
import { type Fields, isFields } from '../../../core/json.ts';
import { mapInTurns } from '../../../core/runtime/event-loop.ts';
import { addressKey } from '../../../core/text/email.ts';
import { writeResource } from '../../../google/json-writer.ts';
import type { MethodResult, MethodCall, RunMethod } from '../method.ts';
import { paginate, findSyncTokenIssues, withEtag } from '../list-pages.ts';
import type { Schemas } from '../../../google/schemas.ts';

const foreground = '#1d1d1d';
const backgroundColors = (
  '#a4bdfc #7ae7bf #dbadff #ff887c #fbd75b #ffb878 #46d6db #e1e1e1 ' + '#5484ed #51b749 #dc2127'
).split(' ');

/** Palette of `colorId` for events, the same for every caller. */
const colors = {
  kind: 'calendar#colors',
  updated: '2012-02-14T00:00:00.000Z',
  calendar: {},
  event: Object.fromEntries(
    backgroundColors.map((background, index) => [String(index + 1), { background, foreground }]),
  ),
} as const;

interface AccessEntry {
  readonly email: string;
  readonly role: string;
}

const ruleIdPrefix = 'user:';

function toRule({ email, role }: AccessEntry): Fields {
  return {
    kind: 'calendar#aclRule',
    etag: etagOfAccessEntry({ email, role }),
    id: ruleIdPrefix + email,
    scope: { type: 'user', value: email },
    role,
  };
}

const ruleNotFoundError = () =>
  errorAt('NOT_FOUND', ['ruleId'], 'notFound', 'The calendar has no such rule.');

/** Returns the address in a rule's id; undefined for other ids. */
const addressOf = ({ path }: MethodCall): string | undefined => {
  const ruleId = path.ruleId as string;
  return ruleId.startsWith(ruleIdPrefix) ? ruleId.slice(ruleIdPrefix.length) : undefined;
};

async function readAccess(call: MethodCall, issues?: readonly Issue[]): Promise<readonly AccessEntry[]> {
  const { value } = await call.callOperation('calendarAccess', { calendarId: call.path.calendarId }, issues);
  return value as readonly AccessEntry[];
}

const findEntry = (entries: readonly AccessEntry[], email: unknown): AccessEntry | undefined =>
  entries.find((candidate) => addressKey(candidate.email) === addressKey(String(email)));

function requireEntry(entries: readonly AccessEntry[], email: string | undefined): AccessEntry {
  const entry = email === undefined ? undefined : findEntry(entries, email);
  if (!entry) throw ruleNotFoundError();
  return entry;
}

export const listRules: RunMethod = async (call) => {
  const access = await readAccess(call, findSyncTokenIssues(call));
  const { entries, ...nextToken } = paginate(access, call, ({ email }) => email, 100);
  return withEtag({ kind: 'calendar#acl', ...nextToken, items: entries.map(toRule) });
};

export const getRule: RunMethod = async (call) => ({
  json: toRule(requireEntry(await readAccess(call), addressOf(call))),
});

/** Builds the result of a write, with warnings about read-only fields. `previousRule`: the rule that the client may have read. */
function createRuleResult(call: MethodCall, rule: Fields, previousRule: Fields = rule): MethodResult {
  const ignoredMembers = ['kind', 'etag', 'id'].filter(
    (name) =>
      (call.body[name] ?? undefined) !== undefined &&
      ![rule[name], previousRule[name]].includes(call.body[name]),
  );
  return {
    json: rule,
    warnings: ignoredMembers.map((name): Warning => ({
      path: [name],
      reason: 'readOnly',
      message: `The ${name} of a rule is set by the server: your value was ignored.`,
    })),
  };
}

/** Sets the role of an address. Returns the rule that is then stored. */
async function putRole(
  call: MethodCall,
  email: unknown,
  role: unknown,
  issues?: readonly Issue[],
  optionalArguments?: readonly string[],
): Promise<Fields> {
  const { value } = await call.callOperation(
    'setCalendarAccess',
    { calendarId: call.path.calendarId, email: email ?? null, role: role ?? null },
    issues,
    optionalArguments,
  );
  const storedEntry = findEntry((value as readonly AccessEntry[] | null) ?? [], email);
  return toRule(storedEntry ?? { email: String(email), role: String(role) });
}

/** Checks the scope of a new rule, which must be one address. */
function findScopeIssues(scope: unknown): Issue[] {
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

/** Sets a role by a rule without an id; its scope names the address. */
export const insertRule: RunMethod = async (call) => {
  const { scope, role } = call.body;
  const issues = findScopeIssues(scope);
  // The value of a scope of another type is no address.
  const isOtherType = issues.some(({ reason }) => reason === 'invalid');
  const email = isFields(scope) && !isOtherType ? scope.value : undefined;
  return createRuleResult(call, await putRole(call, email, role, issues, isOtherType ? ['email'] : []));
};

/** Changes the role of a rule. The scope is immutable; a PATCH without a role changes nothing. */
export const setRule: RunMethod = async (call) => {
  const { scope, role } = call.body;
  const email = addressOf(call);
  const hasOtherScope =
    isFields(scope) &&
    ((scope.type ?? 'user') !== 'user' ||
      (typeof scope.value === 'string' && addressKey(scope.value) !== addressKey(email ?? '')));
  const currentEntry = requireEntry(
    await readAccess(call, hasOtherScope ? [immutableScopeIssue] : []),
    email,
  );
  if (call.row.verb !== 'PATCH' || role !== undefined)
    return createRuleResult(call, await putRole(call, email, role), toRule(currentEntry));
  requireMatch(
    call.parameters['If-Match'] as string | undefined,
    () => etagOfAccessEntry(currentEntry),
    'rule',
  );
  return createRuleResult(call, toRule(currentEntry));
};

const immutableScopeIssue: Issue = {
  path: ['scope'],
  reason: 'immutable',
  message: 'The scope of a rule cannot be changed. Leave it out, or create another rule.',
};

export const removeRule: RunMethod = async (call) => {
  const email = addressOf(call);
  if (email === undefined) throw ruleNotFoundError();
  await call.callOperation('setCalendarAccess', { calendarId: call.path.calendarId, email, role: 'none' });
  return {};
};

/** Roles from the weakest to the strongest. */
const roles = ['freeBusyReader', 'reader', 'writer', 'owner'];

/** Lists the calendars on which the caller has at least the requested role. */
export const listCalendars: RunMethod = async (call) => {
  const { parameters, schemas } = call;
  const { value } = await call.callOperation('calendars', {}, findSyncTokenIssues(call));
  const minRole = roles.indexOf(String(parameters.minAccessRole));
  const visibleCalendars = (value as readonly Fields[]).filter(
    ({ accessRole }) => roles.indexOf(String(accessRole)) >= minRole,
  );
  const { entries, ...nextToken } = paginate(visibleCalendars, call, ({ id }) => String(id), 100);
  const items = await mapInTurns(entries, (calendar) => writeListEntry(schemas, calendar));
  // The calendar's own etag does not cover the fields that depend on the caller.
  return withEtag({ kind: 'calendar#calendarList', ...nextToken, items }, ({ etag, accessRole, primary }) => [
    etag,
    accessRole,
    primary === true,
  ]);
};

/** Returns the palette to everybody who may list calendars. */
export const readColors: RunMethod = async (call) => {
  await call.callOperation('calendars', {});
  return { json: colors };
};

/** Watches a calendar. Clients may send the 64-bit `expiration` as a number. */
export const watchEvents: RunMethod = async ({ row, schemas, args, body, callOperation }) => {
  const { expiration } = body;
  const { value, warnings } = await callOperation(row.operation, {
    ...args,
    channel: typeof expiration === 'number' ? { ...body, expiration: String(expiration) } : body,
  });
  const channel = value as Fields & { readonly expiration: string };
  return {
    json: {
      ...writeResource(schemas, 'Channel', channel),
      expiration: String(Date.parse(channel.expiration)),
    },
    warnings,
  };
};

export const stopChannel: RunMethod = async ({ row, body: { id, resourceId }, callOperation }) => {
  await callOperation(row.operation, { id, resourceId });
  return {};
};

/** Busy times of a calendar, as the operation returns them. */
interface CalendarBusy {
  readonly calendarId: string;
  readonly busy: readonly object[];
  readonly error: { readonly reason: string } | null;
}

export const queryFreeBusy: RunMethod = async (call) => {
  const { timeMin, timeMax, timeZone, items } = call.body;
  const calendarIds = Array.isArray(items)
    ? items.map((item: unknown) => (item as Fields | null)?.id)
    : items;
  const { value } = await call.callOperation('freeBusy', {
    timeMin,
    timeMax,
    timeZone,
    calendarIds: calendarIds ?? null,
  });
  const calendars = (value as readonly CalendarBusy[]).map(
    ({ calendarId, busy, error }) =>
      [
        calendarId,
        error ? { errors: [{ domain: 'global', reason: error.reason }], busy } : { busy },
      ] as const,
  );
  return { json: { kind: 'calendar#freeBusy', timeMin, timeMax, calendars: Object.fromEntries(calendars) } };
};

/** Writes an entry of the calendar list, with the members that are constant for all of them. */
export const writeListEntry = (schemas: Schemas, calendar: object): Fields => ({
  defaultReminders: [],
  ...writeResource(schemas, 'CalendarListEntry', calendar),
  kind: 'calendar#calendarListEntry',
  selected: true,
});
