import { useId, type ComponentProps, type ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** Properties that connect a control with its label, hint and error. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly hideLabel?: boolean;
  readonly children: (control: ControlProps) => ReactNode;
}

/** A control with its label, hint and error. */
export function Field({ label, hint, error, hideLabel, children }: FieldProps) {
  const id = useId();
  const descriptionIds =
    [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  return (
    <div className="field">
      <label htmlFor={id} className={hideLabel ? 'hidden' : undefined}>
        {label}
      </label>
      {children({ id, 'aria-invalid': error ? true : undefined, 'aria-describedby': descriptionIds })}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`} error={error} />
    </div>
  );
}

interface FieldErrorProps extends Pick<ComponentProps<'p'>, 'id' | 'role'> {
  readonly error: string | undefined;
}

/** Shows an error below a control or a group of controls; nothing without an error. */
export function FieldError({ error, ...attributes }: FieldErrorProps) {
  return error ? (
    <p className="error" {...attributes}>
      <Icon name="warning" />
      {error}
    </p>
  ) : null;
}

/** Properties of a control with a value that is typed or chosen. */
interface InputProps<Value extends string> extends Omit<FieldProps, 'children'> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

type TextFieldProps = InputProps<string> & Omit<ComponentProps<'input'>, keyof InputProps<string>>;

export function TextField({ label, hint, error, hideLabel, onChange, ...input }: TextFieldProps) {
  return (
    <Field {...{ label, hint, error, hideLabel }}>
      {(control) => (
        <input
          type="text"
          autoComplete="off"
          {...input}
          {...control}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

interface AreaFieldProps extends InputProps<string> {
  readonly rows?: number;
}

export function AreaField({ value, onChange, rows = 3, ...field }: AreaFieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea rows={rows} value={value} {...control} onChange={({ target }) => onChange(target.value)} />
      )}
    </Field>
  );
}

interface SelectFieldProps<Value extends string> extends InputProps<Value> {
  readonly options: readonly (readonly [value: Value, label: string])[];
}

/** A list of options to choose one from. */
export function SelectField<Value extends string>({
  value,
  options,
  onChange,
  ...field
}: SelectFieldProps<Value>) {
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} value={value} onChange={({ target }) => onChange(target.value as Value)}>
          {options.map(([option, label]) => (
            <option key={option} value={option}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckboxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  /** Id of the error of the group to which the box belongs; absent without an error. */
  readonly errorId?: string;
}

export function Checkbox({ label, checked, onChange, errorId }: CheckboxProps) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        aria-invalid={errorId ? true : undefined}
        aria-describedby={errorId}
      />
      {label}
    </label>
  );
}

/** Focuses the first invalid field, or else the message about the whole form. */
export function focusProblem(form: HTMLFormElement | null): void {
  (
    form?.querySelector<HTMLElement>('[aria-invalid]') ?? form?.querySelector<HTMLElement>('[role=alert]')
  )?.focus();
}
