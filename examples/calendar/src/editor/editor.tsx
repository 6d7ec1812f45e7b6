import { useEffect, useEffectEvent, useRef, type FormEvent } from 'react';
import { messagesAt } from '../api/failure.ts';
import { AreaField, Check, focusProblem, TextField } from '../ui/field.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { ConflictPanel } from './conflict-panel.tsx';
import type { Draft } from './draft.ts';
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

export function Editor({ editing, zone, onClose, onChanged }: EditorProps) {
  const form = useRef<HTMLFormElement>(null);
  const editor = useEditor({ editing, zone, onChanged, onDone: () => { onClose(); onChanged(); } });
  const { event, draft, errors, conflict, busy, tell } = editor;
  const compareFirst = useEffectEvent(() => void editor.compare());
  useEffect(() => {
    if (editing.conflict) compareFirst();
  }, [editing]);
  // Straight to the first field that has to be mended.
  useEffect(() => focusProblem(form.current), [errors]);

  const part = { draft, errors, onChange: (change: Partial<Draft>) => editor.setDraft({ ...draft, ...change }) };
  const count = Object.keys(errors).filter((path) => path !== '').length;
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    void editor.save();
  };
  return (
    <Dialog title={event ? 'Edit event' : 'New event'} onClose={onClose}>
      <form ref={form} onSubmit={submit} noValidate>
        {conflict && (
          <ConflictPanel conflict={conflict} mine={draft} busy={busy} onTheirs={() => editor.takeTheirs(conflict)} onMine={() => void editor.keepMine(conflict)} />
        )}
        {event?.recurringEventId && <p className="remark"><Icon name="repeat" />One of a series: what you change here is changed this time only.</p>}
        {Object.keys(errors).length > 0 && (
          <div className="summary" role="alert" tabIndex={-1}>
            <Icon name="warning" />
            <p>{errors[''] ?? (count === 1 ? 'Not saved: one field has to be mended.' : `Not saved: ${count} fields have to be mended.`)}{strays(errors)}</p>
          </div>
        )}
        <TextField label="Title" className="title" value={draft.summary} autoFocus onChange={(summary) => part.onChange({ summary })} error={messagesAt(errors, 'summary')} />
        <TimesFields {...part} isNew={!event} />
        <TextField label="Place" value={draft.location} onChange={(location) => part.onChange({ location })} error={messagesAt(errors, 'location')} />
        <GuestFields {...part} />
        <ReminderFields {...part} />
        <AreaField label="Description" value={draft.description} onChange={(description) => part.onChange({ description })} error={messagesAt(errors, 'description')} />
        <footer>
          {event && (
            <>
              <button type="button" className="danger" disabled={busy} onClick={() => void editor.remove(event.id, event.etag)}>
                <Icon name="trash" />{event.recurringEventId ? 'Delete this one' : 'Delete'}
              </button>
              {event.recurringEventId && (
                <button type="button" className="danger" disabled={busy} onClick={() => void editor.remove(event.recurringEventId ?? event.id)}>Delete the series</button>
              )}
            </>
          )}
          <span className="space" />
          {draft.guests.length > 0 && <Check label="Tell the guests" checked={tell} onChange={editor.setTell} />}
          <button type="submit" className="primary" disabled={busy || conflict !== undefined}>{event ? 'Save' : 'Create'}</button>
        </footer>
      </form>
    </Dialog>
  );
}

const withField = /^(|summary|location|description|(start|end)(\.(date|dateTime|timeZone))?|recurrence(\.0)?|attendees(\.\d+(\.email)?)?|reminders(\.(overrides|useDefault)(\.\d+(\.(method|minutes))?)?)?)$/;

/** What the gateway says of a field that this form does not have. */
const strays = (errors: Readonly<Record<string, string>>): string =>
  Object.entries(errors).flatMap(([path, message]) => (withField.test(path) ? [] : ` ${path}: ${message}`)).join('');
