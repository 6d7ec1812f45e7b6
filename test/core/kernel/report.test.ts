import type { Issue, Path, Reason } from '../../../src/core/kernel/errors.ts';
import { Report } from '../../../src/core/kernel/report.ts';

const issue = (path: Path, reason: Reason = 'invalid', message = ''): Issue => ({ path, reason, message });

/** Issues of a report behind the coercion errors that it begins with. */
function beside(errors: readonly Issue[], ofInput: readonly Issue[], ofWrite?: readonly Issue[]): string[] {
  const report = new Report(errors);
  report.addRuleIssues(ofInput, ofWrite);
  expect(report.issues.slice(0, errors.length)).toEqual(errors);
  return report.issues
    .slice(errors.length)
    .map(({ path, reason, message }) => [path.join('.'), reason, message].filter(Boolean).join(' '));
}

describe('the issues beside coercion errors', () => {
  const error = issue(['event', 'list', 1, 'size']);

  test('leave out those of a value that does not fit, and of an object that lacks it', () => {
    const found = [
      issue(['event', 'list', 1, 'size']),
      issue(['event', 'list', 1], 'required'),
      issue(['event', 'list', 0, 'size']),
      issue(['event', 'name'], 'required'),
    ];
    expect(beside([error], found)).toEqual(['event.list.0.size invalid', 'event.name required']);
  });

  test('come from the write, where it is known, each once', () =>
    expect(
      beside([error], [issue(['event', 'name'])], [issue(['event', 'other']), issue(['event', 'other'])]),
    ).toEqual(['event.other invalid']));

  test('leave out those of a field or an argument that depends on one with a coercion error', () => {
    const found = [issue(['event', 'iCalUID']), issue(['event', 'iCalUID'], 'tooLong'), issue(['orderBy'])];
    expect(beside([issue(['event', 'recurringEventId'])], found)).toEqual([
      'event.iCalUID tooLong',
      'orderBy invalid',
    ]);
    expect(beside([issue(['singleEvents'])], found)).toEqual([
      'event.iCalUID invalid',
      'event.iCalUID tooLong',
    ]);
    expect(beside([error], found)).toEqual([
      'event.iCalUID invalid',
      'event.iCalUID tooLong',
      'orderBy invalid',
    ]);
  });

  test('compare fields in the input alone when one of them has a coercion error', () => {
    const ofWrite = [issue(['event', 'end'], 'timeRangeEmpty', 'of the write')];
    const ofInput = [issue(['event', 'end'], 'timeRangeEmpty', 'of the input')];
    expect(beside([error], ofInput, ofWrite)).toEqual(['event.end timeRangeEmpty of the write']);
    expect(beside([issue(['event', 'start', 'dateTime'])], ofInput, ofWrite)).toEqual([
      'event.end timeRangeEmpty of the input',
    ]);
    expect(beside([issue(['event'])], ofInput, ofWrite)).toEqual([]);
  });
});
