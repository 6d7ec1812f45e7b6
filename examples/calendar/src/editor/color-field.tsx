import type { CSSProperties } from 'react';
import { nameColor } from '../calendars/colors.ts';
import { SelectField } from '../ui/field.tsx';
import { bindFields } from '../ui/use-form.ts';
import { eventColors } from './event-colors.ts';
import type { SectionProps } from './section-props.ts';

interface ColorFieldProps extends SectionProps {
  readonly calendarColor: string | undefined;
}

/** Chooses the colour of the event by name; the default is that of its calendar. */
export function ColorField({ draft, errors, onChange, calendarColor }: ColorFieldProps) {
  const color = eventColors[draft.colorId]?.[0] ?? calendarColor;
  const defaultLabel = `Calendar’s colour${calendarColor ? ` (${nameColor(calendarColor)})` : ''}`;
  return (
    <div className="color-field" style={{ '--calendar': color } as CSSProperties}>
      <SelectField
        label="Colour"
        options={[
          ['', defaultLabel] as const,
          ...Object.entries(eventColors).map(([id, [, name]]) => [id, name] as const),
        ]}
        {...bindFields(draft, errors, onChange)('colorId')}
      />
    </div>
  );
}
