import { z } from 'zod';
import { isLoopbackHost } from '../core/text/address.ts';
import { isBase, webUrl } from './forms.ts';

/** The forms of the settings on services that the gateway stands in front of. */

export type UpstreamService = 'calendar' | 'storage';

export const upstreamServices = z.string().transform((value, context): ReadonlySet<UpstreamService> => {
  const named = value.split(',').map((entry) => entry.trim());
  if (named.every((one) => one === 'calendar' || one === 'storage')) return new Set(named);
  context.addIssue({ code: 'custom', message: 'must be calendar, storage, or both with a comma in between' });
  return z.NEVER;
});

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
  (value, context): IntrospectionUrl => {
    const fault = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
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
  },
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
