import pg from 'pg';
import { eventually } from '../eventually.ts';
import { tokenFor } from '../harness.ts';
import { startMailbox, type Mailbox } from '../mail/mailbox.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import { figure, linesWith, startRecorded, type Gateway, type LogLine } from './delivery.harness.ts';

/** A word that no log and no figure may hold: texts of events and the password have it. */
const hidden = 'HIDDEN-WORD';
const guests = Array.from({ length: 20 }, (_, index) => `guest${index}@guests.example`);
const events = Array.from({ length: 5 }, (_, index) => `event${index}`);
const insert = 'mutation ($event: EventInput!) { insertEvent(calendarId: "primary", event: $event) { id } }';
const patch =
  'mutation ($id: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $id, sendUpdates: all, event: $event) { id } }';
const byEvent = (one: LogLine, other: LogLine): number => (String(one.event) < String(other.event) ? -1 : 1);
const day = { start: { date: '2027-01-01' }, end: { date: '2027-01-02' } };

describeWithPostgres('mails over PostgreSQL', () => {
  let database: TestDatabase;
  let mailbox: Mailbox;
  let gateways: Gateway[];
  /** The mails that were asked for: `event guest change`. */
  let asked: string[];
  let changes: number;
  /** How long the server takes for a mail; it never answers while that is Infinity. */
  let delayMs: number;

  beforeEach(async () => {
    [gateways, asked, changes, delayMs] = [[], [], 0, 0];
    database = await createDatabase();
    mailbox = await startMailbox({
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, password }, _session, callback) =>
        callback(password === hidden ? null : new Error('no'), { user: username }),
      onMailFrom: (_address, _session, callback) =>
        void (delayMs < Infinity && setTimeout(callback, delayMs)),
    });
  });
  afterEach(async () => {
    try {
      const living = gateways.filter(({ child }) => child.signalCode === null && child.exitCode === null);
      const pages = await Promise.all(living.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
      for (const gateway of gateways) await gateway.end();
      for (const told of [...pages, ...gateways.map((gateway) => gateway.output())])
        expect(/.*(guests\.example|HIDDEN).*/i.exec(told)?.[0]).toBeUndefined();
    } finally {
      await mailbox?.stop();
      await database?.remove();
    }
  });

  const counted = (outcome: string, at: readonly Gateway[]): Promise<number> =>
    figure(`mail_total{method="REQUEST",outcome="${outcome}"}`, at);

  async function start(): Promise<Gateway> {
    const gateway = await startRecorded({
      DATABASE_URL: database.url,
      SMTP_URL: mailbox.url.replace('//', `//gateway:${hidden}@`),
      MAIL_FROM: 'Calendar <calendar@example.com>',
      LOG_LEVEL: 'trace',
    });
    gateways.push(gateway);
    return gateway;
  }

  async function ask(at: Gateway, query: string, variables: object): Promise<void> {
    const answer = await at.ask(await tokenFor('alice@example.com'), query, variables);
    if (!answer?.data || /"(errors|warnings)"/.test(answer.body))
      throw new Error(`a change was not taken: ${answer?.body}`);
  }

  const insertAll = async (at: Gateway, invited = guests): Promise<void> => {
    for (const id of events)
      await ask(at, insert, { event: { id, ...day, attendees: invited.map((email) => ({ email })) } });
  };

  /** Changes each event so often, at gateways by turns. */
  async function change(times: number, at: readonly Gateway[], invited = guests): Promise<void> {
    for (const last = changes + times; changes < last;) {
      changes += 1;
      const turn = changes;
      await Promise.all(
        events.map((id, index) => {
          const event = { summary: `${hidden} ${id} ${turn}` };
          return ask(at[(index + turn) % at.length] as Gateway, patch, { id, event });
        }),
      );
      asked.push(...events.flatMap((id) => invited.map((guest) => `${id} ${guest} ${turn}`)));
    }
  }

  /** Each mail by its Message-ID, in the order in which the first of each came, and how often it came. */
  function arrived(): ReadonlyMap<string, { readonly mail: string; count: number }> {
    const found = new Map<string, { readonly mail: string; readonly raw: Buffer; count: number }>();
    for (const { to, raw, email } of mailbox.mails) {
      const { messageId = '', subject = '' } = email;
      const [, event, turn] = /(event\d+) (\d+)$/.exec(subject) ?? [];
      const known = found.get(messageId) ?? { mail: `${event} ${to.join()} ${turn}`, raw, count: 0 };
      expect(raw.equals(known.raw)).toBe(true);
      known.count += 1;
      found.set(messageId, known);
    }
    return found;
  }

  /** All that was asked for is there and nothing else, in order for each guest and event, and none more often than it may. */
  async function expectArrived(most: number): Promise<void> {
    await eventually(async () =>
      expect(new Set(mailbox.mails.map(({ email }) => email.messageId)).size).toBe(asked.length),
    );
    await eventually(async () => expect(await figure('mail_waiting', gateways.slice(-1))).toBe(0));
    const found = [...arrived().values()];
    const last = new Map<string, number>();
    for (const { mail } of found) {
      const [event, guest, turn] = mail.split(' ');
      expect([mail, Number(turn) > (last.get(`${event} ${guest}`) ?? 0)]).toEqual([mail, true]);
      last.set(`${event} ${guest}`, Number(turn));
    }
    expect(found.map(({ mail }) => mail).sort()).toEqual([...asked].sort());
    expect(Math.max(...found.map(({ count }) => count))).toBeLessThanOrEqual(most);
  }

  /** What a killed gateway has claimed is free at once, and not when its lease of 55 s has ended. */
  async function endLeases(): Promise<void> {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query('UPDATE deliveries SET held_until = 0').finally(() => client.end());
  }

  test('of 1,000 mails each arrives, and none more often than once for each kill of the gateway', async () => {
    delayMs = 20;
    let gateway = await start();
    await insertAll(gateway);
    await change(10, [gateway]);
    for (const count of [300, 600]) {
      await mailbox.count(count);
      await gateway.kill();
      await endLeases();
      gateway = await start();
    }
    await expectArrived(3);
    expect(asked).toHaveLength(1000);
  });

  test('while the mail server is away changes are taken as ever, and then each mail arrives once', async () => {
    const gateway = await start();
    await insertAll(gateway);
    await change(1, [gateway]);
    await expectArrived(1);
    await mailbox.stop();
    const began = Date.now();
    await change(4, [gateway]);
    expect(await figure('mail_waiting', [gateway])).toBe(400);
    const oldest = (): Promise<number> => figure('mail_oldest_seconds', [gateway]);
    await eventually(async () => expect(await oldest()).toBeGreaterThan(1.5));
    expect(await oldest()).toBeLessThanOrEqual((Date.now() - began) / 1000 + 1);
    await mailbox.start();
    await expectArrived(1);
    const [sent, refused] = [await counted('sent', [gateway]), await counted('refused', [gateway])];
    expect([sent, refused, await oldest()]).toEqual([500, 0, 0]);
    expect(await counted('retried', [gateway])).toBeGreaterThan(0);
  });

  test('two gateways share the mails, and each arrives once', async () => {
    delayMs = 5;
    const both = [await start(), await start()];
    await insertAll(both[0] as Gateway);
    await change(5, both);
    await expectArrived(1);
    const shares = await Promise.all(both.map((one) => counted('sent', [one])));
    expect([Math.min(...shares) > 50, shares.reduce((sum, share) => sum + share)]).toEqual([true, 500]);
  });

  test('an address that the server refuses for good is given up at once; a stop waits no longer than 10 s for a server that is silent', async () => {
    const [refused = '', ...others] = guests;
    const refusals = mailbox.answer(refused, 550);
    const gateway = await start();
    await insertAll(gateway);
    await change(1, [gateway], others);
    await expectArrived(1);
    expect(refusals()).toBe(events.length);
    expect(await counted('refused', [gateway])).toBe(events.length);
    const line = { level: 50, destination: 'mail', method: 'REQUEST', code: 550, mails: 1 };
    await eventually(async () =>
      expect(linesWith(gateway, 'mails were given up').sort(byEvent)).toMatchObject(
        events.map((event) => ({ ...line, event })),
      ),
    );

    mailbox.answer(refused, 250);
    delayMs = Infinity;
    await change(2, [gateway]);
    await eventually(async () => expect(mailbox.connections.open).toBe(10));
    const began = Date.now();
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended()).toBe(0);
    expect(Date.now() - began).toBeLessThan(10_000);
    delayMs = 0;
    await start();
    await expectArrived(1);
  });
});
