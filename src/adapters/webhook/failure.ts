import { connectionFailures } from '../connection-failures.ts';

/** A failure whose message may be logged: it tells nothing of what was sent, and nothing in the receiver's own words. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
}

const words: Readonly<Record<string, string>> = {
  ...connectionFailures,
  HPE_HEADER_OVERFLOW: 'the head of the answer is too long',
};

/** An error of Node's, which may hold bytes of the receiver, as one that may be logged. */
export function failureOf(error: unknown): WebhookFailure {
  if (error instanceof WebhookFailure) return error;
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string') return new WebhookFailure('the connection failed');
  return new WebhookFailure(
    words[code] ??
      (code.startsWith('HPE_') ? `no answer of HTTP (${code})` : `the connection failed (${code})`),
  );
}
