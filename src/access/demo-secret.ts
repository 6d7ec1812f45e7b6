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

const secretForm = /^[\w-]{43}\n$/;
const newSecret = (): string => randomBytes(32).toString('base64url');

/** The demo's secret, stored in a file of mode 0600, so that tokens outlive a restart. A file that others could use is replaced. `notice`: why earlier or new tokens do not last. */
export function demoSecret(folder: string | undefined): {
  readonly secret: string;
  readonly notice?: string;
} {
  if (folder === undefined)
    return {
      secret: newSecret(),
      notice: 'HOME and XDG_STATE_HOME are not set: the token is valid until the gateway stops.',
    };
  const file = join(folder, 'demo-secret');
  try {
    makeFolder(folder);
    const found = readSecret(file);
    if ('secret' in found) return found;
    if (found.fault !== undefined) rmSync(file);
    return {
      secret: writeSecret(file),
      ...(found.fault && {
        notice: `${file} ${found.fault}: a new secret was made, earlier tokens are not valid any more.`,
      }),
    };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return {
      secret: newSecret(),
      notice: `${file} cannot be used (${reason}): the token is valid until the gateway stops.`,
    };
  }
}

/** Like `mkdirSync` with `recursive`, which never returns on file systems such as /proc (ENOENT for an existing parent). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // a concurrent start made it
  }
}

/** The stored secret, or the fault of its file; neither without a file. */
function readSecret(file: string): { secret: string } | { fault?: string } {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    if (code === 'ELOOP') return { fault: 'was a symbolic link' };
    throw error;
  }
  try {
    const { mode, uid } = fstatSync(handle);
    if ((mode & 0o170_000) !== 0o100_000) return { fault: 'was no file' };
    if (uid !== process.getuid?.()) return { fault: 'belonged to another user' };
    if ((mode & 0o777) !== 0o600)
      return { fault: `had the mode ${(mode & 0o777).toString(8).padStart(4, '0')} instead of 0600` };
    const content = Buffer.alloc(64);
    const text = content.toString('latin1', 0, readSync(handle, content));
    return secretForm.test(text) ? { secret: text.trimEnd() } : { fault: 'did not hold a secret' };
  } finally {
    closeSync(handle);
  }
}

/** Stores a new secret, or returns the one that a concurrent start has stored. */
function writeSecret(file: string): string {
  const secret = newSecret();
  try {
    writeFileSync(file, `${secret}\n`, { flag: 'wx', mode: 0o600 });
    return secret;
  } catch (error) {
    const found = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readSecret(file) : {};
    if ('secret' in found) return found.secret;
    throw error;
  }
}
