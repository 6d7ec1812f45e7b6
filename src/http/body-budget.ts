import { Counts } from '../core/runtime/limits.ts';

/** Maximum number of bytes in transit: of all callers together, and of one. */
const maxTotalBytes = 64 * 1024 * 1024;
const maxBytesPerCaller = 16 * 1024 * 1024;
/** Overhead of a chunk in bytes, so that many tiny chunks are not free. */
const chunkOverheadBytes = 256;

/** Limits the memory of bodies and events in transit, for any number of slow clients. */
export class BodyBudget {
  readonly #reserved = new Counts();

  static costOf(chunk: Buffer): number {
    return chunk.length + chunkOverheadBytes;
  }

  /** Reserves bytes for a caller. Returns false and reserves nothing if too few are left. */
  reserve(caller: string, bytes: number): boolean {
    const isFree =
      this.#reserved.countOf(caller) + bytes <= maxBytesPerCaller &&
      this.#reserved.total + bytes <= maxTotalBytes;
    if (isFree) this.#reserved.add(caller, bytes);
    return isFree;
  }

  release(caller: string, bytes: number): void {
    this.#reserved.subtract(caller, bytes);
  }
}
