import { useEffect, useEffectEvent, useRef, type FormEvent } from 'react';
import { messagesAt } from '../api/failure.ts';
import { mayWrite } from '../calendars/calendar.ts';
import { nameOf, useCalendars } from '../calendars/use-calendars.ts';
import { AreaField, Check, focusProblem, SelectField, TextField } from '../ui/field.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { Saving } from '../ui/saving.tsx';
import { AnswerField } from './answer-field.tsx';
import { ConflictPanel } from './conflict-panel.tsx';
import type { Draft, Repeats } from './draft.ts';
import { GuestFields } from './guest-fields.tsx';
import { ReminderFields } from './reminder-fields.tsx';
import { TimesFields } from './times-fields.tsx';
import { useEditor, type Editing } from './use-editor.ts';

interface EditorProps {
  readonly editing: Editing;
  readonly zone: string;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** The form of an event. */
export function Editor({ editing, zone, onClose, onChanged }: EditorProps) {
  const form = useRef<HTMLFormElement>(null);
  const writable = useCalendars().calendars.filter(mayWrite);
  const calendarId =
    editing.event || writable.some(({ id }) => id === editing.calendarId)
      ? editing.calendarId
      : (writable[0]?.id ?? editing.calendarId);
  const editor = useEditor({
    editing: { ...editing, calendarId },
    zone,
    onChanged,
    onDone: () => {
      onClose();
      onChanged();
    },
  });
  const { event, draft, errors, conflict, busy } = editor;
  const compareFirst = useEffectEvent(() => void editor.compare());
  useEffect(() => {
    if (editing.conflict) compareFirst();
  }, [editing]);
  // Straight to the first field that has to be mended.
  useEffect(() => focusProblem(form.current), [errors]);

  const part = {
    draft,
    errors,
    onChange: (change: Partial<Draft>) => editor.setDraft({ ...draft, ...change }),
  };
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    void editor.save();
  };
  return (
    <>
      <Dialog title={event ? 'Edit event' : 'New event'} onClose={onClose}>
        <form ref={form} onSubmit={submit} aria-busy={busy} noValidate>
          {conflict && (
            <ConflictPanel
              conflict={conflict}
              mine={draft}
              busy={busy}
              onTheirs={() => editor.takeTheirs(conflict)}
              onMine={() => void editor.keepMine(conflict)}
            />
          )}
          <Problem text={problemIn(errors)} />
          {event && (
            <AnswerField event={event} busy={busy} onAnswer={(answer) => void editor.answer(answer)} />
          )}
          <TextField
            label="Title"
            className="title"
            value={draft.summary}
            onChange={(summary) => part.onChange({ summary })}
            error={messagesAt(errors, 'summary')}
          />
          <TimesFields {...part} repeats={repeatsOf(event?.recurringEventId, event?.organizer?.self)} />
          <TextField
            label="Place"
            value={draft.location}
            onChange={(location) => part.onChange({ location })}
            error={messagesAt(errors, 'location')}
          />
          {!event && writable.length > 1 && (
            <SelectField
              label="Calendar"
              options={writable.map((one) => [one.id, nameOf(one)])}
              value={editor.calendarId}
              onChange={editor.setCalendarId}
              error={undefined}
            />
          )}
          <GuestFields {...part} />
          <ReminderFields {...part} />
          <AreaField
            label="Description"
            value={draft.description}
            onChange={(description) => part.onChange({ description })}
            error={messagesAt(errors, 'description')}
          />
          <footer>
            {event && (
              <button type="button" className="danger" disabled={busy} onClick={() => void editor.remove()}>
                <Icon name="trash" />
                Delete
              </button>
            )}
            <Saving busy={busy} />
            {draft.guests.length > 0 && (
              <Check label="Tell the guests" checked={editor.tell} onChange={editor.setTell} />
            )}
            <button type="submit" className="primary" disabled={busy || conflict !== undefined}>
              {event ? 'Save' : 'Create'}
            </button>
          </footer>
        </form>
      </Dialog>
      {editor.scopeDialog}
    </>
  );
}

/** Choices of the rule: an instance keeps its series' rule unless another is chosen; a guest does not choose. */
function repeatsOf(
  seriesId: string | null | undefined,
  isOrganizer: boolean | null | undefined,
): readonly Repeats[] {
  if (isOrganizer === false) return [];
  return seriesId ? ['asNow', 'DAILY', 'WEEKLY', ''] : ['', 'DAILY', 'WEEKLY'];
}

const withField =
  /^(|summary|location|description|(start|end)(\.(date|time|dateTime|timeZone))?|recurrence(\.0)?|attendees(\.\d+(\.email)?)?|reminders(\.(overrides|useDefault)(\.\d+(\.(method|minutes))?)?)?)$/;

/** Messages about the whole event, and about fields that this form does not have. */
function problemIn(errors: Readonly<Record<string, string>>): string | undefined {
  const paths = Object.keys(errors);
  if (paths.length === 0) return undefined;
  const count = paths.filter((path) => path !== '').length;
  const strays = paths.filter((path) => !withField.test(path)).map((path) => ` ${path}: ${errors[path]}`);
  return (
    (errors[''] ??
      (count === 1
        ? 'Not saved: one field has to be mended.'
        : `Not saved: ${count} fields have to be mended.`)) + strays.join('')
  );
}
