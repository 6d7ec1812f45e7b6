import { requireMatch } from '../../core/if-match.ts';
import type { Fields } from '../../core/json.ts';
import type { MoveEventArgs } from '../../event/event.requests.ts';
import type { EventResult } from '../../event/event.service.ts';
import { isOutcomeUnknown } from '../client/responses.ts';
import { toCanonicalId } from './calendars.ts';
import { etagOf, type WriteRequest, type WriteSteps } from './event-write-steps.ts';
import { type EventDependencies, createGetCall, createMoveCall } from './event-calls.ts';
import { isRefusal, toWriteError } from './refusal-errors.ts';

/** Creates the operation that moves events. The service checks permissions. */
export function createMove({ schemas }: EventDependencies, { send, eventOf }: WriteSteps) {
  return async function moveEvent(move: WriteRequest<MoveEventArgs>): Promise<EventResult> {
    const { viewer, args } = move;
    const [source, destination] = [args.calendarId, args.destination].map((id) => toCanonicalId(id, viewer));
    const resultOf = (json: Fields, calendarId: string): EventResult => ({
      event: eventOf(json, calendarId, viewer),
      warnings: [],
      guestsNotified: 0,
    });
    try {
      if (source === destination || args.validateOnly || typeof args.ifMatch === 'string') {
        const json = await send(move, createGetCall(args));
        requireMatch(args.ifMatch, () => etagOf(json) ?? '', 'event');
        if (source === destination) return { ...resultOf(json, args.calendarId), unchanged: true };
        if (args.validateOnly) return resultOf(json, args.calendarId);
      }
      return resultOf(await send(move, createMoveCall(args)), args.destination);
    } catch (error) {
      const mayBeMoved = isOutcomeUnknown(error) || isRefusal(error, 400, 403, 404, 409, 410);
      const movedEvent = mayBeMoved ? await findMoved(move) : undefined;
      if (movedEvent) return { ...resultOf(movedEvent, args.destination), unchanged: true };
      throw toWriteError(error, { schemas, defaultArgument: 'eventId' });
    }
  };

  /** Finds the event on the destination, if an earlier attempt moved it: it then is cancelled on the source. */
  async function findMoved(move: WriteRequest<MoveEventArgs>): Promise<Fields | undefined> {
    const { eventId, calendarId, destination } = move.args;
    try {
      const sourceEvent = await send(move, createGetCall({ calendarId, eventId }, 'status'));
      if (sourceEvent.status !== 'cancelled') return undefined;
      const destinationEvent = await send(move, createGetCall({ calendarId: destination, eventId }));
      return destinationEvent.status === 'cancelled' ? undefined : destinationEvent;
    } catch {
      return undefined;
    }
  }
}
