/** What bodies that are being read, or events that are being sent, may take at once: in all, and those of one caller. */
const maxBytes = 64 * 1024 * 1024;
const maxBytesPerCaller = 16 * 1024 * 1024;
/** What a part of a body takes beside its bytes, so that many tiny parts count for what they are. */
const partBytes = 256;

/** Bounds the memory of what is on its way in or out, however many clients send or read it and however slowly. */
export class BodyBudget {
  #total = 0;
  readonly #callers = new Map<string, number>();

  /** What a part of a body takes, in bytes. */
  static costOf(part: Buffer): number {
    return part.length + partBytes;
  }

  /** Takes bytes for a caller; false, and nothing taken, when there are not that many left. */
  take(caller: string, bytes: number): boolean {
    const used = (this.#callers.get(caller) ?? 0) + bytes;
    if (used > maxBytesPerCaller || this.#total + bytes > maxBytes) return false;
    this.#total += bytes;
    this.#callers.set(caller, used);
    return true;
  }

  /** Gives back what was taken. */
  give(caller: string, bytes: number): void {
    const left = (this.#callers.get(caller) ?? 0) - bytes;
    this.#total -= bytes;
    if (left > 0) this.#callers.set(caller, left);
    else this.#callers.delete(caller);
  }
}
