import { useId } from 'react';
import type { FieldErrors } from '../api/failure.ts';
import type { CalendarInput } from '../gql/graphql.ts';
import { AreaField, FieldError, TextField } from '../ui/field.tsx';
import { bindFields } from '../ui/use-form.ts';
import type { Calendar } from './calendar.ts';
import { palette } from './colors.ts';

const settingNames = ['summary', 'description', 'timeZone', 'backgroundColor'] as const;

/** Settings of a calendar as form values; '' is an absent value, or lets the page choose the colour. */
export type Settings = Readonly<Record<(typeof settingNames)[number], string>>;

/** Converts a calendar to form values. */
export const settingsOf = ({ summary, description, timeZone, backgroundColor, id }: Calendar): Settings =>
  // A calendar without a title has its id as summary.
  ({
    summary: summary === id ? '' : (summary ?? ''),
    description: description ?? '',
    timeZone,
    backgroundColor: backgroundColor ?? '',
  });

/** Returns the changed settings as input of a patch. */
export const toPatchInput = (settings: Settings, before: Settings): CalendarInput =>
  Object.fromEntries(
    settingNames.flatMap((name) => (settings[name] === before[name] ? [] : [[name, settings[name] || null]])),
  );

/** Applies the caller's changes (`before` to `mine`) to another person's version. */
export const rebaseSettings = (before: Settings, mine: Settings, theirs: Settings): Settings => ({
  ...theirs,
  ...Object.fromEntries(
    settingNames.flatMap((name) => (mine[name] === before[name] ? [] : [[name, mine[name]]])),
  ),
});

interface SettingsFieldsProps {
  readonly settings: Settings;
  readonly errors: FieldErrors;
  /** Placeholder for an absent title. */
  readonly titleHint?: string;
  /** The colour that the page chose for a calendar without one. */
  readonly shownColor?: string;
  readonly onChange: (settings: Settings) => void;
}

/** Fields for the settings of a new or an existing calendar. */
export function SettingsFields({ settings, errors, titleHint, shownColor, onChange }: SettingsFieldsProps) {
  const zoneListId = useId();
  const field = bindFields(settings, errors, (change) => onChange({ ...settings, ...change }));
  const colorField = field('backgroundColor');
  return (
    <>
      <TextField label="Title" className="title" placeholder={titleHint} {...field('summary')} />
      <AreaField label="Description" rows={2} {...field('description')} />
      <TextField label="Time zone" list={zoneListId} {...field('timeZone')} />
      <datalist id={zoneListId}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <ColorField {...colorField} value={colorField.value || (shownColor ?? '')} />
    </>
  );
}

interface ColorFieldProps {
  readonly value: string;
  readonly onChange: (color: string) => void;
  readonly error: string | undefined;
}

function ColorField({ value, onChange, error }: ColorFieldProps) {
  const groupName = useId();
  const customColors: typeof palette =
    value === '' || palette.some(([color]) => color === value) ? [] : [[value, 'Current colour']];
  return (
    <fieldset>
      <legend>Colour</legend>
      <div className="colors">
        {[...palette, ...customColors].map(([color, name]) => (
          <input
            key={color}
            type="radio"
            name={groupName}
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
