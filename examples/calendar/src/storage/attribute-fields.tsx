import { messagesAt, type FieldErrors } from '../api/failure.ts';
import { bindFields } from '../ui/use-form.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { FieldError, TextField } from '../ui/field.tsx';

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
  return (
    <fieldset>
      <legend>Custom attributes</legend>
      {attributes.map((attribute, index) => {
        const field = bindFields(attribute, errors, (change) =>
          onChange(attributes.with(index, { ...attribute, ...change })),
        );
        return (
          <div className="row entry" key={attribute.key}>
            <TextField
              label={`Name ${index + 1}`}
              {...field('name', `custom_attributes.${attribute.name}`)}
            />
            <TextField label={`Value ${index + 1}`} {...field('value')} />
            <IconButton
              icon="trash"
              label={`Remove attribute ${index + 1}`}
              onClick={() => onChange(attributes.toSpliced(index, 1))}
            />
          </div>
        );
      })}
      <FieldError error={messagesAt(errors, 'custom_attributes')} />
      <Button className="link" onClick={() => onChange([...attributes, createAttribute()])} icon="plus">
        Add an attribute
      </Button>
    </fieldset>
  );
}
