import type { GatewayProcess } from '../gateway-process.ts';

const listing = `query ($t: String, $a: String) { events(calendarId: "primary", syncToken: $t, after: $a, first: 250) {
  nodes { id summary } nextSyncToken pageInfo { hasNextPage endCursor } } }`;

interface Page {
  readonly nodes: readonly { readonly id: string; readonly summary: string | null }[];
  readonly nextSyncToken: string | null;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** A client that lists a calendar once and then follows it by sync tokens alone. */
export function syncClient(pick: () => GatewayProcess, token: string) {
  const has = new Map<string, string | null>();
  let mark: string | null = null;

  /** All pages of a list; undefined where a gateway or the database did not answer. */
  async function read(
    t: string | null,
  ): Promise<
    { readonly events: readonly Page['nodes'][number][]; readonly next: string | null } | undefined
  > {
    const events: Page['nodes'][number][] = [];
    for (let a: string | null = null; ;) {
      const answer = await pick().ask(token, listing, { t, a });
      if (answer && answer.status !== 503 && answer.status !== 200)
        throw new Error(answer.body.slice(0, 300));
      const page = (answer?.data as { events: Page | null } | undefined)?.events;
      if (!page) return undefined;
      events.push(...page.nodes);
      if (!page.pageInfo.hasNextPage) return { events, next: page.nextSyncToken };
      a = page.pageInfo.endCursor;
    }
  }

  return {
    /** Whether it came to its end. */
    async sync(): Promise<boolean> {
      const news = await read(mark);
      if (!news) return false;
      for (const { id, summary } of news.events) has.set(id, summary);
      mark = news.next;
      return true;
    },
    /** The events that differ from those which a list without a token has now. */
    async stale(): Promise<string[]> {
      for (;;) {
        const now = await read(null);
        if (now)
          return now.events
            .filter(({ id, summary }) => has.get(id) !== summary)
            .map(({ id, summary }) => `${id}: ${has.get(id)} is ${summary}`);
      }
    },
  };
}
