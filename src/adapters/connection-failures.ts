/** Describes the failure code of a connection for the log. `reasons`: texts for the codes of the protocol. */
export function describeFailure(code: unknown, reasons: Readonly<Record<string, string>>): string {
  if (typeof code !== 'string') return 'the connection failed';
  return reasons[code] ?? nodeReasons[code] ?? `the connection failed (${code})`;
}

/** Texts for the error codes of Node.js and OpenSSL. */
const nodeReasons: Readonly<Record<string, string>> = {
  ABORT_ERR: 'the gateway stops',
  CERT_HAS_EXPIRED: 'certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before a response',
  ENOTFOUND: 'the name cannot be resolved',
  EPROTO: 'no connection by TLS',
  EPIPE: 'the connection was closed before a response',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate in the chain',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
};
