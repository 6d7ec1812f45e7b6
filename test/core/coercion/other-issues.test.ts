import { besideCoercionErrors } from '../../../src/core/coercion/other-issues.ts';
import type { Issue, Path, Reason } from '../../../src/core/kernel/errors.ts';

const issue = (path: Path, reason: Reason = 'invalid', message = ''): Issue => ({ path, reason, message });
const relations = { dependsOn: { uid: 'series' }, compared: { timeRangeEmpty: ['start', 'end'] } } as const;
const beside = (errors: readonly Issue[], ofBody: readonly Issue[], rehearsed?: readonly Issue[]): string[] =>
  besideCoercionErrors(errors, ofBody, rehearsed, relations).map(
    ({ path, reason }) => `${path.join('.')} ${reason}`,
  );

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

  test('come from the rehearsal, where there was one, each once', () =>
    expect(
      beside([error], [issue(['event', 'name'])], [issue(['event', 'other']), issue(['event', 'other'])]),
    ).toEqual(['event.other invalid']));

  test('leave out those of a field that depends on one with a coercion error', () => {
    const found = [issue(['event', 'uid']), issue(['event', 'uid'], 'tooLong')];
    expect(beside([issue(['event', 'series'])], found)).toEqual(['event.uid tooLong']);
    expect(beside([error], found)).toEqual(['event.uid invalid', 'event.uid tooLong']);
  });

  test('compare fields in the body alone when one of them has a coercion error', () => {
    const rehearsed = [issue(['event', 'end'], 'timeRangeEmpty', 'rehearsed')];
    const ofBody = [issue(['event', 'end'], 'timeRangeEmpty', 'of the body')];
    const messages = (errors: readonly Issue[]) =>
      besideCoercionErrors(errors, ofBody, rehearsed, relations).map(({ message }) => message);
    expect(messages([error])).toEqual(['rehearsed']);
    expect(messages([issue(['event', 'start', 'dateTime'])])).toEqual(['of the body']);
    expect(messages([issue(['event'])])).toEqual([]);
  });
});
