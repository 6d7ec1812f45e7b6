import { refusalOf, type ClientError, type Refusal } from '../errors.ts';
import { jsonType } from '../request/accept.ts';

/**
 * The status of an answer, with its headers. A request of which nothing was done gets the status of its refusal; one that
 * does not fit the schema 400, or 200 where the client asks for application/json (GraphQL over HTTP, section 6.4).
 */
export function statusOf(
  errors: readonly ClientError[],
  data: unknown,
  type: string,
  isMutation: boolean,
): Refusal {
  const [first, ...others] = errors.map(refusalOf);
  if (first && !wasDone(errors, data, isMutation) && others.every((other) => other?.status === first.status))
    return first;
  return { status: data !== undefined || type === jsonType ? 200 : 400, headers: {} };
}

/** True when a root field has a result, or when a mutation had one that could not be sent. */
function wasDone(errors: readonly ClientError[], data: unknown, isMutation: boolean): boolean {
  if (data === undefined || data === null) return false;
  return (
    Object.values(data).some((value) => value !== null) ||
    (isMutation && errors.some(({ path = [] }) => path.length > 1))
  );
}
