import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDemoSecret } from '../../src/access/demo-secret.ts';

describe('the secret of the demo', () => {
  let temporaryFolder: string;
  let folder: string;
  let secretFile: string;
  beforeEach(() => {
    temporaryFolder = fs.mkdtempSync(join(tmpdir(), 'gateway-'));
    folder = join(temporaryFolder, 'state', 'resource-gateway');
    secretFile = join(folder, 'demo-secret');
  });
  afterEach(() => fs.rmSync(temporaryFolder, { recursive: true }));

  test('is created at the first start, and stored readable by this user only', () => {
    const { secret, notice } = loadDemoSecret(folder);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(notice).toBeUndefined();
    expect(fs.readFileSync(secretFile, 'utf8')).toBe(`${secret}\n`);
    expect([fs.statSync(secretFile).mode & 0o777, fs.statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(loadDemoSecret(folder)).toEqual({ secret });
  });

  test.each([0o644, 0o640, 0o660, 0o604, 0o400])('is replaced when its file has the mode %o', (mode) => {
    const { secret } = loadDemoSecret(folder);
    fs.chmodSync(secretFile, mode);
    const newSecret = loadDemoSecret(folder);
    expect(newSecret.secret).not.toBe(secret);
    expect(newSecret.notice).toContain(`${secretFile} had the mode 0${mode.toString(8)} instead of 0600`);
    expect(fs.statSync(secretFile).mode & 0o777).toBe(0o600);
    expect(loadDemoSecret(folder)).toEqual({ secret: newSecret.secret });
  });

  const validSecret = 'x'.repeat(43);
  test.each(['', 'short\n', validSecret, `${validSecret}x\n`, `${'é'.repeat(43)}\n`, `${validSecret}\nmore`])(
    'is replaced when its file holds %j',
    (content) => {
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(secretFile, content, { mode: 0o600 });
      const { secret, notice } = loadDemoSecret(folder);
      expect(notice).toContain(`${secretFile} did not hold a secret`);
      expect(fs.readFileSync(secretFile, 'utf8')).toBe(`${secret}\n`);
    },
  );

  test('is replaced when its file is larger than memory allows', () => {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(secretFile, '', { mode: 0o600 });
    fs.truncateSync(secretFile, 3 * 1024 ** 3); // A sparse file.
    expect(loadDemoSecret(folder).notice).toContain('did not hold a secret');
    expect(fs.statSync(secretFile).size).toBe(44);
  });

  test('is never read through a symbolic link', () => {
    fs.mkdirSync(folder, { recursive: true });
    const target = join(temporaryFolder, 'target');
    fs.writeFileSync(target, `${validSecret}\n`, { mode: 0o600 });
    fs.symlinkSync(target, secretFile);
    const { secret, notice } = loadDemoSecret(folder);
    expect(secret).not.toBe(validSecret);
    expect(notice).toContain('was a symbolic link');
    expect(fs.readFileSync(target, 'utf8')).toBe(`${validSecret}\n`);
  });

  test('is replaced when its path is no regular file, or another user owns the file', () => {
    fs.mkdirSync(folder, { recursive: true });
    execFileSync('mkfifo', ['-m', '600', secretFile]);
    expect(loadDemoSecret(folder).notice).toContain(`${secretFile} was no file`);
    const { secret } = loadDemoSecret(folder);
    const getuid = jest.spyOn(process as Required<typeof process>, 'getuid');
    getuid.mockReturnValue(fs.statSync(secretFile).uid + 1);
    const replacement = loadDemoSecret(folder);
    getuid.mockRestore();
    expect(replacement.notice).toContain('belonged to another user');
    expect(replacement.secret).not.toBe(secret);
    expect(loadDemoSecret(folder)).toEqual({ secret: replacement.secret });
  });

  test('is valid for this process only, with a notice, when it cannot be stored', () => {
    fs.writeFileSync(join(temporaryFolder, 'state'), 'a file in the way');
    // No folder can be created below /proc, where Node's recursive mkdir never returns.
    for (const stateFolder of [undefined, folder, '/proc/nope/resource-gateway']) {
      const { secret, notice } = loadDemoSecret(stateFolder);
      expect(secret).not.toBe(loadDemoSecret(stateFolder).secret);
      expect(notice).toContain('the token is valid until the gateway stops');
    }
  });
});
