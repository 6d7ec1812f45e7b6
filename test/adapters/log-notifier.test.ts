import { createLogNotifier } from '../../src/app/resources.ts';

test('a notice becomes one log line with the number of guests, never their addresses', () => {
  const lines: object[] = [];
  const notice = { calendarId: 'c', iCalUID: 'u', sequence: 0, method: 'REQUEST', changed: [] } as const;
  const notifier = createLogNotifier({ info: (line) => lines.push(line) });
  const guests = ['ada@example.com', 'eve@example.com'];
  notifier.notify({ ...notice, eventId: 'e1', change: 'updated', guests });
  notifier.notify({ ...notice, eventId: 'e2', change: 'cancelled', guests: [] });
  expect(lines[0]).toEqual({ event: 'e1', change: 'updated', guests: 2 });
  expect(lines.slice(1)).toEqual([{ event: 'e2', change: 'cancelled', guests: 0 }]);
  expect(JSON.stringify(lines)).not.toContain('@');
});
