import { z } from 'zod';
import { isEmail } from '../core/text/email.ts';

/** The forms of the settings on mail. */

export interface SmtpUrl {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly user?: string;
  readonly password?: string;
}

const ports: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

export const smtpUrl = z.string().transform((value, context): SmtpUrl => {
  const fault = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (!/^smtps?:\/\//i.test(value)) return fault('must be a URL that starts with smtp:// or smtps://');
  if (!URL.canParse(value))
    return fault(
      'must be a valid URL: its host is a name or an address, its port at most 65535, and / ? # @ : % in user and password are written %2F %3F %23 %40 %3A %25',
    );
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(value);
  if (hostname === '') return fault('must name a host, such as smtp://mail.example.com:587');
  if (port === '0') return fault('must have a port of 1 to 65535');
  if (!/^\/?$/.test(pathname) || search !== '' || hash !== '' || /[?#]/.test(value))
    return fault('must have nothing behind host and port');
  if ((username === '') !== (password === '')) return fault('must have a user and a password, or neither');
  try {
    const signIn =
      username === '' ? {} : { user: decodeURIComponent(username), password: decodeURIComponent(password) };
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? (ports[protocol] as number) : Number(port),
      secure: protocol === 'smtps:',
      ...signIn,
    };
  } catch {
    return fault('must have user and password percent-encoded: % is written %25');
  }
});

export interface Mailbox {
  readonly address: string;
  readonly name?: string;
}

const shape = /^(?:(?:"([^"\\]*)"|([^"<>]*?))[ \t]*<([^<>]+)>|([^<>]+))$/;

/** `address` or `Name <address>`. An address in ASCII is one that every server takes. */
export const mailbox = z.string().transform((value, context): Mailbox => {
  const [, quoted, bare, inBrackets, alone] = shape.exec(value.trim()) ?? [];
  const address = inBrackets ?? alone ?? '';
  const name = (quoted ?? bare ?? '').trim();
  if (!isEmail(address) || !/^[\x21-\x7e]+$/.test(address) || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) {
    context.addIssue({
      code: 'custom',
      message:
        'must be an address in ASCII such as gateway@example.com, or Name <gateway@example.com>, without line breaks',
    });
    return z.NEVER;
  }
  return { address, ...(name !== '' && { name }) };
});
