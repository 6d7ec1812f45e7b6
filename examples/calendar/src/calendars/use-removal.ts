import { useApolloClient } from '@apollo/client/react';
import { failureOf } from '../api/failure.ts';
import { notify } from '../api/notices.ts';
import { deleteCalendar, setCalendarAccess } from '../api/operations.ts';
import { Refused } from '../api/refusal.ts';
import type { Calendar } from './calendar.ts';
import { nameOf } from './use-calendars.ts';

interface RemovalOptions {
  readonly calendar: Calendar;
  readonly ownAddress: string | undefined;
  readonly onClose: () => void;
  readonly onChanged: () => Promise<unknown>;
}

/** Removes a calendar: for everybody, or only for the caller. */
export function useRemoval({ calendar, ownAddress, onClose, onChanged }: RemovalOptions) {
  const client = useApolloClient();
  const { id: calendarId, etag: ifMatch } = calendar;
  const gone = (words: string): void => {
    notify('done', words);
    onClose();
    void onChanged().catch(() => undefined);
  };
  return {
    remove: async (): Promise<void> => {
      try {
        await client.mutate({ mutation: deleteCalendar, variables: { calendarId, ifMatch } });
      } catch (error) {
        const { conflict, missing } = failureOf(error, 'calendar');
        // Deleted before, though the answer to that did not come.
        if (missing) return gone(`“${nameOf(calendar)}” was deleted.`);
        if (!conflict) throw error;
        await onChanged();
        throw new Refused(
          'conflict',
          'Somebody else changed this calendar meanwhile, and it was not deleted. Look at it as it is now, or delete it all the same.',
        );
      }
      gone(`“${nameOf(calendar)}” was deleted.`);
    },
    leave: async (): Promise<void> => {
      await client.mutate({
        mutation: setCalendarAccess,
        variables: { calendarId, email: ownAddress ?? '', role: 'none' },
      });
      gone(`You have left “${nameOf(calendar)}”.`);
    },
  };
}
