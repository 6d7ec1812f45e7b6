import { setTimeout as pause } from 'node:timers/promises';
import type { TestGateway } from '../harness.ts';
import { tally, type Criterion } from './figures.ts';

const insertion =
  'mutation ($request: String, $event: EventInput!) { result: insertEvent(calendarId: "primary", requestId: $request, event: $event) { id etag } }';
const patching = `mutation ($id: String!, $event: EventInput!, $ifMatch: String) {
  result: patchEvent(calendarId: "primary", eventId: $id, event: $event, ifMatch: $ifMatch) { etag summary location description colorId } }`;
const reading =
  'query ($id: String!) { result: event(calendarId: "primary", eventId: $id) { etag summary location description colorId } }';
const syncing = `query ($token: String, $after: String) { result: events(calendarId: "primary", syncToken: $token, after: $after, first: 3) {
  nodes { id } nextSyncToken pageInfo { hasNextPage endCursor } } }`;
const times = { start: { dateTime: '2030-01-01T10:00:00Z' }, end: { dateTime: '2030-01-01T11:00:00Z' } };

interface EventPage {
  readonly nodes: readonly { readonly id: string }[];
  readonly nextSyncToken: string;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

const codeOf = ({ errors }: Awaited<ReturnType<TestGateway['ask']>>): string =>
  errors?.[0]?.extensions.code ?? 'applied';
const atOnce = <T>(amount: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: amount }, (_, index) => work(index)));

/** What many writers at once come to, on the gateways in turn. */
export function concurrencyCriteria(gateways: () => readonly TestGateway[]): Criterion[] {
  const on = (index: number): TestGateway => gateways()[index % gateways().length] as TestGateway;
  const make = async (): Promise<{ id: string; etag: string }> =>
    (await on(0).ask(insertion, { event: { summary: '0', ...times } })).data.result;
  const patch = (index: number, id: string, event: object, ifMatch?: string) =>
    on(index).ask(patching, { id, event, ifMatch });
  const read = async (index: number, id: string): Promise<Record<string, string>> =>
    (await on(index).ask(reading, { id })).data.result;

  async function sync(start: string | null): Promise<{ seen: string[]; token: string }> {
    const seen: string[] = [];
    let after: string | null = null;
    for (let page = 0; ; page += 1) {
      const { nodes, nextSyncToken, pageInfo }: EventPage = (
        await on(page).ask(syncing, { token: start, after })
      ).data.result;
      seen.push(...nodes.map(({ id }) => id));
      if (!pageInfo.hasNextPage) return { seen, token: nextSyncToken };
      after = pageInfo.endCursor;
    }
  }

  return [
    {
      title: '1,000 patches at once with one etag: 1 applied, 999 PRECONDITION_FAILED',
      async measure() {
        const { id, etag } = await make();
        const figure = tally(
          (await atOnce(1000, (index) => patch(index, id, { summary: `n${index}` }, etag))).map(codeOf),
        );
        return { figure, holds: figure === '1 applied, 999 PRECONDITION_FAILED' };
      },
    },
    {
      title: '1,000 patches at once without a condition: 1,000 applied, 1,000 etags',
      async measure() {
        const { id } = await make();
        const answers = await atOnce(1000, (index) => patch(index, id, { summary: `n${index}` }));
        const figure = `${tally(answers.map(codeOf))}, ${new Set(answers.map(({ data }) => data.result?.etag)).size} etags`;
        return { figure, holds: figure === '1000 applied, 1000 etags' };
      },
    },
    {
      title: '32 writers count up 32 times each by compare-and-set: 1,024',
      async measure() {
        const { id } = await make();
        await atOnce(32, async (writer) => {
          for (let done = 0; done < 32;) {
            const { etag, summary } = await read(writer, id);
            if (codeOf(await patch(writer, id, { summary: `${Number(summary) + 1}` }, etag)) === 'applied')
              done += 1;
            // As clients do whose change was refused; else most of what is asked is in vain.
            else await pause(Math.random() * 500);
          }
        });
        const { summary } = await read(0, id);
        return { figure: `${summary}`, holds: summary === '1024' };
      },
    },
    {
      title: '40 rounds of patches of different fields at once: none lost',
      async measure() {
        const { id } = await make();
        let lost = 0;
        for (let round = 0; round < 40; round += 1) {
          const values = {
            summary: `summary ${round}`,
            location: `location ${round}`,
            description: `description ${round}`,
            colorId: `${1 + (round % 11)}`,
          };
          await Promise.all(
            Object.entries(values).map(([name, value], index) => patch(index, id, { [name]: value })),
          );
          const stored = await read(round, id);
          lost += Object.entries(values).filter(([name, value]) => stored[name] !== value).length;
        }
        return { figure: `${lost} of 160 lost`, holds: lost === 0 };
      },
    },
    {
      title: '100 inserts at once with one requestId: one id',
      async measure() {
        const answers = await atOnce(100, (index) =>
          on(index).ask(insertion, { request: 'once', event: { summary: 'once', ...times } }),
        );
        const figure = `${tally(answers.map(codeOf))}, ids: ${new Set(answers.map(({ data }) => data.result?.id)).size}`;
        return { figure, holds: figure === '100 applied, ids: 1' };
      },
    },
    {
      title: 'what is written while others sync: none missed, none told twice when all is quiet',
      async measure() {
        const ids = (await atOnce(8, make)).map(({ id }) => id);
        let { token } = await sync(null);
        let missed = 0;
        for (let round = 0; round < 5; round += 1) {
          const written = new Set<string>();
          const writing = atOnce(24, async (index) => {
            const id = ids[(index * 7 + round) % 8] as string;
            await patch(index, id, { summary: `${round} ${index}` });
            written.add(id);
          });
          const during = await sync(token);
          await writing;
          const afterwards = await sync(during.token);
          const seen = new Set([...during.seen, ...afterwards.seen]);
          missed += [...written].filter((id) => !seen.has(id)).length;
          ({ token } = afterwards);
        }
        const again = (await sync(token)).seen.length;
        return { figure: `${missed} missed, ${again} told again`, holds: missed + again === 0 };
      },
    },
  ];
}
