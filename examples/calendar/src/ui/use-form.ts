import { useEffect, useRef, useState } from 'react';
import { failureOf, type Failure, type FieldErrors } from '../api/failure.ts';
import { createRequestIds } from '../api/request-ids.ts';
import { focusProblem } from './field.tsx';

/**
 * Sends a form and keeps what is wrong with it; the same input twice goes with the same `requestId`. `send` gives the failure,
 * undefined where it went well.
 */
export function useForm(argument: string) {
  const [errors, setErrors] = useState<FieldErrors>({});
  const [busy, setBusy] = useState(false);
  const [requestIds] = useState(createRequestIds);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusProblem(form.current), [errors]);
  const send = async (
    input: unknown,
    work: (requestId: string) => Promise<void>,
  ): Promise<Failure | undefined> => {
    setBusy(true);
    setErrors({});
    try {
      await work(requestIds.of(input));
      requestIds.done();
      return undefined;
    } catch (error) {
      const failure = failureOf(error, argument);
      setErrors(failure.fields);
      return failure;
    } finally {
      setBusy(false);
    }
  };
  return { errors, setErrors, busy, send, form };
}
