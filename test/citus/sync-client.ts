import type { GatewayProcess } from '../gateway-process.ts';

const listEvents = `query ($syncToken: String, $after: String) { events(calendarId: "primary", syncToken: $syncToken, after: $after, first: 250) {
  nodes { id summary } nextSyncToken pageInfo { hasNextPage endCursor } } }`;

interface EventNode {
  readonly id: string;
  readonly summary: string | null;
}

interface Page {
  readonly nodes: readonly EventNode[];
  readonly nextSyncToken: string | null;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Creates a client that lists a calendar once and then follows it by sync tokens. */
export function createSyncClient(pickGateway: () => GatewayProcess, accessToken: string) {
  const summaries = new Map<string, string | null>();
  let syncToken: string | null = null;

  /** Reads all pages of a list and the next token; undefined if a gateway or the database did not answer. */
  async function readPages(startSyncToken: string | null): Promise<[EventNode[], string | null] | undefined> {
    const nodes: EventNode[] = [];
    for (let after: string | null = null; ;) {
      const answer = await pickGateway().ask(accessToken, listEvents, { syncToken: startSyncToken, after });
      if (answer && answer.status !== 503 && answer.status !== 200)
        throw new Error(answer.body.slice(0, 300));
      const page = (answer?.data as { events: Page | null } | undefined)?.events;
      if (!page) return undefined;
      nodes.push(...page.nodes);
      if (!page.pageInfo.hasNextPage) return [nodes, page.nextSyncToken];
      after = page.pageInfo.endCursor;
    }
  }

  return {
    /** Applies all changes; false if the gateway did not answer. */
    async sync(): Promise<boolean> {
      const changes = await readPages(syncToken);
      if (!changes) return false;
      const [nodes, newSyncToken] = changes;
      for (const { id, summary } of nodes) summaries.set(id, summary);
      syncToken = newSyncToken;
      return true;
    },
    /** Lists the events that differ from a new list without a token. */
    async findStaleEvents(): Promise<string[]> {
      for (;;) {
        const current = await readPages(null);
        if (current)
          return current[0]
            .filter(({ id, summary }) => summaries.get(id) !== summary)
            .map(({ id, summary }) => `${id}: ${summaries.get(id)} is ${summary}`);
      }
    },
  };
}
