import { useEffect, useRef, useState } from 'react';
import { failureOf, type FieldErrors } from '../api/failure.ts';
import { focusProblem } from '../ui/field.tsx';

/** Sends a form and keeps what is wrong with it; the same input twice goes with the same `requestId`. */
export function useForm(argument: string) {
  const [errors, setErrors] = useState<FieldErrors>({});
  const [busy, setBusy] = useState(false);
  const request = useRef<{ readonly input: string; readonly id: string }>(undefined);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusProblem(form.current), [errors]);
  const send = async (input: unknown, work: (requestId: string) => Promise<void>): Promise<void> => {
    const text = JSON.stringify(input);
    if (request.current?.input !== text) request.current = { input: text, id: crypto.randomUUID() };
    setBusy(true);
    setErrors({});
    try {
      await work(request.current.id);
      request.current = undefined;
    } catch (error) {
      setErrors(failureOf(error, argument).fields);
    } finally {
      setBusy(false);
    }
  };
  return { errors, busy, send, form };
}
