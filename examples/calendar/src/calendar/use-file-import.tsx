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
  const input = useRef<HTMLInputElement>(null);
  const read = (chosen: File | undefined): void => {
    if (chosen) void chosen.text().then((text) => setFile({ name: chosen.name, text }));
  };
  return {
    dropHandlers: {
      onDragOver: (event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      },
      onDrop: (event) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        read(event.dataTransfer.files[0]);
      },
    },
    button: (
      <>
        <button type="button" className="link" onClick={() => input.current?.click()}>
          Import a file
        </button>
        <input
          ref={input}
          type="file"
          accept=".ics,text/calendar"
          hidden
          aria-label="File to import"
          onChange={({ target }) => {
            read(target.files?.[0]);
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
