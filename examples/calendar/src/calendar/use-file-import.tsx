import { useRef, useState, type DragEvent, type ReactNode } from 'react';
import { mayWrite } from '../calendars/calendar.ts';
import type { Calendars } from '../calendars/use-calendars.ts';
import { ImportDialog, type ImportedFile } from './import-dialog.tsx';

interface FileImport {
  /** Handlers of the element on which files are dropped. */
  readonly dropHandlers: {
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
  };
  /** Button that asks for a file. */
  readonly button: ReactNode;
  readonly dialog: ReactNode;
}

/** Imports iCalendar files that are dropped on the page or chosen. */
export function useFileImport(
  { calendars }: Pick<Calendars, 'calendars'>,
  onImported: (calendarId: string) => Promise<void>,
): FileImport {
  const [file, setFile] = useState<ImportedFile>();
  const fileInput = useRef<HTMLInputElement>(null);
  const readFile = (chosenFile: File | undefined): void => {
    if (chosenFile) void chosenFile.text().then((text) => setFile({ name: chosenFile.name, text }));
  };
  return {
    dropHandlers: {
      onDragOver: (event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      },
      onDrop: (event) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        readFile(event.dataTransfer.files[0]);
      },
    },
    button: (
      <>
        <button type="button" className="link" onClick={() => fileInput.current?.click()}>
          Import a file
        </button>
        <input
          ref={fileInput}
          type="file"
          accept=".ics,text/calendar"
          hidden
          aria-label="File to import"
          onChange={({ target }) => {
            readFile(target.files?.[0]);
            // Lets the user choose the same file again.
            target.value = '';
          }}
        />
      </>
    ),
    dialog: file && (
      <ImportDialog
        file={file}
        calendars={calendars.filter(mayWrite)}
        onImported={onImported}
        onClose={() => setFile(undefined)}
      />
    ),
  };
}
