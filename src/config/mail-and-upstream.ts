import { z } from 'zod';
import { isLoopbackHost } from '../core/text/host.ts';
import { isEmail } from '../core/text/email.ts';
import { baseUrlProblem, createTransform, webUrl, wholeNumber } from './schemas.ts';

// Schemas of the settings for mail and upstream services.

/** Ports of submission (RFC 6409) and of TLS from the start (RFC 8314). */
const defaultPorts: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** Schema of a mail server's URL, with its user and password. */
export const smtpUrl = z.string().transform(
  createTransform((value, fail) => {
    if (!/^smtps?:\/\//i.test(value)) return fail('must be a URL that starts with smtp:// or smtps://');
    if (!URL.canParse(value))
      return fail(
        'must be a valid URL: its host is a name or an address, its port at most 65535, and / ? # @ : % in user and password are written %2F %3F %23 %40 %3A %25',
      );
    const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(value);
    if (hostname === '') return fail('must name a host, such as smtp://mail.example.com:587');
    if (port === '0') return fail('must have a port of 1 to 65535');
    if (!/^\/?$/.test(pathname) || search !== '' || hash !== '' || /[?#]/.test(value))
      return fail('must end after host and port');
    if ((username === '') !== (password === '')) return fail('must have a user and a password, or neither');
    try {
      const credentials =
        username === '' ? {} : { user: decodeURIComponent(username), password: decodeURIComponent(password) };
      return {
        host: hostname.replace(/^\[(.*)\]$/, '$1'),
        port: port === '' ? (defaultPorts[protocol] as number) : Number(port),
        secure: protocol === 'smtps:',
        ...credentials,
      };
    } catch {
      return fail('must have user and password percent-encoded: % is written %25');
    }
  }),
);

/** `"Quoted name" <address>`, `Name <address>`, or an address alone. */
const mailboxPattern = /^(?:(?:"([^"\\]*)"|([^"<>]*?))[ \t]*<([^<>]+)>|([^<>]+))$/;

/** Schema of `address` or `Name <address>`. Only ASCII, as not every mail server accepts other addresses. */
export const mailbox = z.string().transform(
  createTransform((value, fail) => {
    const [, quotedName, plainName, bracketedAddress, bareAddress] = mailboxPattern.exec(value.trim()) ?? [];
    const address = bracketedAddress ?? bareAddress ?? '';
    const name = (quotedName ?? plainName ?? '').trim();
    if (!isEmail(address) || !/^[\x21-\x7e]+$/.test(address) || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value))
      return fail(
        'must be an address in ASCII such as gateway@example.com, or Name <gateway@example.com>, without line breaks',
      );
    return { address, ...(name !== '' && { name }) };
  }),
);

type UpstreamService = 'calendar' | 'storage';

const upstreamServices = z.string().transform(
  createTransform((value, fail): ReadonlySet<UpstreamService> => {
    const services = value.split(',').map((entry) => entry.trim());
    return services.every((service) => service === 'calendar' || service === 'storage')
      ? new Set(services)
      : fail('must be calendar, storage, or both separated by a comma');
  }),
);

/** Requires HTTPS except on loopback, because tokens are sent to the URL. */
const insecureUrlProblem = (value: string): string | undefined => {
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || isLoopbackHost(hostname)
    ? baseUrlProblem(value)
    : 'must start with https://, except on a loopback address';
};

/** Refuses credentials in a URL: the callers' own tokens are sent to it. */
const credentialsProblem = (value: string): string | undefined => {
  const { username, password } = new URL(value);
  return username === '' && password === '' ? undefined : 'must have neither a user nor a password';
};

/** Schema of a service's base URL, without a trailing slash. */
const upstreamUrl = webUrl(
  ['https:', 'http:'],
  (value) => insecureUrlProblem(value) ?? credentialsProblem(value),
).transform((value) => value.replace(/\/+$/, ''));

/** Schema of an endpoint for token introspection (RFC 7662), with client credentials. */
const introspectionUrl = webUrl(['https:', 'http:'], insecureUrlProblem).transform(
  createTransform((value, fail) => {
    const url = new URL(value);
    const { username, password } = url;
    if (username === '' || password === '')
      return fail('must name the client and its secret: https://id:secret@host/path');
    url.username = '';
    url.password = '';
    try {
      return { url: url.href, id: decodeURIComponent(username), secret: decodeURIComponent(password) };
    } catch {
      return fail('must have id and secret percent-encoded: % is written %25');
    }
  }),
);

/** Environment variables of the upstream services. */
export const upstreamSettings = {
  UPSTREAM: upstreamServices
    .optional()
    .describe(
      'calendar, storage or both, comma-separated: Google services that requests are forwarded to (none)',
    ),
  UPSTREAM_CALENDAR_URL: upstreamUrl
    .optional()
    .describe('base of the Calendar API (https://www.googleapis.com/calendar/v3)'),
  UPSTREAM_STORAGE_URL: upstreamUrl
    .optional()
    .describe('base of the Storage API (https://storage.googleapis.com/storage/v1)'),
  UPSTREAM_TOKENINFO_URL: upstreamUrl
    .optional()
    .describe('where tokens are checked (https://oauth2.googleapis.com/tokeninfo)'),
  UPSTREAM_INTROSPECTION_URL: introspectionUrl
    .optional()
    .describe('https://id:secret@…: token check by RFC 7662 instead'),
  UPSTREAM_POLL_SECONDS: wholeNumber(1, 3600)
    .optional()
    .describe('seconds between two polls of a calendar with subscribers (30)'),
};

type UpstreamEnvironment = z.infer<z.ZodObject<typeof upstreamSettings>>;

/** Upstream services by the variable that names their URL. */
const serviceByUrlSetting = { UPSTREAM_CALENDAR_URL: 'calendar', UPSTREAM_STORAGE_URL: 'storage' } as const;

/** Lists conflicting settings with their messages. */
export function upstreamProblems(env: UpstreamEnvironment): [name: string, message: string][] {
  const { UPSTREAM: services } = env;
  if (!services)
    return (Object.keys(upstreamSettings) as (keyof UpstreamEnvironment)[])
      .filter((name) => env[name] !== undefined)
      .map((name) => [name, 'needs UPSTREAM beside it']);
  return Object.entries(serviceByUrlSetting).flatMap(([name, service]): [string, string][] =>
    env[name as keyof typeof serviceByUrlSetting] === undefined || services.has(service)
      ? []
      : [[name, `needs ${service} in UPSTREAM`]],
  );
}

/** Reads the settings of the upstream services that the gateway proxies, with their defaults; undefined without any. */
export function readUpstream(env: UpstreamEnvironment) {
  const { UPSTREAM: services, UPSTREAM_INTROSPECTION_URL: introspection } = env;
  return (
    services && {
      /** Base URL of the Calendar API; absent: the gateway stores calendars itself. */
      calendar: services.has('calendar')
        ? (env.UPSTREAM_CALENDAR_URL ?? 'https://www.googleapis.com/calendar/v3')
        : undefined,
      /** Base URL of the Storage API; absent: the gateway stores buckets itself. */
      storage: services.has('storage')
        ? (env.UPSTREAM_STORAGE_URL ?? 'https://storage.googleapis.com/storage/v1')
        : undefined,
      /** Service that validates tokens. */
      identity: introspection
        ? { introspection }
        : { tokeninfo: env.UPSTREAM_TOKENINFO_URL ?? 'https://oauth2.googleapis.com/tokeninfo' },
      /** Interval at which streams poll a calendar. */
      pollSeconds: env.UPSTREAM_POLL_SECONDS ?? 30,
    }
  );
}
