import { useState, type FormEvent, type ReactNode } from 'react';
import { messageOf } from '../api/failure.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/form-problem.tsx';
import { SavingStatus } from '../ui/saving-status.tsx';

interface ConfirmationDialogProps {
  readonly title: string;
  readonly confirmLabel: string;
  /** Runs after confirmation. The dialog stays open and shows the error if it fails. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmationDialog({
  title,
  confirmLabel,
  onConfirm,
  onClose,
  children,
}: ConfirmationDialogProps) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setIsBusy(true);
    void onConfirm()
      .catch((error: unknown) => setProblem(messageOf(error)))
      .finally(() => setIsBusy(false));
  };
  return (
    <Dialog title={title} isNarrow onClose={onClose}>
      <form onSubmit={submit} aria-busy={isBusy}>
        <Problem text={problem} />
        <p>{children}</p>
        <footer>
          <SavingStatus isBusy={isBusy} />
          <button type="button" disabled={isBusy} onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary bad" disabled={isBusy}>
            {confirmLabel}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
