import type { EventBody, EventField } from '../model/fields.ts';
import { conference, entryPoints } from './conference.ts';
import { duplicateGuests } from './duplicate-guests.ts';
import { extendedProperties, mapSizes } from './extended-properties.ts';
import { identifiers } from './identifiers.ts';
import { originalStart } from './original-start.ts';
import { recurrence } from './recurrence.ts';
import { reminders } from './reminders.ts';
import type { EventRule, RuleContext } from './rule.ts';
import { sequence } from './sequence.ts';
import { times } from './times.ts';

/** Rules over several fields, for patches, inserts, imports and input that does not fit the schema. */
export const eventRules: readonly EventRule[] = [
  identifiers,
  times,
  originalStart,
  recurrence,
  duplicateGuests,
  conference,
  entryPoints,
  extendedProperties,
  mapSizes,
  reminders,
  sequence,
];

/** Checks an event with the rules of changed fields; a new event with all rules. */
export function checkRules(
  event: EventBody,
  before: EventBody,
  changed: ReadonlySet<EventField>,
  context: RuleContext,
): void {
  const isNew = context.mode === 'insert' || context.mode === 'import';
  for (const rule of eventRules) {
    if (isNew || rule.triggers.some((name) => changed.has(name))) rule.check(event, before, context);
  }
}
