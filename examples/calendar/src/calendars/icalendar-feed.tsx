import { useApolloClient, useQuery } from '@apollo/client/react';
import { useId, useState } from 'react';
import { messageOf } from '../api/failure.ts';
import { calendarFeedQuery, resetCalendarFeedMutation } from '../api/operations.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem } from '../ui/form-problem.tsx';
import type { Calendar } from './calendar.ts';
import { ConfirmationDialog } from './confirmation-dialog.tsx';

/** Address at which other calendar programs subscribe to a calendar. Owners create it, copy it and replace it. */
export function FeedAddress({ calendar: { id: calendarId } }: { readonly calendar: Calendar }) {
  const client = useApolloClient();
  const headingId = useId();
  const { data } = useQuery(calendarFeedQuery, {
    variables: { calendarId },
    fetchPolicy: 'cache-and-network',
  });
  const [problem, setProblem] = useState<string>();
  const [isCopied, setIsCopied] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const address = data?.calendar?.feedUrl;
  const resetAddress = async (): Promise<void> => {
    await client.mutate({ mutation: resetCalendarFeedMutation, variables: { calendarId } });
    setIsCopied(false);
    setIsConfirming(false);
  };
  const createAddress = (): void => {
    setProblem(undefined);
    resetAddress().catch((error: unknown) => setProblem(messageOf(error)));
  };
  const copyAddress = (): void => {
    setProblem(undefined);
    navigator.clipboard
      .writeText(address ?? '')
      .then(() => setIsCopied(true))
      .catch(() => setProblem('The browser does not allow copying. Select the address and copy it.'));
  };
  return (
    <section className="panel sharing feed" aria-labelledby={headingId}>
      <h3 id={headingId}>Other calendar programs</h3>
      <Problem text={problem} />
      {address ? (
        <>
          <TextField
            label="Secret address (iCalendar)"
            hint="Anybody with this address can read the calendar, private events included."
            value={address}
            readOnly
            onChange={() => undefined}
            onFocus={(event) => event.currentTarget.select()}
          />
          <div className="actions">
            <Button onClick={copyAddress}>{isCopied ? 'Copied' : 'Copy address'}</Button>
            <Button className="danger" onClick={() => setIsConfirming(true)}>
              Reset address
            </Button>
          </div>
        </>
      ) : (
        <div className="actions">
          <Button onClick={createAddress}>Create address</Button>
          <p className="quiet">Subscribe to this calendar in Thunderbird, Outlook or a phone.</p>
        </div>
      )}
      {isConfirming && (
        <ConfirmationDialog
          title="Reset the address?"
          submitLabel="Reset"
          onConfirm={resetAddress}
          onClose={() => setIsConfirming(false)}
        >
          Programs that use the current address can no longer read the calendar. They need the new one.
        </ConfirmationDialog>
      )}
    </section>
  );
}
