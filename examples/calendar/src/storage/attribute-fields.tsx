import { messagesAt, type FieldErrors } from '../api/failure.ts';
import { FieldError, TextField } from '../ui/field.tsx';
import { Icon, IconButton } from '../ui/icon.tsx';

/** A custom attribute as a row of the form. */
export interface Attribute {
  /** Identifies the row while its name changes. */
  readonly key: string;
  readonly name: string;
  readonly value: string;
}

interface AttributeFieldsProps {
  readonly attributes: readonly Attribute[];
  readonly errors: FieldErrors;
  readonly onChange: (attributes: readonly Attribute[]) => void;
}

/** Creates an empty row. */
export const createAttribute = (): Attribute => ({ key: crypto.randomUUID(), name: '', value: '' });

/** Edits the custom attributes of a subscription, which its messages carry. */
export function AttributeFields({ attributes, errors, onChange }: AttributeFieldsProps) {
  const changeAttribute = (index: number, change: Partial<Attribute>): void =>
    onChange(attributes.map((row, rowIndex) => (rowIndex === index ? { ...row, ...change } : row)));
  return (
    <fieldset>
      <legend>Custom attributes</legend>
      {attributes.map(({ key, name, value }, index) => (
        <div className="row entry" key={key}>
          <TextField
            label={`Name ${index + 1}`}
            value={name}
            onChange={(newName) => changeAttribute(index, { name: newName })}
            error={messagesAt(errors, `custom_attributes.${name}`)}
          />
          <TextField
            label={`Value ${index + 1}`}
            value={value}
            onChange={(newValue) => changeAttribute(index, { value: newValue })}
          />
          <IconButton
            icon="trash"
            label={`Remove attribute ${index + 1}`}
            onClick={() => onChange(attributes.toSpliced(index, 1))}
          />
        </div>
      ))}
      <FieldError error={messagesAt(errors, 'custom_attributes')} />
      <button type="button" className="link" onClick={() => onChange([...attributes, createAttribute()])}>
        <Icon name="plus" />
        Add an attribute
      </button>
    </fieldset>
  );
}
