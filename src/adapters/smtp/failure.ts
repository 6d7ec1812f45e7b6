import { connectionFailures } from '../connection-failures.ts';

/** A failure whose message may be logged: it tells nothing of a mail, and nothing in the server's own words. */
export class SmtpFailure extends Error {
  override readonly name = 'SmtpFailure';
  /** What the server answered; absent where it did not. */
  readonly smtpCode: number | undefined;
  /** It concerns the mail alone, and would come again. */
  readonly isFinal: boolean;

  constructor(
    message: string,
    {
      smtpCode,
      isFinal = false,
    }: { readonly smtpCode?: number | undefined; readonly isFinal?: boolean } = {},
  ) {
    super(message);
    this.smtpCode = smtpCode;
    this.isFinal = isFinal;
  }
}

/** What is said of the session, whatever was asked: bad sequence, and what asks for signing in or for TLS. */
const ofTheSession: readonly number[] = [503, 530, 534, 535, 538];

/**
 * How the library says that it is about sender, receiver or content; without an answer of the server it found so itself: an
 * address that no command can hold, a mail larger than the server takes.
 */
const ofTheMail: readonly unknown[] = ['EENVELOPE', 'EMESSAGE'];

const words: Readonly<Record<string, string>> = {
  ...connectionFailures,
  EAUTH: 'the sign-in failed',
  ECONNECTION: 'the connection was closed before an answer',
  EPROTOCOL: 'no answer of SMTP',
  ETIMEDOUT: 'no answer in time',
  ETLS: 'no connection by TLS',
};

/** An error of the library or of Node, whose message may hold addresses and a server's words, as one that may be logged. */
export function failureOf(error: unknown): SmtpFailure {
  const {
    code,
    originalCode,
    responseCode: smtpCode,
  } = error as { readonly code?: unknown; readonly originalCode?: unknown; readonly responseCode?: number };
  if (smtpCode !== undefined) {
    return new SmtpFailure(`answered with ${smtpCode}${code === 'EAUTH' ? ': the sign-in failed' : ''}`, {
      smtpCode,
      isFinal:
        ofTheMail.includes(code) && smtpCode >= 500 && smtpCode < 600 && !ofTheSession.includes(smtpCode),
    });
  }
  if (ofTheMail.includes(code))
    return new SmtpFailure('the server cannot be sent this mail', { isFinal: true });
  const [known] = [originalCode, code].filter((one) => typeof one === 'string');
  return new SmtpFailure(
    known === undefined ? 'the connection failed' : (words[known] ?? `the connection failed (${known})`),
  );
}
