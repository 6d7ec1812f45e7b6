import { useApolloClient } from '@apollo/client/react';
import { failureOf } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { deleteCalendarMutation, setCalendarAccessMutation } from '../api/operations.ts';
import { RefusalError } from '../api/refusal.ts';
import type { Calendar } from './calendar.ts';
import { nameOf } from './use-calendars.ts';

interface RemovalOptions {
  readonly calendar: Calendar;
  readonly ownAddress: string | undefined;
  readonly onClose: () => void;
  readonly onChanged: () => Promise<unknown>;
}

/** Deletes a calendar for everybody, or removes the caller's access to it. */
export function useRemoval({ calendar, ownAddress, onClose, onChanged }: RemovalOptions) {
  const client = useApolloClient();
  const { id: calendarId, etag: ifMatch } = calendar;
  const finish = (message: string): void => {
    showNotice('done', message);
    onClose();
    void onChanged().catch(() => undefined);
  };
  return {
    remove: async (): Promise<void> => {
      try {
        await client.mutate({ mutation: deleteCalendarMutation, variables: { calendarId, ifMatch } });
      } catch (error) {
        const { isConflict, isMissing } = failureOf(error, 'calendar');
        // An earlier attempt deleted the calendar, but its response was lost.
        if (isMissing) return finish(`“${nameOf(calendar)}” was deleted.`);
        if (!isConflict) throw error;
        await onChanged();
        throw new RefusalError(
          'conflict',
          'Not deleted: somebody else changed this calendar meanwhile. Please check it, then delete it if you still want to.',
        );
      }
      finish(`“${nameOf(calendar)}” was deleted.`);
    },
    leave: async (): Promise<void> => {
      await client.mutate({
        mutation: setCalendarAccessMutation,
        variables: { calendarId, email: ownAddress ?? '', role: 'none' },
      });
      finish(`You have left “${nameOf(calendar)}”.`);
    },
  };
}
