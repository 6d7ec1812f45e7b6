import { useId, useLayoutEffect, useRef, useState, type ReactNode, type Ref } from 'react';
import { Button, IconButton } from './button.tsx';
import { Problem } from './form-problem.tsx';
import { SavingStatus } from './saving-status.tsx';

interface DialogProps {
  readonly title: string;
  readonly isNarrow?: boolean;
  /** Whether closing would lose input. The dialog then asks first. */
  readonly hasInput?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * The browser's modal dialog: it traps the focus, closes by Escape or a click outside, and returns the focus.
 * While a request of its form is pending (`aria-busy`), it stays open, so that it can show an error.
 */
export function Dialog({ title, isNarrow, hasInput, onClose, children }: DialogProps) {
  /** Key of the open discard dialog. A new key opens it again, because a single Escape may close both dialogs. */
  const [discardDialogKey, setDiscardDialogKey] = useState<number>();
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  // A layout effect closes the dialog before it is removed: removal alone would not return the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser would focus the Close button. A second Enter must not delete anything.
    const firstControl = [
      'form :is(input, select, textarea)',
      'footer .primary:not(.bad, :disabled)',
      'footer button:not(.danger)',
    ].flatMap((selector) => element?.querySelector<HTMLElement>(selector) ?? [])[0];
    firstControl?.focus();
    return () => element?.close();
  }, []);
  const requestClose = (): void => {
    const isBusy = dialog.current?.querySelector('[aria-busy=true]');
    if (!isBusy && !hasInput) return onClose();
    // Browsers close a dialog at the second Escape in a row, even if its cancel event was prevented.
    if (dialog.current?.open === false) dialog.current.showModal();
    if (!isBusy) setDiscardDialogKey(performance.now());
  };
  return (
    <dialog
      ref={dialog}
      closedby="any"
      aria-labelledby={headingId}
      className={isNarrow ? 'narrow' : undefined}
      onCancel={(event) => {
        // In React, cancel events of inner dialogs and file inputs bubble.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        requestClose();
      }}
      onClose={({ target, currentTarget: { open, isConnected } }) => {
        if (target === dialog.current && !open && isConnected) requestClose();
      }}
    >
      <header>
        <h2 id={headingId}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={requestClose} />
      </header>
      {children}
      {discardDialogKey !== undefined && (
        <FormDialog
          key={discardDialogKey}
          title="Discard your changes?"
          isNarrow
          submitLabel="Discard"
          cancelLabel="Keep editing"
          isDanger
          onSubmit={onClose}
          onClose={() => setDiscardDialogKey(undefined)}
        >
          <p>Your changes have not been saved.</p>
        </FormDialog>
      )}
    </dialog>
  );
}

interface FormDialogProps extends DialogProps {
  readonly submitLabel: string;
  readonly cancelLabel?: string;
  /** Whether the action deletes or discards something. */
  readonly isDanger?: boolean;
  readonly isBusy?: boolean;
  readonly isSubmittable?: boolean;
  /** Error about the whole form. */
  readonly problem?: string | undefined;
  /** Whether the form's input survives a reload. */
  readonly keepsInput?: boolean;
  /** Button at the start of the footer. */
  readonly otherAction?: ReactNode;
  readonly formRef?: Ref<HTMLFormElement>;
  readonly onSubmit: () => void;
}

/** A dialog with a form, and with buttons that cancel and submit it. Cancel asks before input is lost. */
export function FormDialog(props: FormDialogProps) {
  const { submitLabel, cancelLabel = 'Cancel', isDanger, isBusy = false, isSubmittable = true } = props;
  const { problem, keepsInput, otherAction, formRef, onSubmit, children, ...dialogProps } = props;
  return (
    <Dialog {...dialogProps}>
      <form
        ref={formRef}
        noValidate
        aria-busy={isBusy}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <Problem text={problem} keepsInput={keepsInput} />
        {children}
        <footer>
          {otherAction}
          <SavingStatus isBusy={isBusy} />
          <Button
            disabled={isBusy}
            onClick={({ currentTarget }) => currentTarget.closest('dialog')?.requestClose()}
          >
            {cancelLabel}
          </Button>
          <Button
            type="submit"
            className={isDanger ? 'primary bad' : 'primary'}
            disabled={isBusy || !isSubmittable}
          >
            {submitLabel}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
