import type { EventJson } from '../event/event.harness.ts';
import { newcomers } from './cast.ts';
import type { Placeholders } from './placeholders.ts';
import type { Caller } from './references.ts';

/** Whether the calendar was created on first use; earlier invitations have no defined order there. */
const isCreatedOnFirstUse = ({ as, calendarId }: Caller): boolean =>
  (newcomers as readonly string[]).includes(calendarId === 'primary' ? as : calendarId);

/** Sorts the nodes of a response where their order is undefined, and reduces the edges to their number. */
export function normalizeOrder(
  caller: Caller,
  body: { readonly data?: EventJson },
  placeholders: Placeholders,
): object {
  const result = body.data?.result;
  if (!isCreatedOnFirstUse(caller) || !Array.isArray(result?.nodes)) return body;
  // Pages of a list without a defined order contain different events.
  const { hasNextPage, hasPreviousPage } = result.pageInfo as Readonly<Record<string, boolean>>;
  if (hasNextPage || hasPreviousPage)
    return { ...body, data: { result: { nodes: result.nodes.length, hasNextPage, hasPreviousPage } } };
  const nodes = placeholders.sortEntries(result.nodes as readonly unknown[]);
  return { ...body, data: { result: { ...result, nodes, edges: result.edges.length } } };
}
