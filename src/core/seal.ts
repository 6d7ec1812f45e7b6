import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts JSON values to opaque tokens, and decrypts them. */
export type Seal = ReturnType<typeof createSeal>;

/** Bytes of key, nonce and tag of AES-256-GCM. */
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** Values are padded to multiples of this, so that a token's length reveals little about its value. */
const blockBytes = 64;

/** Creates a seal: AES-256-GCM (NIST SP 800-38D) with one key per purpose, derived from the secret by HKDF (RFC 5869). */
export function createSeal(secret: string, purpose: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `seal of ${purpose}`, keyBytes));
  return {
    /** Returns a base64url token that clients can neither read nor forge. It differs each time. */
    close(this: void, value: unknown): string {
      const text = Buffer.from(JSON.stringify(value));
      const paddedText = Buffer.alloc(Math.ceil(text.length / blockBytes) * blockBytes, ' ');
      text.copy(paddedText);
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      return Buffer.concat([nonce, cipher.update(paddedText), cipher.final(), cipher.getAuthTag()]).toString(
        'base64url',
      );
    },
    /** Returns the value of a token; undefined for a forged token or one of another seal. */
    open(this: void, token: string): unknown {
      const bytes = Buffer.from(token, 'base64url');
      // The decoder ignores characters that are not base64url.
      if (bytes.length <= nonceBytes + tagBytes || bytes.toString('base64url') !== token) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        return JSON.parse(
          Buffer.concat([
            decipher.update(bytes.subarray(nonceBytes, -tagBytes)),
            decipher.final(),
          ]).toString(),
        ) as unknown;
      } catch {
        return undefined;
      }
    },
  };
}
