import { AppError, type Issue, type Reason, type Warning } from '../../core/errors.ts';
import type { EventContext } from '../visibility/event-context.ts';
import { type EventView, viewOf } from '../visibility/event-view.ts';
import type { ImportedComponent } from './vevent.ts';

/** Component that was not imported, as clients see it. */
export interface RefusedComponent {
  readonly uid: string | null;
  /** Position among all components of the text. */
  readonly index: number;
  readonly issues: readonly Pick<Issue, 'path' | 'reason' | 'message'>[];
}

/** Result of importCalendar, as clients see it. */
export interface CalendarImportView {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: readonly RefusedComponent[];
  /** The first events that were created or updated. */
  readonly events: readonly EventView[];
  readonly warnings: readonly Warning[];
}

/** Limit of the events that a result shows. */
const maxEvents = 250;

type Outcome = 'created' | 'updated' | 'unchanged';

/** Outcome of a component, or its issues. */
export interface ComponentResult {
  readonly component: ImportedComponent;
  readonly outcome: Outcome | readonly Issue[];
  readonly event?: EventView;
  readonly warnings?: readonly Warning[];
}

/**
 * Result of a component that was imported. `wasStored`: it concerns an event or an instance that was stored
 * before.
 */
export const resultOf = (
  component: ImportedComponent,
  wasStored: boolean,
  {
    context,
    warnings,
    unchanged,
  }: { readonly context: EventContext; readonly warnings: readonly Warning[]; readonly unchanged?: true },
): ComponentResult => ({
  component,
  outcome: unchanged ? 'unchanged' : wasStored ? 'updated' : 'created',
  event: viewOf(context),
  warnings,
});

/** Throws if the text of a component has issues, which ends its import. `refusalOf` then reports them. */
export function assertNoIssues({ report }: ImportedComponent): void {
  if (report.issues.length > 0) throw new AppError('BAD_USER_INPUT', 'invalid', 'The component has issues.');
}

/** Result of a component whose import throws. Issues of the text come first, and hide others of the same property. */
export function refusalOf(component: ImportedComponent, error: unknown): ComponentResult {
  const { report, toFilePath } = component;
  if (!(error instanceof AppError) || error.issues.some(({ path }) => path[0] !== 'event')) throw error;
  if (error.issues.length === 0 && report.issues.length === 0) throw error;
  const namesWithIssues = new Set(report.issues.map(({ path }) => path[2]));
  const otherIssues = error.issues
    // An end is computed from the start, so a missing start is the only problem.
    .filter(({ path, reason }) => reason !== 'required' || path[1] !== 'end' || component.body.start)
    .map((issue) => ({ ...issue, path: toFilePath(issue.path) }))
    // A start that is wrong in the text is missing in the body.
    .filter(
      ({ path, reason }) =>
        !namesWithIssues.has(path[2]) &&
        (reason !== 'required' || !namesWithIssues.has('DTSTART') || !timeProperties.has(path[2])),
    );
  return { component, outcome: [...report.issues, ...otherIssues] };
}

const timeProperties: ReadonlySet<unknown> = new Set(['DTSTART', 'DTEND', 'DURATION']);

/** Result of a component that is refused for the sake of others. `textIssues`: those of its text. */
export const refusedResult = (
  component: ImportedComponent,
  property: string,
  reason: Reason,
  message: string,
  textIssues: readonly Issue[] = [],
): ComponentResult => ({
  component,
  outcome: [...textIssues, { path: ['icalendar', component.index, property], reason, message }],
});

/** Counts the results of all components. */
export function summaryOf(
  results: readonly ComponentResult[],
  warnings: readonly Warning[],
): CalendarImportView {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const refused: RefusedComponent[] = [];
  for (const { component, outcome } of results)
    if (typeof outcome === 'string') counts[outcome] += 1;
    else refused.push({ uid: component.body.iCalUID ?? null, index: component.index, issues: outcome });
  const events = results.flatMap(({ outcome, event }) =>
    event && (outcome === 'created' || outcome === 'updated') ? [event] : [],
  );
  return {
    ...counts,
    refused: refused.sort((a, b) => a.index - b.index),
    events: events.slice(0, maxEvents),
    warnings: [
      ...warnings,
      ...results.flatMap(({ component, warnings: ownWarnings = [] }) => [
        ...component.report.warnings,
        ...ownWarnings.map((warning) => ({ ...warning, path: component.toFilePath(warning.path) })),
      ]),
    ],
  };
}
