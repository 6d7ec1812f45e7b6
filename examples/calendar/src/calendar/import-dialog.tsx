import { useApolloClient } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { messageOf } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { importCalendarMutation } from '../api/operations.ts';
import type { Calendar } from '../calendars/calendar.ts';
import { nameOf } from '../calendars/use-calendars.ts';
import type { DemoImportCalendarMutation } from '../gql/graphql.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';

/** An iCalendar file that was chosen or dropped. */
export interface ImportedFile {
  readonly name: string;
  readonly text: string;
}

interface ImportDialogProps {
  readonly file: ImportedFile;
  /** Calendars that the caller may change. */
  readonly calendars: readonly Calendar[];
  readonly onImported: (calendarId: string) => Promise<void>;
  readonly onClose: () => void;
}

type ImportResult = NonNullable<DemoImportCalendarMutation['importCalendar']>;

/** Maximum number of refused events in the list. */
const maxNamedEvents = 5;

/** Shows what an import of a file would do, and imports it. */
export function ImportDialog({ file, calendars, onImported, onClose }: ImportDialogProps) {
  const client = useApolloClient();
  const [calendarId, setCalendarId] = useState(calendars[0]?.id ?? '');
  const [preview, setPreview] = useState<ImportResult>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(true);
  const sendImport = async (validateOnly: boolean): Promise<ImportResult | undefined> => {
    const { data } = await client.mutate({
      mutation: importCalendarMutation,
      variables: { calendarId, icalendar: file.text, validateOnly },
      fetchPolicy: 'no-cache',
    });
    return data?.importCalendar ?? undefined;
  };
  useEffect(() => {
    let isCurrent = true;
    setIsBusy(true);
    void sendImport(/* validateOnly */ true)
      .then(
        (result) => isCurrent && [setPreview(result), setProblem(undefined)],
        (error: unknown) => isCurrent && [setPreview(undefined), setProblem(messageOf(error))],
      )
      .finally(() => isCurrent && setIsBusy(false));
    return () => void (isCurrent = false);
  }, [calendarId, file.text]);
  const submit = (): void => {
    setIsBusy(true);
    sendImport(/* validateOnly */ false)
      .then(async (result) => {
        await onImported(calendarId);
        showNotice('done', `“${file.name}” was imported: ${formatCounts(result)}.`);
        onClose();
      })
      .catch((error: unknown) => setProblem(messageOf(error)))
      .finally(() => setIsBusy(false));
  };
  const refusedEvents = preview?.refused ?? [];
  return (
    <FormDialog
      title={`Import “${file.name}”`}
      isNarrow
      submitLabel="Import"
      isSubmittable={preview !== undefined && preview.created + preview.updated > 0}
      problem={problem}
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField
        label="Calendar"
        options={calendars.map((calendar) => [calendar.id, nameOf(calendar)])}
        value={calendarId}
        onChange={setCalendarId}
      />
      <p aria-live="polite">{preview && `Events: ${formatCounts(preview)}.`}</p>
      {refusedEvents.length > 0 && (
        <ul>
          {refusedEvents.slice(0, maxNamedEvents).map(({ uid, index, issues }) => (
            <li key={index}>
              {uid ?? `Component ${index + 1}`}: {issues.map(({ message }) => message).join(' ')}
            </li>
          ))}
          {refusedEvents.length > maxNamedEvents && <li>{refusedEvents.length - maxNamedEvents} more</li>}
        </ul>
      )}
    </FormDialog>
  );
}

const formatCounts = (result: ImportResult | undefined): string =>
  (
    [
      ['new', result?.created],
      ['changed', result?.updated],
      ['unchanged', result?.unchanged],
      ['not possible', result?.refused.length],
    ] as const
  )
    .filter(([, count = 0]) => count > 0)
    .map(([label, count]) => `${count} ${label}`)
    .join(', ') || 'none';
