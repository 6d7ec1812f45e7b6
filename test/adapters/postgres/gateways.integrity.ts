import { startGateway, type TestGateway } from '../../harness.ts';
import { describeWithPostgres, startPostgres, type PostgresServer } from '../../postgres-server.ts';
import { startProxy, type TcpProxy } from '../../tcp-proxy.ts';

const insertion = 'mutation ($request: String, $event: EventInput!) { result: insertEvent(calendarId: "primary", requestId: $request, event: $event) { id etag } }';
const patching = `mutation ($id: String!, $event: EventInput!, $ifMatch: String) {
  result: patchEvent(calendarId: "primary", eventId: $id, event: $event, ifMatch: $ifMatch) { etag summary location description colorId } }`;
const reading = 'query ($id: String!) { result: event(calendarId: "primary", eventId: $id) { etag summary location description colorId } }';
const syncing = `query ($token: String, $after: String) { result: events(calendarId: "primary", syncToken: $token, after: $after, first: 3) {
  nodes { id } nextSyncToken pageInfo { hasNextPage endCursor } } }`;
const times = { start: { dateTime: '2030-01-01T10:00:00Z' }, end: { dateTime: '2030-01-01T11:00:00Z' } };

interface EventPage {
  readonly nodes: readonly { readonly id: string }[];
  readonly nextSyncToken: string;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

const codeOf = ({ errors }: Awaited<ReturnType<TestGateway['ask']>>): string => errors?.[0]?.extensions.code ?? 'done';
const count = (codes: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
};

describeWithPostgres('two gateways on one database', () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  let gateways: readonly [TestGateway, TestGateway];
  beforeAll(async () => {
    server = await startPostgres({ settings: ['fsync = off'] });
    proxy = await startProxy(server.port);
    const env = { DATABASE_URL: server.url };
    // Both at once: one brings the tables and the data in, the other waits.
    const [one, two] = await Promise.all([startGateway({ DATABASE_URL: server.url.replace(String(server.port), String(proxy.port)) }), startGateway(env)]);
    gateways = [one, two];
  }, 60_000);
  afterAll(async () => {
    for (const gateway of gateways ?? []) await gateway.close();
    await proxy?.close();
    await server?.remove();
  }, 60_000);

  const on = (index: number): TestGateway => gateways[index % 2] as TestGateway;
  const make = async (rest: object = {}): Promise<{ id: string; etag: string }> => (await on(0).ask(insertion, { event: { summary: '0', ...times, ...rest } })).data.result;
  const patch = (index: number, id: string, event: object, ifMatch?: string) => on(index).ask(patching, { id, event, ifMatch });
  const atOnce = <T>(amount: number, work: (index: number) => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: amount }, (_, index) => work(index)));

  test('start from the seed data once', async () => {
    const ids = async (index: number): Promise<string[]> => (await on(index).ask('{ result: events(calendarId: "primary") { nodes { id } } }')).data.result.nodes.map(({ id }: { id: string }) => id);
    const first = await ids(0);
    expect(first.length).toBeGreaterThan(0);
    expect(new Set(first).size).toBe(first.length);
    expect(await ids(1)).toEqual(first);
  });

  test('a patch takes two round trips when nobody else writes', async () => {
    const { id } = await make();
    const measured: number[] = [];
    for (let index = 0; index < 10; index += 1) {
      const before = proxy.roundTrips();
      await patch(0, id, { summary: `${index}`, location: 'here' });
      measured.push(proxy.roundTrips() - before);
    }
    // The listening connection is asked every 5 s whether it lives.
    expect(measured.filter((trips) => trips <= 2).length).toBeGreaterThanOrEqual(9);
    expect(Math.min(...measured)).toBe(2);
  });

  test('of 1,000 patches with one etag exactly one is applied', async () => {
    const { id, etag } = await make();
    const codes = (await atOnce(1000, (index) => patch(index, id, { summary: `n${index}` }, etag))).map(codeOf);
    expect(count(codes)).toEqual({ done: 1, PRECONDITION_FAILED: 999 });
  }, 120_000);

  test('of 1,000 patches without a condition all are applied, each with an etag of its own', async () => {
    const { id } = await make();
    const answers = await atOnce(1000, (index) => patch(index, id, { summary: `n${index}` }));
    expect(count(answers.map(codeOf))).toEqual({ done: 1000 });
    expect(new Set(answers.map(({ data }) => data.result.etag)).size).toBe(1000);
  }, 120_000);

  test('32 writers count to 1,024 by compare-and-set', async () => {
    const { id } = await make();
    await atOnce(32, async (writer) => {
      for (let done = 0; done < 32; ) {
        const { etag, summary } = (await on(writer).ask(reading, { id })).data.result;
        if (codeOf(await patch(writer, id, { summary: `${Number(summary) + 1}` }, etag)) === 'done') done += 1;
      }
    });
    expect((await on(0).ask(reading, { id })).data.result.summary).toBe('1024');
  }, 240_000);

  test('of 40 rounds of patches of different fields none is lost', async () => {
    const { id } = await make();
    for (let round = 0; round < 40; round += 1) {
      const fields = ['summary', 'location', 'description'].map((name) => ({ [name]: `${name} ${round}` }));
      await Promise.all([...fields, { colorId: `${1 + (round % 11)}` }].map((event, index) => patch(index, id, event)));
      expect((await on(round).ask(reading, { id })).data.result).toMatchObject({
        summary: `summary ${round}`, location: `location ${round}`, description: `description ${round}`, colorId: `${1 + (round % 11)}`,
      });
    }
  }, 60_000);

  test('100 inserts with one requestId make one event', async () => {
    const answers = await atOnce(100, (index) => on(index).ask(insertion, { request: 'once', event: { summary: 'once', ...times } }));
    expect(count(answers.map(codeOf))).toEqual({ done: 100 });
    expect(new Set(answers.map(({ data }) => data.result.id)).size).toBe(1);
  });

  test('what one writes while the other syncs is never missed, and no token is bound to a gateway', async () => {
    const ids = (await atOnce(8, () => make())).map(({ id }) => id);
    const sync = async (start: string | null): Promise<{ seen: string[]; token: string }> => {
      const seen: string[] = [];
      let after: string | null = null;
      for (let page = 0; ; page += 1) {
        const { nodes, nextSyncToken, pageInfo }: EventPage = (await on(page).ask(syncing, { token: start, after })).data.result;
        seen.push(...nodes.map(({ id }) => id));
        if (!pageInfo.hasNextPage) return { seen, token: nextSyncToken };
        after = pageInfo.endCursor;
      }
    };
    let { token } = await sync(null);
    for (let round = 0; round < 5; round += 1) {
      const written = new Set<string>();
      const writing = atOnce(24, async (index) => {
        const id = ids[(index * 7 + round) % 8] as string;
        await patch(index, id, { summary: `${round} ${index}` });
        written.add(id);
      });
      const seen = new Set<string>();
      const during = await sync(token);
      during.seen.forEach((id) => seen.add(id));
      await writing;
      const afterwards = await sync(during.token);
      afterwards.seen.forEach((id) => seen.add(id));
      expect([...written].filter((id) => !seen.has(id))).toEqual([]);
      ({ token } = afterwards);
    }
    expect((await sync(token)).seen).toEqual([]);
  }, 60_000);
});
