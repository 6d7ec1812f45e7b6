import { z } from 'zod';
import { isLoopbackHost } from '../core/text/address.ts';
import { isEmail } from '../core/text/email.ts';
import { isBase, reading, webUrl } from './forms.ts';

/** The forms of the settings on mail. */

export interface SmtpUrl {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly user?: string;
  readonly password?: string;
}

const ports: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

export const smtpUrl = z.string().transform(
  reading((value, fault): SmtpUrl => {
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
  }),
);

export interface Mailbox {
  readonly address: string;
  readonly name?: string;
}

const shape = /^(?:(?:"([^"\\]*)"|([^"<>]*?))[ \t]*<([^<>]+)>|([^<>]+))$/;

/** `address` or `Name <address>`. An address in ASCII is one that every server takes. */
export const mailbox = z.string().transform(
  reading((value, fault): Mailbox => {
    const [, quoted, bare, inBrackets, alone] = shape.exec(value.trim()) ?? [];
    const address = inBrackets ?? alone ?? '';
    const name = (quoted ?? bare ?? '').trim();
    if (!isEmail(address) || !/^[\x21-\x7e]+$/.test(address) || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value))
      return fault(
        'must be an address in ASCII such as gateway@example.com, or Name <gateway@example.com>, without line breaks',
      );
    return { address, ...(name !== '' && { name }) };
  }),
);

/** The forms of the settings on services that the gateway stands in front of. */

type UpstreamService = 'calendar' | 'storage';

export const upstreamServices = z.string().transform(
  reading((value, fault): ReadonlySet<UpstreamService> => {
    const named = value.split(',').map((entry) => entry.trim());
    return named.every((one) => one === 'calendar' || one === 'storage')
      ? new Set(named)
      : fault('must be calendar, storage, or both with a comma in between');
  }),
);

/** Tokens go there: in the clear on this machine only. */
const isSecret = (value: string): string | undefined => {
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || isLoopbackHost(hostname)
    ? isBase(value)
    : 'must start with https://, save on a loopback address';
};

const hasNobody = (value: string): string | undefined => {
  const { username, password } = new URL(value);
  return username === '' && password === '' ? undefined : 'must have neither a user nor a password';
};

export const upstreamUrl = webUrl(
  ['https:', 'http:'],
  (value) => isSecret(value) ?? hasNobody(value),
).transform((value) => value.replace(/\/+$/, ''));

/** Where tokens are asked for by RFC 7662, and who asks. */
export interface IntrospectionUrl {
  readonly url: string;
  readonly id: string;
  readonly secret: string;
}

export const introspectionUrl = webUrl(['https:', 'http:'], isSecret).transform(
  reading((value, fault): IntrospectionUrl => {
    const url = new URL(value);
    const { username, password } = url;
    if (username === '' || password === '')
      return fault('must name the client and its secret: https://id:secret@host/path');
    url.username = '';
    url.password = '';
    try {
      return { url: url.href, id: decodeURIComponent(username), secret: decodeURIComponent(password) };
    } catch {
      return fault('must have id and secret percent-encoded: % is written %25');
    }
  }),
);

/** What the settings say of services that the gateway stands in front of. */
export interface Upstream {
  /** The bases of their URLs; absent: the gateway keeps its own. */
  readonly calendar?: string;
  readonly storage?: string;
  /** Who is asked about tokens. */
  readonly identity: { readonly tokeninfo: string } | { readonly introspection: IntrospectionUrl };
  /** How often a calendar is looked at for streams. */
  readonly pollSeconds: number;
}

interface UpstreamEnvironment {
  readonly UPSTREAM?: ReadonlySet<UpstreamService>;
  readonly UPSTREAM_CALENDAR_URL?: string;
  readonly UPSTREAM_STORAGE_URL?: string;
  readonly UPSTREAM_TOKENINFO_URL?: string;
  readonly UPSTREAM_INTROSPECTION_URL?: IntrospectionUrl;
  readonly UPSTREAM_POLL_SECONDS?: number;
}

const beside = [
  'UPSTREAM_CALENDAR_URL',
  'UPSTREAM_STORAGE_URL',
  'UPSTREAM_TOKENINFO_URL',
  'UPSTREAM_INTROSPECTION_URL',
  'UPSTREAM_POLL_SECONDS',
] as const;
const bases = { UPSTREAM_CALENDAR_URL: 'calendar', UPSTREAM_STORAGE_URL: 'storage' } as const;

/** What does not go together: the name of a setting, and the message. */
export function upstreamProblems(env: UpstreamEnvironment): [name: string, message: string][] {
  const { UPSTREAM: services } = env;
  if (!services)
    return beside.filter((name) => env[name] !== undefined).map((name) => [name, 'needs UPSTREAM beside it']);
  return Object.entries(bases).flatMap(([name, service]): [string, string][] =>
    env[name as keyof typeof bases] === undefined || services.has(service)
      ? []
      : [[name, `needs ${service} in UPSTREAM`]],
  );
}

export function upstreamOf(env: UpstreamEnvironment): Upstream | undefined {
  const { UPSTREAM: services, UPSTREAM_INTROSPECTION_URL: introspection } = env;
  return (
    services && {
      calendar: services.has('calendar')
        ? (env.UPSTREAM_CALENDAR_URL ?? 'https://www.googleapis.com/calendar/v3')
        : undefined,
      storage: services.has('storage')
        ? (env.UPSTREAM_STORAGE_URL ?? 'https://storage.googleapis.com/storage/v1')
        : undefined,
      identity: introspection
        ? { introspection }
        : { tokeninfo: env.UPSTREAM_TOKENINFO_URL ?? 'https://oauth2.googleapis.com/tokeninfo' },
      pollSeconds: env.UPSTREAM_POLL_SECONDS ?? 30,
    }
  );
}
