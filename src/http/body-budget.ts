/** Upper bounds of the bytes that are being read or sent at once: of all callers, and of one. */
const maxBytes = 64 * 1024 * 1024;
const maxBytesPerCaller = 16 * 1024 * 1024;
/** Overhead of one chunk in bytes, so that many tiny chunks are not free. */
const partBytes = 256;

/** Bounds the memory of bodies and events in transit, however many clients send or read them, and however slowly. */
export class BodyBudget {
  #total = 0;
  readonly #callers = new Map<string, number>();

  /** The bytes that one chunk takes. */
  static costOf(part: Buffer): number {
    return part.length + partBytes;
  }

  /** Reserves bytes for a caller. False, with nothing reserved, when not that many are left. */
  take(caller: string, bytes: number): boolean {
    const used = (this.#callers.get(caller) ?? 0) + bytes;
    if (used > maxBytesPerCaller || this.#total + bytes > maxBytes) return false;
    this.#total += bytes;
    this.#callers.set(caller, used);
    return true;
  }

  /** Releases reserved bytes. */
  give(caller: string, bytes: number): void {
    const left = (this.#callers.get(caller) ?? 0) - bytes;
    this.#total -= bytes;
    if (left > 0) this.#callers.set(caller, left);
    else this.#callers.delete(caller);
  }
}
