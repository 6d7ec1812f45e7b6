import { entryEtag } from '../access/entry-etag.ts';
import { includes, isCaller, roleOn, type Viewer } from '../access/permissions.ts';
import type { Issue } from '../core/kernel/errors.ts';
import { requireMatch } from '../core/kernel/if-match.ts';
import { addressKey, emailProblem, isEmail } from '../core/text/email.ts';
import { openCalendar, ownersOnly, requireAllowed } from './calendar.access.ts';
import { limits } from './calendar.fields.ts';
import type { SetCalendarAccessArgs } from './calendar.requests.ts';
import type { CalendarChange, CalendarState } from './calendar.store.ts';
import type { AccessEntry, CalendarRecord, CalendarRef } from './calendar.ts';

/** Who may use a calendar: its owner, other owners, then the others, each by address. */
export function accessOf({ owner, acl }: CalendarRecord): AccessEntry[] {
  const own = addressKey(owner);
  // Of an address that an import names twice, the strongest role counts, as everywhere.
  const strongest = new Map<string, AccessEntry>([[own, { email: owner, role: 'owner' }]]);
  for (const entry of acl) {
    const known = strongest.get(addressKey(entry.email));
    if (entry.role !== 'none' && (!known || !includes(known.role, entry.role)))
      strongest.set(addressKey(entry.email), entry);
  }
  const rank = ([key, { role }]: readonly [string, AccessEntry]): number =>
    key === own ? 0 : role === 'owner' ? 1 : 2;
  return [...strongest].sort((a, b) => rank(a) - rank(b) || (a[0] < b[0] ? -1 : 1)).map(([, entry]) => entry);
}

/**
 * Gives an address a role on a calendar, or takes it away (`none`). Owners do that, and whoever leaves. Null for a caller
 * who sees the calendar no more.
 */
export function setAccess(
  viewer: Viewer,
  ref: CalendarRef,
  { email, role, ifMatch }: SetCalendarAccessArgs,
  { calendar: found }: CalendarState,
): CalendarChange<AccessEntry[] | null> {
  const { calendar } = openCalendar(found, ref, viewer, 'freeBusyReader');
  const key = addressKey(email);
  const leaves = role === 'none' && isCaller(email, viewer);
  const entries = accessOf(calendar);
  const known = entries.find((entry) => addressKey(entry.email) === key);
  const issues = accessIssues({ email });
  const refusals = leaves ? [] : ownersOnly(calendar, viewer);
  if (refusals.length === 0) {
    requireMatch(ifMatch, () => entryEtag(known ?? { email, role: 'none' }), 'rule');
    // Others are not told who is on the list.
    if (key === addressKey(calendar.owner) && role !== 'owner') issues.push(keepsOwner);
    if (!known && role !== 'none' && entries.length >= limits.access) issues.push(tooMany(entries.length));
  }
  requireAllowed(refusals, issues);
  if ((known?.role ?? 'none') === role) return { result: entries };
  const others = entries.slice(1).filter((entry) => entry !== known);
  const acl = role === 'none' ? others : [...others, { email: known?.email ?? email, role }];
  const next: CalendarRecord = { ...calendar, acl };
  return { next, result: roleOn(next, viewer) === 'none' ? null : accessOf(next) };
}

/** What is wrong with the arguments by themselves. */
export const accessIssues = ({ email }: Partial<SetCalendarAccessArgs>): Issue[] =>
  email === undefined || isEmail(email)
    ? []
    : [{ path: ['email'], reason: 'invalid', message: emailProblem(email) }];

const keepsOwner: Issue = {
  path: ['role'],
  reason: 'invalid',
  message: 'Whoever made a calendar owns it: this role cannot be lowered or taken away.',
};

const tooMany = (actual: number): Issue => ({
  path: ['email'],
  reason: 'tooMany',
  message: `A calendar is shared with at most ${limits.access} addresses, its owner among them. Take one away first.`,
  params: { max: limits.access, actual },
});
