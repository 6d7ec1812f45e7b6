import { etagsIn } from '../../core/kernel/if-match.ts';
import type { DeleteEventArgs } from '../../event/event.requests.ts';
import type { EventResult } from '../../event/event.service.ts';
import type { Answers, Asked } from './event-answers.ts';
import { deleteCall, getCall } from './event-calls.ts';
import { isRefusal, isUnknown, refusalAt } from './faults.ts';
import type { EventParts } from './parts.ts';

type Deleted = Omit<EventResult, 'event'>;

const deleted: Deleted = { warnings: [], guestsNotified: 0 };

export function createDelete({ schemas }: EventParts, { send, notMet }: Answers) {
  return async function deleteEvent(asked: Asked<DeleteEventArgs>): Promise<Deleted> {
    const etags = etagsIn(asked.args.ifMatch);
    if (etags === '') throw await notMet(asked);
    try {
      await send(asked, deleteCall(asked.args, etags));
    } catch (error) {
      if (isRefusal(error, 410)) return { ...deleted, unchanged: true };
      if (isRefusal(error, 412) && !(error.again && (await isGone(asked)))) throw await notMet(asked);
      if (!isRefusal(error, 412) && (!isUnknown(error) || !(await isGone(asked))))
        throw refusalAt(error, { schemas, named: 'eventId' });
    }
    return deleted;
  };

  async function isGone(asked: Asked<DeleteEventArgs>): Promise<boolean> {
    try {
      return (await send(asked, getCall(asked.args, 'status'))).status === 'cancelled';
    } catch (error) {
      return isRefusal(error, 404, 410);
    }
  }
}
