import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Content of the file: a secret of 32 bytes as base64url, and a line break. */
const secretPattern = /^[\w-]{43}\n$/;
/**
 * Bytes that are read from the file: more than a secret has, so that a longer file does not look like one.
 */
const maxSecretBytes = 64;
const createSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Loads or creates the demo's secret, in a file of mode 0600, so that tokens survive a restart. Replaces a
 * file that others could read. `notice`: why tokens become invalid.
 */
export function loadDemoSecret(folder: string | undefined): {
  readonly secret: string;
  readonly notice?: string;
} {
  if (folder === undefined)
    return {
      secret: createSecret(),
      notice: 'HOME and XDG_STATE_HOME are not set: the token is valid until the gateway stops.',
    };
  const file = join(folder, 'demo-secret');
  try {
    createFolder(folder);
    const readResult = readSecret(file);
    if ('secret' in readResult) return readResult;
    if (readResult.fault !== undefined) rmSync(file);
    return {
      secret: writeSecret(file),
      ...(readResult.fault && {
        notice: `${file} ${readResult.fault}: a new secret was created, and earlier tokens are no longer valid.`,
      }),
    };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return {
      secret: createSecret(),
      notice: `${file} cannot be used (${reason}): the token is valid until the gateway stops.`,
    };
  }
}

/**
 * Creates a folder and its parents. `mkdirSync` with `recursive` never returns on file systems such as /proc,
 * which report ENOENT below an existing parent.
 */
function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  createFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // created by a concurrent start
  }
}

/** Reads the stored secret. Returns the fault of an unusable file, or an empty object if there is no file. */
function readSecret(file: string): { secret: string } | { fault?: string } {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    if (code === 'ELOOP') return { fault: 'was a symbolic link' };
    throw error;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { fault: 'was no file' };
    if (stats.uid !== process.getuid?.()) return { fault: 'belonged to another user' };
    const permissions = stats.mode & 0o777;
    if (permissions !== 0o600)
      return { fault: `had the mode ${permissions.toString(8).padStart(4, '0')} instead of 0600` };
    const content = Buffer.alloc(maxSecretBytes);
    const text = content.toString('latin1', 0, readSync(descriptor, content));
    return secretPattern.test(text) ? { secret: text.trimEnd() } : { fault: 'did not hold a secret' };
  } finally {
    closeSync(descriptor);
  }
}

/** Stores a new secret, or returns the one that a concurrent start has stored. */
function writeSecret(file: string): string {
  const secret = createSecret();
  try {
    writeFileSync(file, `${secret}\n`, { flag: 'wx', mode: 0o600 });
    return secret;
  } catch (error) {
    const readResult = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readSecret(file) : {};
    if ('secret' in readResult) return readResult.secret;
    throw error;
  }
}
