import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Content of the file: a secret of 32 bytes as base64url, and a line break. */
const secretPattern = /^[\w-]{43}\n$/;
const secretFileBytes = 44;

/** A secret. `notice`: why tokens become invalid. */
interface DemoSecret {
  readonly secret: string;
  readonly notice?: string;
}

/**
 * Loads or creates the demo's secret, in a file of mode 0600, so that tokens survive a restart. Replaces a
 * file that others could read.
 */
export function loadDemoSecret(folder: string | undefined): DemoSecret {
  const newSecret = randomBytes(32).toString('base64url');
  const keepInMemory = (problem: string): DemoSecret => ({
    secret: newSecret,
    notice: `${problem}: the token is valid until the gateway stops.`,
  });
  if (folder === undefined) return keepInMemory('HOME and XDG_STATE_HOME are not set');
  const file = join(folder, 'demo-secret');
  try {
    createFolder(folder);
    const { secret, fault } = readSecret(file);
    if (secret !== undefined) return { secret };
    if (fault !== undefined) rmSync(file);
    writeFileSync(file, `${newSecret}\n`, { flag: 'wx', mode: 0o600 });
    const notice = `${file} ${fault}: a new secret was created, and earlier tokens are no longer valid.`;
    return { secret: newSecret, ...(fault !== undefined && { notice }) };
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    // A concurrent start has stored its secret.
    if (code === 'EEXIST') return loadDemoSecret(folder);
    return keepInMemory(`${file} cannot be used (${code})`);
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
function readSecret(file: string): { secret?: string; fault?: string } {
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
    // A file of another size is not read: it may be too large for memory.
    const text = stats.size === secretFileBytes ? readFileSync(descriptor, 'latin1') : '';
    return secretPattern.test(text) ? { secret: text.trimEnd() } : { fault: 'did not hold a secret' };
  } finally {
    closeSync(descriptor);
  }
}
