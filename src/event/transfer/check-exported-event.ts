import { validate, type Validation } from '../../core/fields/validate.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import type { Path } from '../../core/errors.ts';
import { withoutNulls } from '../../core/json.ts';
import type { Report } from '../../core/report.ts';
import type { EventField } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import { originalStartOf, tombstoneOf, type EventRecord } from '../model/record.ts';
import type { SeriesState } from '../event.store.ts';
import { composeInstance, hasOccurrence } from '../instances/compose.ts';
import type { RuleContext } from '../rules/rule.ts';
import { checkRules, checkEvent, createStoredEntryCounter } from '../write/check.ts';
import type { CopyForm, ExportMembers } from './exported-event.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Checks the values of the members that an exported event has in addition to its fields. */
export function checkMembers(
  { copies, instances = [] }: ExportMembers,
  calendarId: string,
  model: EventModel,
  report: Report,
): void {
  const checks = createPartChecks(model, report);
  const checkCopies = (forms: Readonly<Record<string, CopyForm>>, path: Path): void => {
    for (const [id, { guest, event = {}, viewers = {}, remains = {} }] of Object.entries(forms)) {
      // A calendar whose owner moved the event to another own calendar has the copy of no guest.
      if (id !== calendarId && guest === undefined && !copies[id]?.moved)
        report.addIssue([...path, id, 'guest'], 'required', 'It must be told whose copy this is.');
      checks.copy(event, [...path, id, 'event']);
      checks.remains(remains, [...path, id, 'remains']);
      for (const [identity, { updated: _updated, ...settings }] of Object.entries(viewers)) {
        const viewerPath = [...path, id, 'viewers', identity];
        checks.viewer(settings, viewerPath);
        const reportIssue: RuleContext['reportIssue'] = (subPath, ...details) =>
          report.addIssue([...viewerPath, ...subPath], ...details);
        checkRules(withoutNulls(settings), {}, new Set(Object.keys(settings) as EventField[]), {
          zone: 'UTC',
          mode: 'patch',
          isRefused: () => report.issues.length > 0,
          reportIssue,
          sentIndexOf: (_list, index) => index,
        });
      }
    }
  };
  checkCopies(copies, ['copies']);
  const firstIndexes = new Map<string, number>();
  for (const [
    index,
    { original, event = {}, answers = {}, copies: instanceCopies = {} },
  ] of instances.entries()) {
    const path = ['instances', index];
    if (firstIndexes.has(original))
      report.addIssue([...path, 'original'], 'duplicate', 'Another instance has this original start.');
    firstIndexes.set(original, index);
    checks.core(event, [...path, 'event']);
    for (const [guest, answer] of Object.entries(answers)) checks.answer(answer, [...path, 'answers', guest]);
    checkCopies(instanceCopies, [...path, 'copies']);
  }
}

/** Creates a check for each part of an event: it allows only fields that the part stores. */
function createPartChecks(model: EventModel, report: Report) {
  const validation: Validation = { report, sentCountOf: createStoredEntryCounter(model) };
  const createFieldCheck =
    (fields: ReadonlyMap<string, FieldNode>, isAllowed: (node: FieldNode) => boolean) =>
    (values: Fields, path: Path): void => {
      for (const [name, value] of Object.entries(values)) {
        const node = fields.get(name);
        if (!node || !isAllowed(node))
          report.addIssue([...path, name], 'invalid', 'There is no such field here.');
        else validate(node, withoutNulls(value), undefined, [...path, name], validation);
      }
    };
  const isStoredIn =
    (part: string) =>
    (node: FieldNode): boolean =>
      node.storedIn === part || [...node.fields.values()].some((field) => field.storedIn === part);
  const tombstoneNames = new Set(
    Object.keys(tombstoneOf(Object.fromEntries([...model.fields.keys()].map((name) => [name, true])))),
  );
  return {
    core: createFieldCheck(model.fields, isStoredIn('core')),
    copy: createFieldCheck(model.fields, isStoredIn('copy')),
    viewer: createFieldCheck(model.fields, isStoredIn('viewer')),
    remains: createFieldCheck(model.fields, ({ name }) => tombstoneNames.has(name)),
    answer: createFieldCheck(model.field('attendees').fields, ({ change }) => change === 'own'),
  };
}

/** Checks composed exceptions with the rules over several fields that they change. */
export function checkInstances(
  { record, exceptions }: SeriesState,
  model: EventModel,
  zone: string,
  report: Report,
): void {
  for (const [index, exception] of exceptions.entries()) {
    const [original, path] = [originalStartOf(exception), ['instances', index]];
    if (exception.instance?.emptied) continue;
    if (!hasOccurrence(record, original)) {
      report.addIssue([...path, 'original'], 'invalid', 'The series has no occurrence that starts then.');
      continue;
    }
    const [before, after] = [
      composeInstance(record, original),
      composeInstance(record, original, exception),
    ].map((composedInstance) => eventOf(composedInstance, model));
    // The series may have a higher sequence than the instance.
    const changedNames = new Set(
      (Object.keys(exception.core) as EventField[]).filter((name) => name !== 'sequence'),
    );
    if (before && after)
      checkEvent(after, before, changedNames, {
        model,
        zone,
        mode: 'patch',
        path: [...path, 'event'],
        report,
        isStored: true,
      });
  }
}

/** Joins a record to the event that its home calendar shows. */
const eventOf = ({ core, copies, homeId }: EventRecord, model: EventModel) =>
  model.joinParts({ core, copy: copies[homeId]?.own ?? {}, viewer: {} });
