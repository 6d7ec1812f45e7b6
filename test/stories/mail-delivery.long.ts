import pg from 'pg';
import { eventually } from '../eventually.ts';
import { tokenFor } from '../harness.ts';
import { startMailbox, type Mailbox } from '../mail/mailbox.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import {
  sumMetric,
  findLogLines,
  startRecordedGateway,
  type Gateway,
  type LogLine,
} from './delivery.harness.ts';

/** A word in event texts and in the password, which no log and no metric may contain. */
const hiddenWord = 'HIDDEN-WORD';
const guests = Array.from({ length: 20 }, (_, index) => `guest${index}@guests.example`);
const events = Array.from({ length: 5 }, (_, index) => `event${index}`);
const insertMutation =
  'mutation ($event: EventInput!) { insertEvent(calendarId: "primary", event: $event) { id } }';
const patchMutation =
  'mutation ($id: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $id, sendUpdates: all, event: $event) { id } }';
const compareByEvent = (a: LogLine, b: LogLine): number => (String(a.event) < String(b.event) ? -1 : 1);
const day = { start: { date: '2027-01-01' }, end: { date: '2027-01-02' } };

describeWithPostgres('mails on PostgreSQL', () => {
  let database: TestDatabase;
  let mailbox: Mailbox;
  let gateways: Gateway[];
  /** Expected mails: `event guest change`. */
  let expectedMails: string[];
  let changeNumber: number;
  /** Delay of the mail server; Infinity means no response. */
  let delayMs: number;

  beforeEach(async () => {
    [gateways, expectedMails, changeNumber, delayMs] = [[], [], 0, 0];
    database = await createDatabase();
    mailbox = await startMailbox({
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, password }, _session, callback) =>
        callback(password === hiddenWord ? null : new Error('no'), { user: username }),
      onMailFrom: (_address, _session, callback) =>
        void (delayMs < Infinity && setTimeout(callback, delayMs)),
    });
  });
  afterEach(async () => {
    try {
      const runningGateways = gateways.filter(
        ({ child }) => child.signalCode === null && child.exitCode === null,
      );
      const pages = await Promise.all(
        runningGateways.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
      );
      for (const gateway of gateways) await gateway.killIfRunning();
      for (const output of [...pages, ...gateways.map((gateway) => gateway.output())])
        expect(/.*(guests\.example|HIDDEN).*/i.exec(output)?.[0]).toBeUndefined();
    } finally {
      await mailbox?.stop();
      await database?.remove();
    }
  });

  const countMails = (outcome: string, targets: readonly Gateway[]): Promise<number> =>
    sumMetric(`mail_total{method="REQUEST",outcome="${outcome}"}`, targets);

  async function startMailGateway(): Promise<Gateway> {
    const gateway = await startRecordedGateway({
      DATABASE_URL: database.url,
      SMTP_URL: mailbox.url.replace('//', `//gateway:${hiddenWord}@`),
      MAIL_FROM: 'Calendar <calendar@example.com>',
      LOG_LEVEL: 'trace',
    });
    gateways.push(gateway);
    return gateway;
  }

  async function sendMutation(target: Gateway, query: string, variables: object): Promise<void> {
    const response = await target.ask(await tokenFor('alice@example.com'), query, variables);
    if (!response?.data || /"(errors|warnings)"/.test(response.body))
      throw new Error(`a change was not taken: ${response?.body}`);
  }

  const insertAllEvents = async (targetGateway: Gateway, invited = guests): Promise<void> => {
    for (const id of events)
      await sendMutation(targetGateway, insertMutation, {
        event: { id, ...day, attendees: invited.map((email) => ({ email })) },
      });
  };

  /** Changes each event a number of times, alternating between gateways. */
  async function changeEvents(rounds: number, targets: readonly Gateway[], invited = guests): Promise<void> {
    for (const last = changeNumber + rounds; changeNumber < last;) {
      changeNumber += 1;
      const changeOfRound = changeNumber;
      await Promise.all(
        events.map((id, index) => {
          const event = { summary: `${hiddenWord} ${id} ${changeOfRound}` };
          return sendMutation(targets[(index + changeOfRound) % targets.length] as Gateway, patchMutation, {
            id,
            event,
          });
        }),
      );
      expectedMails.push(
        ...events.flatMap((id) => invited.map((guest) => `${id} ${guest} ${changeOfRound}`)),
      );
    }
  }

  /** Mails by Message-ID in order of their first arrival, with the number of arrivals. */
  function readArrivedMails(): ReadonlyMap<string, { readonly mail: string; count: number }> {
    const mailsById = new Map<string, { readonly mail: string; readonly raw: Buffer; count: number }>();
    for (const { to, raw, email } of mailbox.mails) {
      const { messageId = '', subject = '' } = email;
      const [, event, change] = /(event\d+) (\d+)$/.exec(subject) ?? [];
      const arrivedMail = mailsById.get(messageId) ?? {
        mail: `${event} ${to.join()} ${change}`,
        raw,
        count: 0,
      };
      expect(raw.equals(arrivedMail.raw)).toBe(true);
      arrivedMail.count += 1;
      mailsById.set(messageId, arrivedMail);
    }
    return mailsById;
  }

  /** Waits for exactly the expected mails, in order for each guest and event, each at most `maxCount` times. */
  async function expectArrived(maxCount: number): Promise<void> {
    await eventually(async () =>
      expect(new Set(mailbox.mails.map(({ email }) => email.messageId)).size).toBe(expectedMails.length),
    );
    await eventually(async () => expect(await sumMetric('mail_waiting', gateways.slice(-1))).toBe(0));
    const arrivedMails = [...readArrivedMails().values()];
    const lastChangeNumbers = new Map<string, number>();
    for (const { mail } of arrivedMails) {
      const [event, guest, turn] = mail.split(' ');
      expect([mail, Number(turn) > (lastChangeNumbers.get(`${event} ${guest}`) ?? 0)]).toEqual([mail, true]);
      lastChangeNumbers.set(`${event} ${guest}`, Number(turn));
    }
    expect(arrivedMails.map(({ mail }) => mail).sort()).toEqual([...expectedMails].sort());
    expect(Math.max(...arrivedMails.map(({ count }) => count))).toBeLessThanOrEqual(maxCount);
  }

  /** Frees the claims of a killed gateway at once, instead of after their lease of 55 s. */
  async function endLeases(): Promise<void> {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query('UPDATE deliveries SET held_until = 0').finally(() => client.end());
  }

  test('each of 1,000 mails arrives, and at most once more for each kill of the gateway', async () => {
    delayMs = 20;
    let gateway = await startMailGateway();
    await insertAllEvents(gateway);
    await changeEvents(10, [gateway]);
    for (const count of [300, 600]) {
      await mailbox.waitForMails(count);
      await gateway.kill();
      await endLeases();
      gateway = await startMailGateway();
    }
    await expectArrived(3);
    expect(expectedMails).toHaveLength(1000);
  });

  test('changes are accepted while the mail server is down, and each mail arrives once afterwards', async () => {
    const gateway = await startMailGateway();
    await insertAllEvents(gateway);
    await changeEvents(1, [gateway]);
    await expectArrived(1);
    await mailbox.stop();
    const downSince = Date.now();
    await changeEvents(4, [gateway]);
    expect(await sumMetric('mail_waiting', [gateway])).toBe(400);
    const readOldestSeconds = (): Promise<number> => sumMetric('mail_oldest_seconds', [gateway]);
    await eventually(async () => expect(await readOldestSeconds()).toBeGreaterThan(1.5));
    expect(await readOldestSeconds()).toBeLessThanOrEqual((Date.now() - downSince) / 1000 + 1);
    await mailbox.start();
    await expectArrived(1);
    const [sentCount, refusedCount] = [
      await countMails('sent', [gateway]),
      await countMails('refused', [gateway]),
    ];
    expect([sentCount, refusedCount, await readOldestSeconds()]).toEqual([500, 0, 0]);
    expect(await countMails('retried', [gateway])).toBeGreaterThan(0);
  });

  test('two gateways share the mails, and each arrives once', async () => {
    delayMs = 5;
    const bothGateways = [await startMailGateway(), await startMailGateway()];
    await insertAllEvents(bothGateways[0] as Gateway);
    await changeEvents(5, bothGateways);
    await expectArrived(1);
    const shares = await Promise.all(bothGateways.map((gateway) => countMails('sent', [gateway])));
    expect([Math.min(...shares) > 50, shares.reduce((sum, share) => sum + share)]).toEqual([true, 500]);
  });

  test('a permanently refused address is given up at once; a stop waits at most 10 s for a hanging server', async () => {
    const [refusedGuest = '', ...otherGuests] = guests;
    const refusals = mailbox.setReplyCode(refusedGuest, 550);
    const gateway = await startMailGateway();
    await insertAllEvents(gateway);
    await changeEvents(1, [gateway], otherGuests);
    await expectArrived(1);
    expect(refusals()).toBe(events.length);
    expect(await countMails('refused', [gateway])).toBe(events.length);
    const expectedLine = { level: 50, destination: 'mail', method: 'REQUEST', code: 550, mails: 1 };
    await eventually(async () =>
      expect(findLogLines(gateway, 'mails were dropped').sort(compareByEvent)).toMatchObject(
        events.map((event) => ({ ...expectedLine, event })),
      ),
    );

    mailbox.setReplyCode(refusedGuest, 250);
    delayMs = Infinity;
    await changeEvents(2, [gateway]);
    await eventually(async () => expect(mailbox.connections.open).toBe(10));
    const stopStartedAt = Date.now();
    gateway.child.kill('SIGTERM');
    expect(await gateway.waitForEnd()).toBe(0);
    expect(Date.now() - stopStartedAt).toBeLessThan(10_000);
    delayMs = 0;
    await startMailGateway();
    await expectArrived(1);
  });
});
