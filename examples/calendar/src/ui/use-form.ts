import { useEffect, useRef, useState } from 'react';
import { failureOf, messagesAt, type Failure, type FieldErrors } from '../api/failure.ts';
import { createRequestIds } from '../api/request-ids.ts';
import { focusProblem } from './field.tsx';

const fieldAt = (input: unknown, path: string): unknown =>
  (input as Readonly<Record<string, unknown>>)[path.split('.')[0] ?? ''];

/**
 * Errors of a form. New ones focus the first field of the element `form` that has one, and each goes away as soon
 * as its input changes. `inputAt`: returns the input to which the error at a path belongs.
 */
export function useFormErrors<Input>(
  input: Input,
  inputAt: (input: Input, path: string) => unknown = fieldAt,
) {
  const form = useRef<HTMLFormElement>(null);
  const [refusal, setRefusal] = useState<{ readonly errors: FieldErrors; readonly input: Input }>({
    errors: {},
    input,
  });
  useEffect(() => focusProblem(form.current), [refusal]);
  const isUnchanged = (path: string): boolean =>
    JSON.stringify(inputAt(refusal.input, path)) === JSON.stringify(inputAt(input, path));
  return {
    form,
    errors: Object.fromEntries(Object.entries(refusal.errors).filter(([path]) => isUnchanged(path))),
    /** `refusedInput`: input to which the errors belong, if it is not the current one. */
    setErrors: (errors: FieldErrors, refusedInput = input) => setRefusal({ errors, input: refusedInput }),
  };
}

/**
 * Returns a function that connects a control with a value of a form. `errorPaths`: paths of its errors, if they are not
 * its name.
 */
export const bindFields =
  <Values extends object>(values: Values, errors: FieldErrors, onChange: (change: Partial<Values>) => void) =>
  <Name extends keyof Values & string>(name: Name, ...errorPaths: readonly string[]) => ({
    value: values[name],
    onChange(value: Values[Name]) {
      const change: Partial<Values> = {};
      change[name] = value;
      onChange(change);
    },
    error: messagesAt(errors, ...(errorPaths.length > 0 ? errorPaths : [name])),
  });

/**
 * State of a form whose input is the `argument` of a mutation: whether the mutation is pending, and its
 * errors. `send` resolves to the failure, or undefined after success. Retries of the same input have the same
 * `requestId`, so that the input is stored once.
 */
export function useForm(argument: string, input: object) {
  const { form, errors, setErrors } = useFormErrors(input);
  const [isBusy, setIsBusy] = useState(false);
  const [requestIds] = useState(createRequestIds);
  const send = async (
    body: unknown,
    mutate: (requestId: string) => Promise<void>,
  ): Promise<Failure | undefined> => {
    setIsBusy(true);
    setErrors({});
    try {
      await mutate(requestIds.idFor(body));
      requestIds.markDone();
      return undefined;
    } catch (error) {
      const failure = failureOf(error, argument);
      setErrors(failure.errorsByField);
      return failure;
    } finally {
      setIsBusy(false);
    }
  };
  const dialogProps = { problem: errors[''], isBusy, formRef: form };
  return { errors, setErrors, isBusy, send, form, dialogProps };
}
