import { z } from 'zod';
import type { Issue } from '../../core/kernel/errors.ts';
import { isFields } from '../../core/kernel/patch.ts';
import { issuesOf } from '../../core/kernel/zod-issues.ts';

const time = z.iso.datetime({ precision: 3, error: 'This must be a time in UTC with milliseconds.' });
/** When it last changed for those from whom guests are hidden; null: never. Absent: when it changed for the others. */
const openUpdated = time.nullable().optional();
const fields = z.record(z.string(), z.unknown());

/** What one calendar keeps of an event. */
const copy = z.strictObject({
  /** The event's id there; absent on the calendar that the event stands under, as its body says it. */
  id: z.string().min(1).optional(),
  /** Absent: present. */
  state: z.enum(['removed', 'uninvited']).optional(),
  /** Whose copy it is; absent on the calendar on which the event was made. */
  guest: z.string().min(1).optional(),
  /** Absent: never changed by itself. */
  updated: time.optional(),
  /** Fields of this copy; under their own calendar those of an event stand in its body. */
  event: fields.optional(),
  /** By identity what users keep for themselves, and since when. */
  viewers: z.record(z.string(), z.looseObject({ updated: time })).optional(),
  /** Of an uninvited copy. */
  remains: fields.optional(),
  /** Of an instance: its guest is off the series, and was invited to it. */
  apart: z.literal(true).optional(),
});

const copies = z.record(z.string(), copy);

/** An occurrence that was changed: what it changes, over its series. */
const instance = z.strictObject({
  original: z
    .string()
    .regex(/^\d{8}(?:T\d{6}Z)?$/, 'This must be an original start: yyyymmdd, or yyyymmddThhmmssZ.'),
  updated: time.optional(),
  openUpdated,
  /** A merge patch (RFC 7396) over what all share of the series. */
  event: fields.optional(),
  /** Answers to it alone. */
  answers: z.record(z.string(), fields).optional(),
  emptied: z.literal(true).optional(),
  /** Guests for whom it stays an exception, though they see no change of it any more. */
  staysFor: z.array(z.string().min(1)).optional(),
  copies: copies.optional(),
});

/** What an exported event has beside the fields of a REST body. */
const members = z.object({ copies, openUpdated, instances: z.array(instance).optional() });

export type CopyForm = z.infer<typeof copy>;
export type InstanceForm = z.infer<typeof instance>;
export type Members = z.infer<typeof members>;

/** A body of a file taken apart; plain REST bodies have no members. */
export interface Taken {
  readonly body: unknown;
  readonly members?: Members;
  readonly issues: readonly Issue[];
}

/** Tells an exported event, which has `copies`, from a plain REST body, and the members from the body. */
export function takeApart(entry: unknown): Taken {
  if (!isFields(entry) || entry.copies === undefined) return { body: entry, issues: [] };
  const { copies: _copies, openUpdated: _openUpdated, instances: _instances, ...body } = entry;
  const issues = [...issuesOf(members, entry), ...unusableNames(entry)];
  return { body, issues, ...(issues.length === 0 && { members: members.parse(entry) }) };
}

/** The form passes over entries of this name. */
const unusable = '__proto__';

/** Where copies, or users, stand under a name that no object can have. */
function unusableNames({ copies: own, instances }: Readonly<Record<string, unknown>>): Issue[] {
  const namesIn = (value: unknown, path: Issue['path']): Issue[] =>
    isFields(value) && Object.hasOwn(value, unusable)
      ? [
          {
            path: [...path, unusable],
            reason: 'invalid',
            message: `${unusable} cannot be the name of an entry.`,
          },
        ]
      : [];
  const inCopies = (value: unknown, path: Issue['path']): Issue[] => [
    ...namesIn(value, path),
    ...Object.entries(isFields(value) ? value : {}).flatMap(([id, form]) =>
      namesIn(isFields(form) ? form.viewers : undefined, [...path, id, 'viewers']),
    ),
  ];
  const ofInstances = (Array.isArray(instances) ? instances : []).flatMap((one: unknown, index) =>
    inCopies(isFields(one) ? one.copies : undefined, ['instances', index, 'copies']),
  );
  return [...inCopies(own, ['copies']), ...ofInstances];
}
