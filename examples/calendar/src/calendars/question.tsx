import { useState, type FormEvent, type ReactNode } from 'react';
import { messageOf } from '../api/failure.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { Saving } from '../ui/saving.tsx';

interface QuestionProps {
  readonly title: string;
  readonly button: string;
  /** Action after confirmation. The question stays open and shows the error if it fails. */
  readonly action: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks for confirmation of an action that cannot be undone. */
export function Question({ title, button, action, onClose, children }: QuestionProps) {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setBusy(true);
    void action()
      .catch((error: unknown) => setProblem(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={title} narrow onClose={onClose}>
      <form onSubmit={submit} aria-busy={busy}>
        <Problem text={problem} />
        <p>{children}</p>
        <footer>
          <Saving busy={busy} />
          <button type="button" disabled={busy} onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary bad" disabled={busy}>
            {button}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
