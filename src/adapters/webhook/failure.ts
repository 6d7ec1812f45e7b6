/** A failure whose message may be logged: it tells nothing of what was sent, and nothing in the receiver's own words. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
}

const words: Readonly<Record<string, string>> = {
  ABORT_ERR: 'the gateway stops',
  CERT_HAS_EXPIRED: 'certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer',
  ENOTFOUND: 'the name cannot be resolved',
  EPROTO: 'no connection by TLS',
  EPIPE: 'the connection was closed before an answer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  HPE_HEADER_OVERFLOW: 'the head of the answer is too long',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in the chain',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
};

/** An error of Node's, which may hold bytes of the receiver, as one that may be logged. */
export function failureOf(error: unknown): WebhookFailure {
  if (error instanceof WebhookFailure) return error;
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string') return new WebhookFailure('the connection failed');
  return new WebhookFailure(words[code] ?? (code.startsWith('HPE_') ? `no answer of HTTP (${code})` : `the connection failed (${code})`));
}
