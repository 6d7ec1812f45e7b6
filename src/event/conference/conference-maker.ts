import type { ConferenceData } from '../model/fields.ts';
import type { ConferenceRequest, CreatedConference } from './create.ts';

/** What makes and signs conferences for one event. */
export interface ConferenceMaker {
  readonly isSigned: (conference: ConferenceData) => boolean;
  readonly sign: (conference: ConferenceData) => string;
  readonly create: (request: ConferenceRequest) => CreatedConference;
}
