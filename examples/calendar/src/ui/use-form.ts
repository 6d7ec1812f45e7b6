import { useEffect, useRef, useState } from 'react';
import { failureOf, type Failure, type FieldErrors } from '../api/failure.ts';
import { createRequestIds } from '../api/request-ids.ts';
import { focusProblem } from './field.tsx';

/**
 * State of a form whose input is the `argument` of a mutation: whether the mutation is pending, and its
 * errors. `send` resolves to the failure, or undefined after success. Retries of the same input have the same
 * `requestId`, so that the input is stored once.
 */
export function useForm(argument: string) {
  const [errors, setErrors] = useState<FieldErrors>({});
  const [isBusy, setIsBusy] = useState(false);
  const [requestIds] = useState(createRequestIds);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusProblem(form.current), [errors]);
  const send = async (
    input: unknown,
    mutate: (requestId: string) => Promise<void>,
  ): Promise<Failure | undefined> => {
    setIsBusy(true);
    setErrors({});
    try {
      await mutate(requestIds.idFor(input));
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
  return { errors, setErrors, isBusy, send, form };
}
