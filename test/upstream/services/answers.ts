import { parseFields, select } from '../../../src/google/partial.ts';

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

/** What of an answer the parameter `fields` asks for. */
export async function partOf(json: Json, fields: string | null): Promise<unknown> {
  if (fields === null) return json;
  const selection = parseFields(fields);
  if (!selection) throw new Refusal(400, 'invalidParameter', `Invalid field selection ${fields}`, 'fields');
  return select(selection, json);
}
