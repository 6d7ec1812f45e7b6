import { useEffect, useEffectEvent } from 'react';
import type { CalendarEvent, Times } from '../calendar/event-times.ts';
import { mayWrite } from '../calendars/calendar.ts';
import { nameOf, useCalendars } from '../calendars/use-calendars.ts';
import { Button } from '../ui/button.tsx';
import { AreaField, SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { bindFields } from '../ui/use-form.ts';
import { ResponseField } from './response-field.tsx';
import { ColorField } from './color-field.tsx';
import { ConflictPanel } from './conflict-panel.tsx';
import type { Draft } from './draft.ts';
import { GuestFields } from './guest-fields.tsx';
import { NotifyField } from './notify-field.tsx';
import { ReminderFields } from './reminder-fields.tsx';
import { RepeatFields } from './repeat-fields.tsx';
import { TimesFields } from './times-fields.tsx';
import { useEditor, type Editing } from './use-editor.ts';
import { useSeriesRule } from './use-series-rule.ts';

interface EditorProps {
  readonly editing: Editing;
  readonly zone: string;
  /** Addresses to suggest for guests. */
  readonly knownGuests: readonly string[];
  /** The event as the page has it by now; undefined if it is new or not loaded. */
  readonly currentEvent: CalendarEvent | undefined;
  /** `savedTimes`: times that were stored before the form closes. */
  readonly onClose: (savedTimes?: Times) => void;
  /** Called with the calendar of each stored change. */
  readonly onChanged: (calendarId: string) => Promise<void>;
}

/** The dialog in which an event is created or edited. */
export function Editor({ editing, zone, knownGuests, currentEvent, onClose, onChanged }: EditorProps) {
  const { calendars, colorOf } = useCalendars();
  const writableCalendars = calendars.filter(mayWrite);
  const calendarId =
    editing.event || writableCalendars.some(({ id }) => id === editing.calendarId)
      ? editing.calendarId
      : (writableCalendars[0]?.id ?? editing.calendarId);
  const editor = useEditor({
    editing: { ...editing, calendarId },
    zone,
    onChanged,
    onDone: onClose,
  });
  const { event, draft, errors, conflict, isBusy } = editor;
  const calendar = calendars.find(({ id }) => id === editor.calendarId);
  const seriesRule = useSeriesRule(event, zone);
  const compareVersions = useEffectEvent(() => void editor.compare());
  // The form opens with a move that conflicts with another person's change.
  useEffect(() => {
    if (editing.startsInConflict) compareVersions();
  }, [editing]);

  const sectionProps = {
    draft,
    errors,
    onChange: (change: Partial<Draft>) => editor.setDraft({ ...draft, ...change }),
  };
  const field = bindFields(draft, errors, sectionProps.onChange);
  return (
    <>
      <FormDialog
        title={event ? 'Edit event' : 'New event'}
        submitLabel={event ? 'Save' : 'Create'}
        hasInput={editor.isChanged}
        isBusy={isBusy}
        isSubmittable={!conflict}
        problem={summarizeErrors(errors)}
        keepsInput
        formRef={editor.form}
        otherAction={
          event && (
            <Button className="danger" disabled={isBusy} onClick={() => void editor.remove()} icon="trash">
              Delete
            </Button>
          )
        }
        onSubmit={() => void editor.save()}
        onClose={() => onClose()}
      >
        {conflict && (
          <ConflictPanel
            conflict={conflict}
            mine={draft}
            isBusy={isBusy}
            onTakeTheirs={() => editor.takeTheirs(conflict)}
            onKeepMine={() => void editor.keepMine(conflict)}
          />
        )}
        {event && (
          <div role="status">
            {currentEvent && currentEvent.etag !== event.etag && !conflict && !isBusy && (
              <p className="remark">
                This event was changed elsewhere meanwhile. If that concerns your changes, you can compare
                both when you save.
              </p>
            )}
          </div>
        )}
        {editing.isRestored && Object.keys(errors).length === 0 && (
          <p className="hint">These are your unsaved changes from before the page was opened again.</p>
        )}
        {event && (
          <ResponseField
            event={event}
            isBusy={isBusy}
            onRespond={(response) => void editor.respond(response)}
          />
        )}
        <TextField label="Title" className="title" {...field('summary')} />
        <TimesFields {...sectionProps} zone={zone} />
        <RepeatFields
          {...sectionProps}
          isInstance={Boolean(event?.recurringEventId)}
          series={seriesRule}
          mayChange={event?.organizer?.self !== false}
        />
        <TextField label="Place" {...field('location')} />
        {!event && writableCalendars.length > 1 && (
          <SelectField
            label="Calendar"
            options={writableCalendars.map((calendar) => [calendar.id, nameOf(calendar)])}
            value={editor.calendarId}
            onChange={editor.setCalendarId}
          />
        )}
        <ColorField {...sectionProps} calendarColor={calendar && colorOf(calendar)} />
        <GuestFields {...sectionProps} event={event} zone={zone} suggestions={knownGuests} />
        {draft.guests.length > 0 && (
          <NotifyField notifiesGuests={editor.notifiesGuests} onChange={editor.setNotifiesGuests} />
        )}
        <ReminderFields {...sectionProps} />
        <AreaField label="Description" {...field('description')} />
      </FormDialog>
      {editor.scopeDialog}
    </>
  );
}

/** Paths of the errors that a field of the form shows. */
const fieldPaths =
  /^(|summary|location|description|colorId|(start|end)(\.(date|time|dateTime|timeZone))?|recurrence(\.(0|days|interval|until|count))?|attendees(\.[\w-]+(\.email)?)?|reminders(\.(overrides|useDefault)(\.[\w-]+(\.(method|minutes))?)?)?)$/;

/** Summarizes errors, and includes those of fields that this form does not have. */
function summarizeErrors(errors: Readonly<Record<string, string>>): string | undefined {
  const paths = Object.keys(errors);
  if (paths.length === 0) return undefined;
  const fieldCount = paths.filter((path) => path !== '').length;
  const otherMessages = paths
    .filter((path) => !fieldPaths.test(path))
    .map((path) => ` ${path}: ${errors[path]}`);
  return (
    (errors[''] ??
      (fieldCount === 1 ? 'Not saved. Please fix 1 field.' : `Not saved. Please fix ${fieldCount} fields.`)) +
    otherMessages.join('')
  );
}
