import { toOriginalStart } from '../../recurrence/original-start.ts';
import { type ComponentResult, refusedResult } from './import-results.ts';
import type { ImportedComponent } from './vevent.ts';

/** Components of one UID. */
export interface UidGroup {
  /** The series, or the event. */
  readonly mainComponent: ImportedComponent | undefined;
  /** Changed instances by original start. */
  readonly instances: ReadonlyMap<string, ImportedComponent>;
  /** Components that cannot be imported, with their issues. */
  readonly refusedResults: readonly ComponentResult[];
}

/** Sorts the components of a UID. Of several with the same RECURRENCE-ID, the last with the highest SEQUENCE counts. */
export function splitGroup(components: readonly ImportedComponent[]): UidGroup {
  const isAllDay = components.some(({ isInstance, body }) => !isInstance && body.start?.date !== undefined);
  const componentByOriginal = new Map<string | undefined, ImportedComponent>();
  const refusedResults: ComponentResult[] = [];
  for (const importedComponent of components) {
    const component =
      isAllDay && importedComponent.isInstance ? withOriginalDay(importedComponent) : importedComponent;
    const { body, isInstance, report } = component;
    const original = toOriginalStart(body.originalStartTime ?? undefined);
    if (isInstance && original === undefined) {
      refusedResults.push({ component, outcome: report.issues });
      continue;
    }
    const earlierComponent = componentByOriginal.get(original);
    const isNewest = !earlierComponent || (body.sequence ?? 0) >= (earlierComponent.body.sequence ?? 0);
    const olderComponent = isNewest ? earlierComponent : component;
    if (olderComponent)
      refusedResults.push(refusedResult(olderComponent, 'UID', 'duplicate', duplicateMessage));
    if (isNewest) componentByOriginal.set(original, component);
  }
  const mainComponent = componentByOriginal.get(undefined);
  componentByOriginal.delete(undefined);
  const instances = new Map(
    [...componentByOriginal].map(([original, instance]) => [
      original as string,
      mainComponent ? withSequenceOf(mainComponent, instance) : instance,
    ]),
  );
  return { mainComponent, instances, refusedResults };
}

/** Instance of an all-day series by the day of its RECURRENCE-ID, which Outlook writes as a time. */
function withOriginalDay(instance: ImportedComponent): ImportedComponent {
  const { dateTime } = instance.body.originalStartTime ?? {};
  if (typeof dateTime !== 'string') return instance;
  return { ...instance, body: { ...instance.body, originalStartTime: { date: dateTime.slice(0, 10) } } };
}

/** Raises an instance's SEQUENCE to that of its series, because other programs count the two separately. */
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
