import { createHmac } from 'node:crypto';

/** The headers by which a receiver knows who has sent a body, as Standard Webhooks has them: a signature for each secret. */
export function signedHeaders(
  id: string,
  body: Buffer,
  secrets: readonly Buffer[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
