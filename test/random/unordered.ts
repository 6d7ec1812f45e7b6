import type { Shown } from '../event/event.harness.ts';
import { newcomers } from './cast.ts';
import type { Names } from './names.ts';
import type { Seat } from './references.ts';

/** Whether events have come to a calendar that was made for its owner later: in an order that no answer promises. */
const isNewcomers = ({ as, calendarId }: Seat): boolean =>
  (newcomers as readonly string[]).includes(calendarId === 'primary' ? as : calendarId);

/** An answer whose list is in an order that every world has. Behind its edges stand the same events. */
export function inOrder(seat: Seat, body: { readonly data?: Shown }, names: Names): object {
  const result = body.data?.result;
  if (!isNewcomers(seat) || !Array.isArray(result?.nodes)) return body;
  // Of a page it is not the same events either.
  const { hasNextPage, hasPreviousPage } = result.pageInfo as {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
  if (hasNextPage || hasPreviousPage)
    return { ...body, data: { result: { nodes: result.nodes.length, hasNextPage, hasPreviousPage } } };
  return {
    ...body,
    data: {
      result: {
        ...result,
        nodes: names.sorted(result.nodes as readonly unknown[]),
        edges: result.edges.length,
      },
    },
  };
}
