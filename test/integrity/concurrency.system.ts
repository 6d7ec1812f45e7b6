import { setTimeout as pause } from 'node:timers/promises';
import { startGateway, type Answer, type TestGateway } from '../harness.ts';
import { describeWithPostgres, queryOnce, usePostgres } from '../postgres-server.ts';
import { tally } from './figure-table.ts';

const insertMutation =
  'mutation ($event: EventInput!) { insertEvent(calendarId: "primary", event: $event) { id etag } }';
const patchMutation = `mutation ($id: String!, $summary: String!, $ifMatch: String) {
  patchEvent(calendarId: "primary", eventId: $id, event: { summary: $summary }, ifMatch: $ifMatch) { id } }`;
const importMutation =
  'mutation ($event: EventInput!) { importEvent(calendarId: "primary", event: $event) { id } }';
const uidQuery =
  'query ($iCalUID: String!) { events(calendarId: "primary", iCalUID: $iCalUID) { nodes { id } } }';
const eventQuery = 'query ($id: String!) { event(calendarId: "primary", eventId: $id) { etag summary } }';

const outcomeOf = ({ errors }: Answer): string => errors?.[0]?.extensions.code ?? 'applied';

/** Many concurrent writers of one event, alternating between two gateways. */
describeWithPostgres('two gateways on one database', () => {
  const { createMigratedUrl } = usePostgres();
  let gateways: readonly TestGateway[] = [];
  let databaseUrl = '';
  beforeAll(async () => {
    databaseUrl = await createMigratedUrl();
    const settings = { DATABASE_URL: databaseUrl };
    gateways = await Promise.all([startGateway(settings), startGateway(settings)]);
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.close();
  });

  const pickGateway = (index: number): TestGateway => gateways[index % gateways.length] as TestGateway;
  const insertEvent = async (): Promise<{ id: string; etag: string }> => {
    const event = { summary: '0', start: { date: '2030-01-01' }, end: { date: '2030-01-02' } };
    return (await pickGateway(0).ask(insertMutation, { event })).data.insertEvent;
  };

  test('of 200 concurrent patches with the same If-Match, one is applied and 199 are PRECONDITION_FAILED', async () => {
    const { id, etag } = await insertEvent();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        pickGateway(index).ask(patchMutation, { id, summary: `Patch ${index}`, ifMatch: etag }),
      ),
    );
    expect(tally(answers.map(outcomeOf))).toBe('1 applied, 199 PRECONDITION_FAILED');
  });

  test('8 writers that each increment 16 times with If-Match reach 128', async () => {
    const { id } = await insertEvent();
    const incrementSummary = async (writer: number): Promise<void> => {
      for (let count = 0; count < 16;) {
        const { data } = await pickGateway(writer).ask(eventQuery, { id });
        const { etag, summary } = data.event as { etag: string; summary: string };
        const variables = { id, summary: `${Number(summary) + 1}`, ifMatch: etag };
        if (outcomeOf(await pickGateway(writer).ask(patchMutation, variables)) === 'applied') count += 1;
        // Clients wait after a refusal; without a pause most patches would fail.
        else await pause(Math.random() * 100);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => incrementSummary(writer)));
    expect((await pickGateway(0).ask(eventQuery, { id })).data.event.summary).toBe('128');
  });

  test('organizers who invite each other change their events at the same time without a deadlock', async () => {
    const people = Array.from({ length: 16 }, (_, index) => `person-${index}@example.com`);
    const titlesQuery =
      'query { events(calendarId: "primary", timeMin: "2031-01-01T00:00:00Z") { nodes { summary } } }';
    for (const as of people) await pickGateway(0).ask(titlesQuery, {}, { as });
    const ids = new Map<string, string>();
    for (const as of people) {
      const attendees = people.filter((person) => person !== as).map((email) => ({ email }));
      const event = { attendees, start: { date: '2031-01-01' }, end: { date: '2031-01-02' } };
      ids.set(as, (await pickGateway(0).ask(insertMutation, { event }, { as })).data.insertEvent.id);
    }
    const rounds = Array.from({ length: 10 }, (_, round) => round);
    const rename = async (as: string, index: number): Promise<void> => {
      for (const round of rounds) {
        const variables = { id: ids.get(as), summary: `${as} ${round}` };
        expect(outcomeOf(await pickGateway(index).ask(patchMutation, variables, { as }))).toBe('applied');
      }
    };
    await Promise.all(people.map(rename));
    for (const as of people) {
      const { data } = await pickGateway(1).ask(titlesQuery, {}, { as });
      expect(data.events.nodes.map(({ summary }: { summary: string }) => summary).sort()).toEqual(
        people.map((person) => `${person} ${rounds.length - 1}`).sort(),
      );
    }
    const deadlockQuery = 'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()';
    expect(await queryOnce(databaseUrl, deadlockQuery)).toEqual([{ deadlocks: 0 }]);
  });

  test('an invitation and an import of the same event at the same time leave one event', async () => {
    const [bob, allDayTimes] = [
      'bob@example.com',
      { start: { date: '2030-01-01' }, end: { date: '2030-01-02' } },
    ];
    // Creates both calendars.
    for (const as of [bob, 'alice@example.com'])
      await pickGateway(0).ask(uidQuery, { iCalUID: 'none' }, { as });
    const raceImportAndInvitation = async (index: number): Promise<number> => {
      const event = { ...allDayTimes, iCalUID: `race-${index}@example.com`, summary: 'Race' };
      const invitation = { ...event, attendees: [{ email: 'alice@example.com' }] };
      await Promise.all([
        pickGateway(0).ask(importMutation, { event: { ...event, organizer: { email: bob } } }),
        pickGateway(1).ask(insertMutation, { event: invitation }, { as: bob }),
      ]);
      const { data } = await pickGateway(0).ask(uidQuery, { iCalUID: event.iCalUID });
      return data.events.nodes.length;
    };
    const eventCounts: number[] = [];
    for (let index = 0; index < 30; index += 1) eventCounts.push(await raceImportAndInvitation(index));
    expect(new Set(eventCounts)).toEqual(new Set([1]));
  });
});
