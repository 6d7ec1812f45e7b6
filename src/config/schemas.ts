import { isIP } from 'node:net';
import { z } from 'zod';
import { canonicalHost } from '../core/text/host.ts';
import { isTimeZone } from '../core/time/time-zone.ts';

// Schemas of environment variables. Their messages name the allowed values.

/** Schema of any text; an empty one counts as absent. */
export const text = z.string().min(1);

/** Creates a function for `transform`. `parse` returns the parsed value, or calls `fail` with a message. */
export const createTransform =
  <T>(parse: (value: string, fail: (message: string) => never) => T) =>
  (value: string, context: z.RefinementCtx): T =>
    parse(value, (message) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });

export const timeZone = z
  .string()
  .refine(isTimeZone, 'must be the name of an IANA time zone, such as Europe/Berlin');

/** Schema of a URL with one of these protocols. `problemOf`: returns the message of a further problem. */
export const webUrl = (
  protocols: readonly string[],
  problemOf: (value: string) => string | undefined = () => undefined,
) =>
  z.string().superRefine((value, context) => {
    const message = !protocols.some((protocol) => value.toLowerCase().startsWith(`${protocol}//`))
      ? `must be a URL that starts with ${protocols.join('// or ')}//`
      : URL.canParse(value)
        ? problemOf(value)
        : 'must be a valid URL: its host is a name or an address, its port at most 65535, and / ? # in a password are written %2F %3F %23';
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** Refuses a query or fragment, because paths are appended to the URL. */
export const baseUrlProblem = (value: string): string | undefined =>
  /[?#]/.test(value) ? 'must have neither a query (?) nor a fragment (#)' : undefined;
/** Refuses a URL without a host, which the parser accepts. */
export const missingHostProblem = (value: string): string | undefined =>
  new URL(value).hostname === '' ? 'must name a host, such as nats://broker:4222' : undefined;

/** Settings of the driver, and those of libpq that hosting providers add to URLs; the driver may ignore the latter. */
const databaseSettings = (
  'host port user password db encoding client_encoding application_name fallback_application_name ' +
  'options ssl sslmode sslcert sslkey sslrootcert sslnegotiation uselibpqcompat statement_timeout ' +
  'query_timeout lock_timeout idle_in_transaction_session_timeout channel_binding connect_timeout ' +
  'gssencmode keepalives keepalives_idle keepalives_interval target_session_attrs'
).split(' ');
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Refuses unknown settings: the driver would ignore them, even misspelt ones for encryption. */
export function databaseUrlProblem(value: string): string | undefined {
  const { searchParams } = new URL(value);
  const unknownSetting = [...searchParams.keys()].find((name) => !databaseSettings.includes(name));
  if (unknownSetting !== undefined)
    return `has the setting ${unknownSetting}, which does not exist; there are ${databaseSettings.join(', ')}`;
  const invalidMode = searchParams.getAll('sslmode').find((sslMode) => !sslModes.includes(sslMode));
  return invalidMode === undefined ? undefined : `has an unknown sslmode; there are ${sslModes.join(', ')}`;
}

const minSecretBytes = 32;

export const secret = z
  .string()
  .refine(
    (value) => Buffer.byteLength(value.trim()) >= minSecretBytes,
    'must have at least 32 bytes, not counting surrounding white space',
  );

const splitList = (value: string): string[] => value.split(',').map((entry) => entry.trim());

/** Schema of web origins, as browsers send them in `Origin`. */
export const origins = z
  .string()
  .transform(splitList)
  .refine((list) => list.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin), {
    message: 'must be a comma-separated list of origins such as https://app.example.com',
  });

/** Whether an entry is an IP address, or a network with the number of its leading bits. */
function isNetwork(entry: string): boolean {
  const [address = '', bitCount, ...otherParts] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || otherParts.length > 0) return false;
  return (
    bitCount === undefined || (/^\d{1,3}$/.test(bitCount) && Number(bitCount) <= (version === 4 ? 32 : 128))
  );
}

export const networks = z
  .string()
  .transform(splitList)
  .refine(
    (list) => list.every(isNetwork),
    'must be a comma-separated list of IP addresses and networks such as 10.0.0.0/8',
  );

/** Schema of `key=value,…`, percent-encoded (OpenTelemetry specification). */
export const resourceAttributes = z.string().transform(
  createTransform((value, fail): Readonly<Record<string, string>> => {
    try {
      return Object.fromEntries(
        splitList(value).map((entry) => {
          const [, key = '', encodedValue = ''] = /^([^=]+)=(.*)$/s.exec(entry) ?? [];
          if (key === '') throw new Error('no key');
          return [decodeURIComponent(key.trim()), decodeURIComponent(encodedValue.trim())];
        }),
      );
    } catch {
      return fail(
        'must be a comma-separated list such as deployment.environment.name=staging, its values percent-encoded',
      );
    }
  }),
);

export const ratio = z
  .string()
  .regex(/^(0|0?\.\d{1,9}|1|1\.0{1,9})$/, 'must be a number from 0 to 1')
  .transform(Number);

/** Schema of a decimal number. `1e3`, `0x10` and blanks are refused as likely mistakes. */
const decimalNumber = (min: number, max: number, message: string) =>
  z
    .string()
    .refine((value) => /^\d{1,7}$/.test(value) && Number(value) >= min && Number(value) <= max, message)
    .transform(Number);

export const port = decimalNumber(0, 65535, 'must be a port number, 0 to 65535');
export const wholeNumber = (min: number, max: number) =>
  decimalNumber(min, max, `must be a whole number from ${min} to ${max}`);

/** Schema of a limit per minute, or `off`. */
export const rate = z
  .string()
  .regex(/^(off|[1-9]\d{0,8})$/, 'must be a whole number of 1 or more, or off')
  .transform((value): number | 'off' => (value === 'off' ? value : Number(value)));

export const choice = <const Choice extends string>(...choices: readonly Choice[]) =>
  z.enum(choices, `must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`);

export const onOff = choice('on', 'off');

/** Schema of a host name, with or without a port. */
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
