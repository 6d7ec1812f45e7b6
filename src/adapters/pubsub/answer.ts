/** What Pub/Sub answers: the status, and the word for it that its errors hold, such as `NOT_FOUND`. */
export interface Answer {
  readonly status: number;
  readonly word?: string;
}

const maxBytes = 64 * 1024;

/** Reads an answer. A failure to get one says no more than its code: its message may hold what the log must not. */
export async function answerOf(asked: Promise<Response>): Promise<Answer> {
  const response = await asked.catch((error: unknown) => {
    throw new Error(`no answer (${codeOf(error)})`);
  });
  const { status, ok } = response;
  const body = textOf(response).catch(() => '');
  // A connection is used again once its answer was read; what was published is so by now.
  return ok ? { status } : { status, word: wordIn(await body) };
}

/** The code of a failure, or of what caused it. */
export function codeOf(error: unknown): string {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: unknown };
  if (typeof code === 'string' || typeof code === 'number') return String(code);
  return typeof cause === 'object' && cause !== null ? codeOf(cause) : String(name);
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks).toString();
}

/** Errors are `{ "error": { "code", "message", "status" } }`; the message may hold names of objects. */
function wordIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { status?: unknown } };
    return typeof error?.status === 'string' && /^[A-Z_]{1,40}$/.test(error.status)
      ? error.status
      : undefined;
  } catch {
    return undefined;
  }
}
