export type Json = Readonly<Record<string, unknown>>;

/** One request of a method. */
export interface Asked {
  /** The address of whoever asks. */
  readonly caller: string;
  /** What the path names, in its order. */
  readonly named: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly ifMatch: string | undefined;
}

export interface Answer {
  readonly status?: number;
  /** Absent: there is no body. */
  readonly json?: Json;
}

/** A method, as the discovery document names it. */
export interface Method {
  readonly name: string;
  readonly verb: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `calendars/{}/events`: `{}` is a segment that names something. */
  readonly path: string;
  readonly run: (asked: Asked) => Answer;
}

/** What a service refuses, in the form that the official APIs give to errors. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;
  readonly location: string | undefined;

  constructor(status: number, reason: string, message: string, location?: string) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.location = location;
  }

  get json(): Json {
    const { status: code, reason, message, location } = this;
    const where = location === undefined ? {} : { locationType: 'parameter', location };
    return { error: { code, message, errors: [{ domain: 'global', reason, message, ...where }] } };
  }
}

export const notFound = (): Refusal => new Refusal(404, 'notFound', 'Not Found');

/** The parameter `fields`: names, with what is wanted inside. */
type Wanted = Map<string, Wanted>;

/** What of an answer the parameter `fields` asks for. */
export function partOf(json: unknown, fields: string | null): unknown {
  return fields === null ? json : chosen(json, wantedIn(fields));
}

function wantedIn(fields: string): Wanted {
  const tokens = fields.match(/[^,()/]+|[,()/]/g) ?? [];
  const assertValid = (isValid: boolean): void => {
    if (!isValid) throw new Refusal(400, 'invalidParameter', `Invalid field selection ${fields}`, 'fields');
  };
  const list = (): Wanted => {
    const found: Wanted = new Map();
    do {
      const name = tokens.shift() ?? ',';
      assertValid(!/[,()/]/.test(name));
      found.set(name, inside());
    } while (tokens[0] === ',' && tokens.shift());
    return found;
  };
  const inside = (): Wanted => {
    if (tokens[0] === '/') {
      tokens.shift();
      return new Map([[tokens.shift() ?? '', inside()]]);
    }
    if (tokens[0] !== '(') return new Map();
    tokens.shift();
    const found = list();
    assertValid(tokens.shift() === ')');
    return found;
  };
  const all = list();
  assertValid(tokens.length === 0);
  return all;
}

function chosen(value: unknown, wanted: Wanted): unknown {
  if (wanted.size === 0 || wanted.has('*') || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => chosen(entry, wanted));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, entry]) => {
      const inner = wanted.get(name);
      return inner ? [[name, chosen(entry, inner)]] : [];
    }),
  );
}
