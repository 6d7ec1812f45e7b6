import type { Draft } from '../draft.ts';

/** How a new event names itself, and the series that it belongs to. */
export function checkIdentity({ body, report }: Draft): void {
  if (
    typeof body.id === 'string' &&
    typeof body.iCalUID === 'string' &&
    typeof body.recurringEventId !== 'string'
  ) {
    report.issue(
      ['event', 'iCalUID'],
      'invalid',
      'Give id or iCalUID, not both: the server makes the other one.',
    );
  }
  if (body.originalStartTime && typeof body.recurringEventId !== 'string') {
    const message =
      'The originalStartTime goes with recurringEventId: it tells which instance of a recurring event this is.';
    report.issue(['event', 'originalStartTime'], 'invalid', message);
  }
}
