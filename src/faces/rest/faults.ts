import { HttpError } from '../../http/face.ts';

/** Where a fault lies, as the official APIs tell it. */
export interface Location {
  readonly locationType: 'parameter' | 'header' | 'other';
  readonly location: string;
}

/** A fault that only this face knows. */
export class RestFault extends HttpError {
  /** As the official APIs call it. */
  readonly official: string;
  readonly at: Location | undefined;

  constructor(
    status: number,
    official: string,
    message: string,
    { at, headers = {} }: { readonly at?: Location; readonly headers?: HttpError['headers'] } = {},
  ) {
    super(status, status === 404 ? 'notFound' : 'invalid', message, headers);
    this.official = official;
    this.at = at;
  }
}

export const atParameter = (location: string): Location => ({ locationType: 'parameter', location });
export const atHeader = (location: string): Location => ({ locationType: 'header', location });
