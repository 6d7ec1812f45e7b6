import { loadDemoSecret } from './access/demo-secret.ts';
import { signToken } from './access/token.ts';
import { formatShellCommand, readArguments, runCommand } from './command-line.ts';
import { ConfigError, readConfig } from './config.ts';
import { StartError } from './core/errors.ts';

/** Help text of the command that prints a token. */
const usage = `Prints a token for development, signed with AUTH_JWT_SECRET, else with the demo's secret.

  ${formatShellCommand('token')} --email alice@example.com --scope calendar --scope devstorage.read_only

  --email    e-mail address of the caller
  --sub      subject; by default the e-mail address
  --scope    scope to grant, repeatable; names without :// get https://www.googleapis.com/auth/ in front
  --minutes  validity in minutes; by default 60`;

/** Start of Google's scopes, which options may leave out. */
const scopePrefix = 'https://www.googleapis.com/auth/';

/** Signs a token by the options of the command line, and prints it. */
async function printToken(): Promise<void> {
  const args = readArguments(usage, {
    email: { type: 'string' },
    sub: { type: 'string' },
    scope: { type: 'string', multiple: true, default: [] },
    minutes: { type: 'string', default: '60' },
  });
  if (!args) return;
  const { email, sub = email, scope, minutes } = args.values;
  if (!sub) throw new StartError(`It needs --email or --sub.\n\n${usage}`);
  if (!/^[1-9]\d{0,6}$/.test(minutes))
    throw new StartError(
      '--minutes must be a whole number from 1 to 9999999: a token is valid for at least a minute.',
    );
  const { auth, demo, stateFolder } = readConfig();
  const { secret, notice } = demo ? loadDemoSecret(stateFolder) : { secret: auth.secret, notice: undefined };
  if (secret === undefined)
    throw new ConfigError(
      'AUTH_JWT_SECRET is not set: with AUTH_JWKS_URL alone, tokens come from the identity provider.',
    );
  if (notice !== undefined) console.error(notice);
  const scopes = scope.flatMap((option) => option.split(/\s+/)).filter(Boolean);
  console.log(
    await signToken(secret, {
      sub,
      email,
      scopes: scopes.map((name) => (name.includes('://') ? name : scopePrefix + name)),
      expires: Date.now() + Number(minutes) * 60_000,
      issuer: auth.issuer,
      audience: auth.audience,
    }),
  );
}

await runCommand(printToken);
