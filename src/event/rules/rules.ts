import type { EventBody, EventField } from '../model/fields.ts';
import { conferenceRule, entryPointsRule } from './conference.ts';
import { duplicateGuestsRule } from './duplicate-guests.ts';
import { extendedPropertiesRule, mapSizesRule } from './extended-properties.ts';
import { identifiersRule } from './identifiers.ts';
import { originalStartRule } from './original-start.ts';
import { recurrenceLinesRule } from './recurrence.ts';
import { remindersRule } from './reminders.ts';
import type { EventRule, RuleContext } from './rule.ts';
import { sequenceRule } from './sequence.ts';
import { timesRule } from './times.ts';

/** Rules over several fields, for patches, inserts, imports and input that does not fit the schema. */
export const eventRules: readonly EventRule[] = [
  identifiersRule,
  timesRule,
  originalStartRule,
  recurrenceLinesRule,
  duplicateGuestsRule,
  conferenceRule,
  entryPointsRule,
  extendedPropertiesRule,
  mapSizesRule,
  remindersRule,
  sequenceRule,
];

/** Checks an event with the rules of changed fields; a new event with all rules. */
export function checkRules(
  event: EventBody,
  before: EventBody,
  changedFields: ReadonlySet<EventField>,
  context: RuleContext,
): void {
  const isNew = context.mode === 'insert' || context.mode === 'import';
  for (const rule of eventRules) {
    if (isNew || rule.triggers.some((name) => changedFields.has(name))) rule.check(event, before, context);
  }
}
