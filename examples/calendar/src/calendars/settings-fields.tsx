import { useId } from 'react';
import { messagesAt, type FieldErrors } from '../api/failure.ts';
import type { CalendarInput } from '../gql/graphql.ts';
import { AreaField, FieldError, TextField } from '../ui/field.tsx';
import type { Calendar } from './calendar.ts';
import { palette } from './colors.ts';

/** The settings of a calendar as a form holds them. */
export interface Settings {
  readonly summary: string;
  readonly description: string;
  readonly timeZone: string;
  /** '' leaves it to the page. */
  readonly backgroundColor: string;
}

export const settingsOf = ({ summary, description, timeZone, backgroundColor, id }: Calendar): Settings =>
  // Without a title of its own a calendar is called by its identifier.
  ({
    summary: summary === id ? '' : (summary ?? ''),
    description: description ?? '',
    timeZone,
    backgroundColor: backgroundColor ?? '',
  });

const names = ['summary', 'description', 'timeZone', 'backgroundColor'] as const;

/** Creates the input with the changed settings only. */
export const inputOf = (settings: Settings, before: Settings): CalendarInput =>
  Object.fromEntries(
    names.flatMap((name) => (settings[name] === before[name] ? [] : [[name, settings[name] || null]])),
  );

/** Theirs, with what was changed here. */
export const rebased = (before: Settings, mine: Settings, theirs: Settings): Settings => ({
  ...theirs,
  ...Object.fromEntries(names.flatMap((name) => (mine[name] === before[name] ? [] : [[name, mine[name]]]))),
});

interface FieldsProps {
  readonly settings: Settings;
  readonly errors: FieldErrors;
  readonly titleHint?: string;
  readonly onChange: (settings: Settings) => void;
}

export function SettingsFields({ settings, errors, titleHint, onChange }: FieldsProps) {
  const zones = useId();
  const put = (change: Partial<Settings>): void => onChange({ ...settings, ...change });
  return (
    <>
      <TextField
        label="Title"
        className="title"
        placeholder={titleHint}
        value={settings.summary}
        onChange={(summary) => put({ summary })}
        error={messagesAt(errors, 'summary')}
      />
      <AreaField
        label="Description"
        rows={2}
        value={settings.description}
        onChange={(description) => put({ description })}
        error={messagesAt(errors, 'description')}
      />
      <TextField
        label="Time zone"
        list={zones}
        value={settings.timeZone}
        onChange={(timeZone) => put({ timeZone })}
        error={messagesAt(errors, 'timeZone')}
      />
      <datalist id={zones}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <ColorField
        value={settings.backgroundColor}
        onChange={(backgroundColor) => put({ backgroundColor })}
        error={messagesAt(errors, 'backgroundColor')}
      />
    </>
  );
}

interface ColorProps {
  readonly value: string;
  readonly onChange: (color: string) => void;
  readonly error: string | undefined;
}

function ColorField({ value, onChange, error }: ColorProps) {
  const group = useId();
  const other: typeof palette =
    value === '' || palette.some(([color]) => color === value) ? [] : [[value, 'Another colour']];
  return (
    <fieldset>
      <legend>Colour</legend>
      <div className="colors">
        {[...palette, ...other].map(([color, name]) => (
          <input
            key={color}
            type="radio"
            name={group}
            aria-label={name}
            title={name}
            checked={value === color}
            onChange={() => onChange(color)}
            style={{ '--calendar': color } as object}
          />
        ))}
      </div>
      <FieldError error={error} />
    </fieldset>
  );
}
