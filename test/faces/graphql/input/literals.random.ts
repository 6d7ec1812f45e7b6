import * as shapes from '../../../../src/generated/input-shapes.ts';
import type { InputNames } from '../../../../src/core/fields/coerce.ts';
import { officialNames } from '../../../../src/google/names.ts';
import { bodies, type Sample } from '../../../validation/bodies.ts';
import { useGateway, type Answer } from '../../../harness.ts';

const operations = {
  insert: [
    'insertEvent(calendarId: "primary", validateOnly: true, supportsAttachments: true, conferenceDataVersion: 1, event: $body) { summary status start { date dateTime timeZone } attendees { email responseStatus } extendedProperties { private } }',
    'EventInput!',
  ],
  patch: [
    'patchEvent(calendarId: "primary", eventId: "review", validateOnly: true, supportsAttachments: true, conferenceDataVersion: 1, event: $body) { summary status start { date dateTime timeZone } attendees { email responseStatus } extendedProperties { private } }',
    'EventInput!',
  ],
  attendeeChanges: [
    'patchEvent(calendarId: "primary", eventId: "review", validateOnly: true, attendeeChanges: $body, event: {}) { attendees { email responseStatus } }',
    'AttendeeChangesInput',
  ],
  notification: [
    'insertNotification(bucket: "demo-photos", validateOnly: true, notification: $body) { topic event_types custom_attributes }',
    'NotificationInput!',
  ],
} as const;

/** A value as a document has it: enum values without quotes. Undefined for one that cannot be written in a document. */
function literalOf(value: unknown, type: string): string | undefined {
  const bare = type.replace(/!$/, '');
  if (Array.isArray(value))
    return joined(
      '[',
      value.map((entry) => literalOf(entry, bare.replace(/^\[(.*)\]$/, '$1'))),
      ']',
    );
  if (typeof value === 'object' && value !== null) {
    const named = bare.replace(/[[\]!]/g, '');
    const fields = shapes.inputFields[named] ?? {};
    // Edges are dropped from variables alone.
    const { edgeFields }: InputNames = officialNames[named as keyof typeof officialNames] ?? {};
    if (!Object.keys(value).every((key) => /^[A-Za-z]\w*$/.test(key) && !edgeFields?.has(key)))
      return undefined;
    return joined(
      '{',
      Object.entries(value).map(([key, one]) => {
        const literal = literalOf(one, fields[key] ?? 'String');
        return literal && `${key}: ${literal}`;
      }),
      '}',
    );
  }
  if (typeof value === 'string' && bare.replace(/[[\]!]/g, '') in shapes.enumValues) return value;
  // What JSON writes of a string is a string of GraphQL as well, but for half surrogate pairs.
  return /\\ud[89a-f]/i.test(JSON.stringify(value)) ? undefined : JSON.stringify(value);
}

const joined = (open: string, parts: readonly (string | undefined)[], close: string): string | undefined =>
  parts.includes(undefined) ? undefined : `${open}${parts.join(', ')}${close}`;

const issuesOf = ({ errors = [] }: Answer) => errors.flatMap(({ extensions: { issues } }) => issues);
const placesOf = (answer: Answer): string[] =>
  issuesOf(answer).map(({ path, reason }) => `${path.join('.')} ${reason}`);

describe('a value in a document and the same value in a variable', () => {
  const gateway = useGateway();

  const asVariable = ({ kind, body }: Sample): Promise<Answer> =>
    gateway.ask(`mutation ($body: ${operations[kind][1]}) { ${operations[kind][0]} }`, { body });
  const asLiteral = ({ kind }: Sample, literal: string): Promise<Answer> =>
    gateway.ask(`mutation { ${operations[kind][0].replace('$body', literal)} }`);

  test('260 bodies have the same outcome where they fit the schema, and coercion errors at the same paths', async () => {
    let [fitting, wrong] = [0, 0];
    for (const sample of bodies()) {
      const literal = literalOf(sample.body, operations[sample.kind][1]);
      if (literal === undefined || literal.length > 20_000) continue;
      const [variable, document] = [await asVariable(sample), await asLiteral(sample, literal)];
      // Of a document that does not fit the schema nothing runs, so that only coercion errors are reported.
      if (document.data === undefined) {
        wrong += 1;
        expect({ literal, places: placesOf(variable) }).toEqual({
          literal,
          places: expect.arrayContaining(placesOf(document)),
        });
      } else {
        fitting += 1;
        expect({ literal, data: document.data, issues: issuesOf(document) }).toEqual({
          literal,
          data: variable.data,
          issues: issuesOf(variable),
        });
      }
    }
    expect(fitting).toBeGreaterThan(80);
    expect(wrong).toBeGreaterThan(60);
  });
});
