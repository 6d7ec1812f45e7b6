import { useState, type ReactNode } from 'react';
import { messageOf } from '../api/failure.ts';
import { FormDialog } from '../ui/dialog.tsx';

interface ConfirmationDialogProps {
  readonly title: string;
  readonly submitLabel: string;
  /** Runs after confirmation. The dialog stays open and shows the error if it fails. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmationDialog({ onConfirm, children, ...dialogProps }: ConfirmationDialogProps) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const confirm = (): void => {
    setIsBusy(true);
    void onConfirm()
      .catch((error: unknown) => setProblem(messageOf(error)))
      .finally(() => setIsBusy(false));
  };
  return (
    <FormDialog {...{ ...dialogProps, problem, isBusy }} isNarrow isDanger onSubmit={confirm}>
      <p>{children}</p>
    </FormDialog>
  );
}
