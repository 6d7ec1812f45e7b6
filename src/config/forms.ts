import { isIP } from 'node:net';
import { z } from 'zod';
import { canonicalHost } from '../core/text/host.ts';
import { isTimeZone } from '../core/time/time-zone.ts';

/** The forms of environment variables; their messages name the values that are allowed. */

export const text = z.string().min(1);

/** Reads, for `transform`, another form out of a text, or names the fault in it. */
export const reading =
  <T>(read: (value: string, fault: (message: string) => never) => T) =>
  (value: string, context: z.RefinementCtx): T =>
    read(value, (message) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

export const timeZone = z
  .string()
  .refine(isTimeZone, 'must be the name of an IANA time zone, such as Europe/Berlin');

/** A URL with one of these protocols; `fault` returns the message for further faults. */
export const webUrl = (
  protocols: readonly string[],
  fault: (value: string) => string | undefined = () => undefined,
) =>
  z.string().superRefine((value, context) => {
    const message = !protocols.some((protocol) => value.toLowerCase().startsWith(`${protocol}//`))
      ? `must be a URL that starts with ${protocols.join('// or ')}//`
      : URL.canParse(value)
        ? fault(value)
        : 'must be a valid URL: its host is a name or an address, its port at most 65535, and / ? # in a password are written %2F %3F %23';
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** Paths are appended to a base: it can have no query or fragment. */
export const isBase = (value: string): string | undefined =>
  /[?#]/.test(value) ? 'must have neither a query (?) nor a fragment (#)' : undefined;
export const hasHost = (value: string): string | undefined =>
  new URL(value).hostname === '' ? 'must name a host, such as nats://broker:4222' : undefined;

/** Settings of the driver, and those of libpq that hosting providers add to URLs and the driver may ignore. */
const databaseSettings = (
  'host port user password db encoding client_encoding application_name fallback_application_name ' +
  'options ssl sslmode sslcert sslkey sslrootcert sslnegotiation uselibpqcompat statement_timeout ' +
  'query_timeout lock_timeout idle_in_transaction_session_timeout channel_binding connect_timeout ' +
  'gssencmode keepalives keepalives_idle keepalives_interval target_session_attrs'
).split(' ');
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The driver ignores unknown settings, even misspelt ones for encryption: they are refused here. */
export function hasKnownSettings(value: string): string | undefined {
  const { searchParams } = new URL(value);
  const unknown = [...searchParams.keys()].find((name) => !databaseSettings.includes(name));
  if (unknown !== undefined)
    return `has the setting ${unknown}, which there is not; there are ${databaseSettings.join(', ')}`;
  const mode = searchParams.getAll('sslmode').find((one) => !sslModes.includes(one));
  return mode === undefined
    ? undefined
    : `has an sslmode that there is not; there are ${sslModes.join(', ')}`;
}

export const secret = z
  .string()
  .refine(
    (value) => Buffer.byteLength(value.trim()) >= 32,
    'must have at least 32 bytes, blanks around them not counted',
  );

const listOf = (value: string): string[] => value.split(',').map((entry) => entry.trim());

export const origins = z
  .string()
  .transform(listOf)
  .refine((list) => list.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin), {
    message: 'must be a comma-separated list of origins such as https://app.example.com',
  });

/** An address or a network in CIDR notation. */
function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

export const networks = z
  .string()
  .transform(listOf)
  .refine(
    (list) => list.every(isNetwork),
    'must be a comma-separated list of IP addresses and networks such as 10.0.0.0/8',
  );

export const resourceAttributes = z.string().transform(
  reading((value, fault): Readonly<Record<string, string>> => {
    try {
      return Object.fromEntries(
        listOf(value).map((entry) => {
          const [, key = '', text = ''] = /^([^=]+)=(.*)$/s.exec(entry) ?? [];
          if (key === '') throw new Error('no key');
          return [decodeURIComponent(key.trim()), decodeURIComponent(text.trim())];
        }),
      );
    } catch {
      return fault(
        'must be a comma-separated list such as deployment.environment.name=staging, its values percent-encoded',
      );
    }
  }),
);

export const ratio = z
  .string()
  .regex(/^(0|0?\.\d{1,9}|1|1\.0{1,9})$/, 'must be a number from 0 to 1')
  .transform(Number);

/** Digits only: `1e3`, `0x10` and blanks are likely mistakes. */
const digits = (least: number, most: number, message: string) =>
  z
    .string()
    .refine((value) => /^\d{1,7}$/.test(value) && Number(value) >= least && Number(value) <= most, message)
    .transform(Number);

export const port = digits(0, 65535, 'must be a port number, 0 to 65535');
export const wholeNumber = (least: number, most: number) =>
  digits(least, most, `must be a whole number from ${least} to ${most}`);

export const rate = z
  .string()
  .regex(/^(off|[1-9]\d{0,8})$/, 'must be a whole number of 1 or more, or off')
  .transform((value): number | 'off' => (value === 'off' ? value : Number(value)));

export const choice = <const Choice extends string>(...of: readonly Choice[]) =>
  z.enum(of, `must be ${of.slice(0, -1).join(', ')} or ${of.at(-1)}`);

export const hostName = z
  .string()
  .regex(
    /^([a-z0-9]([a-z0-9-]*[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/i,
    'must be a host name',
  );

export const hostAndPort = z
  .string()
  .refine(
    (value) => /:\d+$/.test(value) && canonicalHost(value) !== undefined,
    'must be a host and its port, such as localhost:8085',
  );
