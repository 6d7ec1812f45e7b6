import { Counts } from '../core/runtime/limits.ts';

/** Upper bounds of the bytes that are being read or sent at once: of all callers, and of one. */
const maxBytes = 64 * 1024 * 1024;
const maxBytesPerCaller = 16 * 1024 * 1024;
/** Overhead of one chunk in bytes, so that many tiny chunks are not free. */
const partBytes = 256;

/** Bounds the memory of bodies and events in transit, however many clients send or read them, and however slowly. */
export class BodyBudget {
  readonly #taken = new Counts();

  /** The bytes that one chunk takes. */
  static costOf(part: Buffer): number {
    return part.length + partBytes;
  }

  /** Reserves bytes for a caller. False, with nothing reserved, when not that many are left. */
  take(caller: string, bytes: number): boolean {
    const isFree =
      this.#taken.of(caller) + bytes <= maxBytesPerCaller && this.#taken.total + bytes <= maxBytes;
    if (isFree) this.#taken.add(caller, bytes);
    return isFree;
  }

  /** Releases reserved bytes. */
  give(caller: string, bytes: number): void {
    this.#taken.take(caller, bytes);
  }
}
