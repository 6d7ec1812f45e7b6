import * as shapes from '../../../../src/generated/input-shapes.ts';
import type { InputNames } from '../../../../src/core/fields/coerce.ts';
import { officialNames } from '../../../../src/google/api-differences.ts';
import { createSampleBodies, type Sample } from '../../../validation/bodies.ts';
import { useGateway, type Answer } from '../../../harness.ts';

/** Root fields that take a sample as `$body`, and the type of `$body`, by kind of sample. */
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

/** Writes a value as a GraphQL literal, with enum values unquoted; undefined if GraphQL has no literal for it. */
function writeLiteral(value: unknown, type: string): string | undefined {
  const nullableType = type.replace(/!$/, '');
  if (Array.isArray(value))
    return joinLiterals(
      '[',
      value.map((entry) => writeLiteral(entry, nullableType.replace(/^\[(.*)\]$/, '$1'))),
      ']',
    );
  if (typeof value === 'object' && value !== null) {
    const typeName = nullableType.replace(/[[\]!]/g, '');
    const fields = shapes.inputFields[typeName] ?? {};
    // Edges are dropped from variables, not from literals.
    const { edgeFields }: InputNames = officialNames[typeName as keyof typeof officialNames] ?? {};
    if (!Object.keys(value).every((key) => /^[A-Za-z]\w*$/.test(key) && !edgeFields?.has(key)))
      return undefined;
    return joinLiterals(
      '{',
      Object.entries(value).map(([key, entry]) => {
        const literal = writeLiteral(entry, fields[key] ?? 'String');
        return literal && `${key}: ${literal}`;
      }),
      '}',
    );
  }
  if (typeof value === 'string' && nullableType.replace(/[[\]!]/g, '') in shapes.enumValues) return value;
  // A JSON string is a GraphQL string too, unless it has a lone surrogate.
  return /\\ud[89a-f]/i.test(JSON.stringify(value)) ? undefined : JSON.stringify(value);
}

const joinLiterals = (
  open: string,
  parts: readonly (string | undefined)[],
  close: string,
): string | undefined => (parts.includes(undefined) ? undefined : `${open}${parts.join(', ')}${close}`);

const issuesOf = ({ errors = [] }: Answer) => errors.flatMap(({ extensions: { issues } }) => issues);
const locateIssues = (answer: Answer): string[] =>
  issuesOf(answer).map(({ path, reason }) => `${path.join('.')} ${reason}`);

describe('a value in a document and the same value in a variable', () => {
  const gateway = useGateway();

  const sendAsVariable = ({ kind, body }: Sample): Promise<Answer> =>
    gateway.ask(`mutation ($body: ${operations[kind][1]}) { ${operations[kind][0]} }`, { body });
  const sendAsLiteral = ({ kind }: Sample, literal: string): Promise<Answer> =>
    gateway.ask(`mutation { ${operations[kind][0].replace('$body', literal)} }`);

  test('260 bodies have the same result if valid, and coercion errors at the same paths', async () => {
    let [validCount, invalidCount] = [0, 0];
    for (const sample of createSampleBodies()) {
      const literal = writeLiteral(sample.body, operations[sample.kind][1]);
      if (literal === undefined || literal.length > 20_000) continue;
      const [variableAnswer, literalAnswer] = [
        await sendAsVariable(sample),
        await sendAsLiteral(sample, literal),
      ];
      // An invalid document does not run, so only its coercion errors are reported.
      if (literalAnswer.data === undefined) {
        invalidCount += 1;
        expect({ literal, issueTexts: locateIssues(variableAnswer) }).toEqual({
          literal,
          issueTexts: expect.arrayContaining(locateIssues(literalAnswer)),
        });
      } else {
        validCount += 1;
        expect({ literal, data: literalAnswer.data, issues: issuesOf(literalAnswer) }).toEqual({
          literal,
          data: variableAnswer.data,
          issues: issuesOf(variableAnswer),
        });
      }
    }
    expect(validCount).toBeGreaterThan(80);
    expect(invalidCount).toBeGreaterThan(60);
  });
});
