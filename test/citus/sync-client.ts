import type { GatewayProcess } from '../gateway-process.ts';

const listEvents = `query ($t: String, $a: String) { events(calendarId: "primary", syncToken: $t, after: $a, first: 250) {
  nodes { id summary } nextSyncToken pageInfo { hasNextPage endCursor } } }`;

interface Page {
  readonly nodes: readonly { readonly id: string; readonly summary: string | null }[];
  readonly nextSyncToken: string | null;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Creates a client that lists a calendar once and then follows it by sync tokens. */
export function syncClient(pick: () => GatewayProcess, token: string) {
  const summaries = new Map<string, string | null>();
  let syncToken: string | null = null;

  /** Reads all pages of a list; undefined if a gateway or the database did not answer. */
  async function readPages(
    t: string | null,
  ): Promise<
    { readonly events: readonly Page['nodes'][number][]; readonly next: string | null } | undefined
  > {
    const events: Page['nodes'][number][] = [];
    for (let a: string | null = null; ;) {
      const answer = await pick().ask(token, listEvents, { t, a });
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
    /** Applies all changes; false if the gateway did not answer. */
    async sync(): Promise<boolean> {
      const changes = await readPages(syncToken);
      if (!changes) return false;
      for (const { id, summary } of changes.events) summaries.set(id, summary);
      syncToken = changes.next;
      return true;
    },
    /** Lists the events that differ from a new list without a token. */
    async stale(): Promise<string[]> {
      for (;;) {
        const current = await readPages(null);
        if (current)
          return current.events
            .filter(({ id, summary }) => summaries.get(id) !== summary)
            .map(({ id, summary }) => `${id}: ${summaries.get(id)} is ${summary}`);
      }
    },
  };
}
