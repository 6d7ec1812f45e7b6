import { sendsMail } from '../api/client.ts';
import { Checkbox } from '../ui/field.tsx';

interface NotifyFieldProps {
  readonly notifiesGuests: boolean;
  readonly onChange: (notifiesGuests: boolean) => void;
}

/** Asks whether a change is mailed to the guests. */
export const NotifyField = ({ notifiesGuests, onChange }: NotifyFieldProps) =>
  sendsMail ? (
    <Checkbox label="Notify guests by mail" checked={notifiesGuests} onChange={onChange} />
  ) : (
    <span className="quiet">Guests are not notified: this gateway sends no mail.</span>
  );
