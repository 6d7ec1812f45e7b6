import { alice, hour, startEvents, type EventGateway, type Outcome } from './event-http.harness.ts';

const nobody = 'nobody@example.com';
const sten = 'sten@example.com';

describe('what nobody may know: a calendar one may not read', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents([{ ...hour, id: 'planning', summary: 'Planning' }]);
  });
  afterAll(() => gateway.close());

  const withoutIds = ({ body }: Outcome): string => body.replaceAll(/"requestId":"[^"]*"/g, '"requestId":"?"');
  test.each(['patch', 'insert', 'read'] as const)('%s answers a stranger as it does for a calendar that does not exist', async (operation) => {
    const id = 'planning';
    const ask = (calendarId: string, eventId: string): Promise<Outcome> => {
      const whose = { as: sten, calendarId };
      if (operation === 'patch') return gateway.patch(eventId, { summary: 'x' }, whose);
      return operation === 'insert' ? gateway.insert({ summary: 'x' }, whose) : gateway.read(eventId, whose);
    };
    const answer = await ask(alice, id);
    expect(answer.problems).toEqual(['NOT_FOUND calendarId notFound']);
    expect(withoutIds(await ask(nobody, id))).toBe(withoutIds(answer));
    expect(withoutIds(await ask(alice, 'noevent'))).toBe(withoutIds(answer));
  });
});
