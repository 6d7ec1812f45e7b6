import { parseFields, selectFields } from '../../../src/google/partial-response.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A parsed request to a fake service. */
export interface ServiceRequest {
  /** The caller's e-mail address. */
  readonly caller: string;
  /** Decoded parameters of the path, in order. */
  readonly pathParameters: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly ifMatch: string | undefined;
}

/** Response of a fake service; the status is 200 by default. */
export interface ServiceResponse {
  readonly status?: number;
  /** Absent for an empty body. */
  readonly json?: Json;
}

/** A method of an API, named as in its discovery document. */
export interface Method {
  readonly name: string;
  readonly verb: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A pattern such as `calendars/{}/events`: `{}` stands for a parameter. */
  readonly path: string;
  readonly run: (request: ServiceRequest) => ServiceResponse;
}

/** An error response of a fake service, in the format of Google's APIs. */
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
    const locationFields = location === undefined ? {} : { locationType: 'parameter', location };
    return { error: { code, message, errors: [{ domain: 'global', reason, message, ...locationFields }] } };
  }
}

/** Creates the error for an absent object, or one that the caller may not see. */
export const createNotFoundRefusal = (): Refusal => new Refusal(404, 'notFound', 'Not Found');

/** Selects the part of a response that the `fields` parameter names. */
export async function selectRequestedFields(json: Json, fields: string | null): Promise<unknown> {
  if (fields === null) return json;
  const selection = parseFields(fields);
  if (!selection) throw new Refusal(400, 'invalidParameter', `Invalid field selection ${fields}`, 'fields');
  return selectFields(selection, json);
}
