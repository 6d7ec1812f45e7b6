import { sendsMail } from '../api/client.ts';
import { Checkbox } from '../ui/field.tsx';

interface NotifyFieldProps {
  readonly notifies: boolean;
  readonly onChange: (notifies: boolean) => void;
}

/** Asks whether a change is mailed to the guests. */
export const NotifyField = ({ notifies, onChange }: NotifyFieldProps) =>
  sendsMail ? (
    <Checkbox label="Notify guests by mail" checked={notifies} onChange={onChange} />
  ) : (
    <span className="quiet">Guests are not notified: this gateway sends no mail.</span>
  );
