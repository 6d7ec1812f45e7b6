import { toOriginalStart } from '../../recurrence/original-start.ts';
import { type ComponentResult, refusedResult } from './import-results.ts';
import type { ImportedComponent } from './vevent.ts';

/** Components of one UID. */
export interface UidGroup {
  /** The series, or the event. */
  readonly main: ImportedComponent | undefined;
  /** Changed instances by original start. */
  readonly instances: ReadonlyMap<string, ImportedComponent>;
  /** Components that cannot be imported, with their issues. */
  readonly refused: readonly ComponentResult[];
}

/** Sorts the components of a UID. Of several with the same RECURRENCE-ID, the last with the highest SEQUENCE counts. */
export function splitGroup(components: readonly ImportedComponent[]): UidGroup {
  const isAllDay = components.some(({ isInstance, body }) => !isInstance && body.start?.date !== undefined);
  const byOriginal = new Map<string | undefined, ImportedComponent>();
  const refused: ComponentResult[] = [];
  for (const importedComponent of components) {
    const component =
      isAllDay && importedComponent.isInstance ? withOriginalDay(importedComponent) : importedComponent;
    const { body, isInstance, report } = component;
    const original = toOriginalStart(body.originalStartTime ?? undefined);
    if (isInstance && original === undefined) {
      refused.push({ component, outcome: report.issues });
      continue;
    }
    const earlierComponent = byOriginal.get(original);
    const isNewest = !earlierComponent || (body.sequence ?? 0) >= (earlierComponent.body.sequence ?? 0);
    const olderComponent = isNewest ? earlierComponent : component;
    if (olderComponent) refused.push(refusedResult(olderComponent, 'UID', 'duplicate', duplicateMessage));
    if (isNewest) byOriginal.set(original, component);
  }
  const main = byOriginal.get(undefined);
  byOriginal.delete(undefined);
  const instances = new Map(
    [...byOriginal].map(([original, instance]) => [
      original as string,
      main ? withSequenceOf(main, instance) : instance,
    ]),
  );
  return { main, instances, refused };
}

/** Instance of an all-day series by the day of its RECURRENCE-ID, which Outlook writes as a time. */
function withOriginalDay(instance: ImportedComponent): ImportedComponent {
  const { dateTime } = instance.body.originalStartTime ?? {};
  if (typeof dateTime !== 'string') return instance;
  return { ...instance, body: { ...instance.body, originalStartTime: { date: dateTime.slice(0, 10) } } };
}

/** Instance with at least the SEQUENCE of its series in the same text, because other programs count both apart. */
function withSequenceOf({ body: { sequence } }: ImportedComponent, instance: ImportedComponent) {
  const ownSequence = instance.body.sequence;
  return typeof sequence === 'number' &&
    typeof ownSequence === 'number' &&
    ownSequence >= 0 &&
    ownSequence < sequence
    ? { ...instance, body: { ...instance.body, sequence } }
    : instance;
}

const duplicateMessage = 'Another component of the text has this UID and RECURRENCE-ID, and counts instead.';
