import type { ConferenceData } from '../model/fields.ts';

/** The solution types a conference can be created as (event resource, section 2, conferenceSolution.key.type). */
export const creatableTypes = ['eventCall', 'eventNamedCall', 'hostedCall'] as const;
export type CreatableType = (typeof creatableTypes)[number];

/** The type of a conference that another provider made: the client describes it, and the server signs it. */
export const addOnType = 'addOn';

export const isCreatable = (type: string | null | undefined): type is CreatableType =>
  creatableTypes.some((known) => known === type);

export const typeOf = (conference: ConferenceData | undefined): string | undefined =>
  conference?.conferenceSolution?.key?.type;
