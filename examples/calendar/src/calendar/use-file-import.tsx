import { useRef, useState, type DragEvent } from 'react';
import { mayWrite } from '../calendars/calendar.ts';
import type { Calendars } from '../calendars/use-calendars.ts';
import { Button } from '../ui/button.tsx';
import { ImportDialog, type ImportedFile } from './import-dialog.tsx';

/** Imports iCalendar files that are dropped on the element with the handlers, or chosen by the button. */
export function useFileImport(
  { calendars }: Pick<Calendars, 'calendars'>,
  onImported: (calendarId: string) => Promise<void>,
) {
  const [file, setFile] = useState<ImportedFile>();
  const fileInput = useRef<HTMLInputElement>(null);
  const readFile = (chosenFile: File | undefined): void => {
    if (chosenFile) void chosenFile.text().then((text) => setFile({ name: chosenFile.name, text }));
  };
  return {
    dropHandlers: {
      onDragOver: (event: DragEvent) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      },
      onDrop: (event: DragEvent) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        readFile(event.dataTransfer.files[0]);
      },
    },
    button: (
      <>
        <Button className="link" onClick={() => fileInput.current?.click()}>
          Import a file
        </Button>
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
