import DataLoader from 'dataloader';
import type { Viewer } from '../../access/permissions.ts';
import type { FieldSelection } from '../../core/fields/selection.ts';
import { perRequest, type RequestKey } from '../../core/runtime/per-request.ts';
import type { GetEventArgs } from '../../event/event.requests.ts';
import { unionOf } from '../form.ts';
import { calendarNamed } from './own-calendar.ts';

/** An event as a request asks for it. */
export interface WantedEvent {
  readonly viewer: Viewer;
  readonly args: GetEventArgs;
  readonly selection: FieldSelection | undefined;
}

/** Reads an event by one call. */
export type CallForEvent = (wanted: WantedEvent, request: RequestKey) => Promise<unknown>;

/** Reads events for requests: what one request asks of the same event at the same time is one call, for all that is selected; different ones are read side by side. */
export function createEventLoader(call: CallForEvent): CallForEvent {
  const loaderOf = perRequest(
    (request) =>
      new DataLoader((all: readonly WantedEvent[]) => readAll(all, call, request), {
        // A later write may change what was read.
        cache: false,
        // Root fields that wait for their turn come along.
        batchScheduleFn: (begin) => void setImmediate(begin),
      }),
  );
  return (wanted, request) => loaderOf(request).load(wanted);
}

async function readAll(
  all: readonly WantedEvent[],
  call: CallForEvent,
  request: RequestKey,
): Promise<unknown[]> {
  const groups = new Map<string, WantedEvent[]>();
  for (const wanted of all) groups.set(keyOf(wanted), [...(groups.get(keyOf(wanted)) ?? []), wanted]);
  const found = await Promise.all(
    [...groups].map(async ([key, group]) => {
      const selection = unionOf(group.map((wanted) => wanted.selection));
      return [key, await call({ ...(group[0] as WantedEvent), selection }, request).catch(errorOf)] as const;
    }),
  );
  const byKey = new Map(found);
  return all.map((wanted) => byKey.get(keyOf(wanted)));
}

const keyOf = ({
  viewer,
  args: { calendarId, eventId, maxAttendees, alwaysIncludeEmail },
}: WantedEvent): string =>
  JSON.stringify([
    calendarNamed(calendarId, viewer),
    eventId,
    maxAttendees ?? null,
    alwaysIncludeEmail === true,
  ]);

/** Loaders take errors for what could not be read. */
const errorOf = (error: unknown): Error =>
  error instanceof Error ? error : new Error('an event could not be read', { cause: error });
