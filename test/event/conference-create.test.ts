import { checkConference, solutionTypes, type ConferenceData } from '../../src/event/conference.ts';
import { createConference } from '../../src/event/conference-create.ts';
import { isSigned, signConference } from '../../src/event/conference-signature.ts';

const secret = 'a secret of the tests';
const sign = (conference: ConferenceData): string => signConference(conference, secret);
const facts = { eventId: 'abc123', summary: 'Weekly Stand-up, Zürich!', linkBase: 'https://calls.example.com/' };
const make = (type: (typeof solutionTypes)[number], more: object = {}) =>
  createConference({ requestId: 'r1', type }, { ...facts, ...more }, sign);

describe.each(solutionTypes)('createConference: %s', (type) => {
  const { conference, callLink } = make(type);

  test('is signed and breaks no rule', () => {
    expect(checkConference(conference)).toEqual([]);
    expect(isSigned(conference, secret)).toBe(true);
  });

  test('names its solution and keeps the request, done', () => {
    expect(conference.conferenceSolution?.key?.type).toBe(type);
    expect(conference.conferenceSolution?.name).toBeTruthy();
    expect(conference.conferenceSolution?.iconUri).toMatch(/^https:\/\/calls\.example\.com\/icons\/[a-z-]+\.svg$/);
    expect(conference.createRequest).toEqual({
      conferenceSolutionKey: { type },
      requestId: 'r1',
      status: { statusCode: 'success' },
    });
  });

  test('the call link is the video entry point, below the base', () => {
    const video = conference.entryPoints?.find((entry) => entry.entryPointType === 'video');
    expect(callLink).toBe(video?.uri);
    expect(callLink).toMatch(/^https:\/\/calls\.example\.com\/[a-z]/);
    expect(video?.label).toBe(callLink.replace('https://', ''));
  });

  test('a second one has another link', () => expect(make(type).callLink).not.toBe(callLink));

  test('any event id, summary and base of sensible length give a valid one', () => {
    const text = '\ud800/../?日本'.repeat(200);
    const odd = { eventId: text, summary: text, linkBase: 'http://a.example' };
    const made = make(type, odd).conference;
    expect(checkConference(made)).toEqual([]);
    expect(made.entryPoints?.[0]?.uri).toMatch(/^http:\/\/a\.example\/[a-z/-]+$/);
  });
});

describe('createConference: identifiers', () => {
  test('an event call has none, and the event in its link', () => {
    const { conference, callLink } = make('eventCall');
    expect(conference).not.toHaveProperty('conferenceId');
    expect(callLink).toMatch(/\/event\/abc123-[a-z]{10}$/);
  });

  test('a named call has a name from the summary', () => {
    const { conference, callLink } = make('eventNamedCall');
    expect(conference.conferenceId).toMatch(/^weekly-stand-up-zurich-[a-z]{10}$/);
    expect(callLink.endsWith(`/named/${conference.conferenceId}`)).toBe(true);
  });

  test.each([undefined, '', '日本'])('a named call without a usable summary has a generated name (%s)', (summary) => {
    expect(make('eventNamedCall', { summary }).conference.conferenceId).toMatch(/^call-[a-z]{10}$/);
  });

  test('a name is not cut into a double hyphen', () => {
    const { conference } = make('eventNamedCall', { summary: `${'a'.repeat(39)} b` });
    expect(conference.conferenceId).toMatch(/^a{39}-[a-z]{10}$/);
  });

  test('a hosted call has a 10-letter code, a phone with a PIN and a page with more', () => {
    const { conference, callLink } = make('hostedCall');
    expect(conference.conferenceId).toMatch(/^[a-z]{10}$/);
    expect(callLink).toMatch(/\/[a-z]{3}-[a-z]{4}-[a-z]{3}$/);
    expect(callLink.replaceAll('-', '').endsWith(`/${conference.conferenceId}`)).toBe(true);
    const [, phone, more] = conference.entryPoints ?? [];
    expect(phone).toMatchObject({ entryPointType: 'phone', regionCode: 'US' });
    expect(phone?.pin).toMatch(/^\d{9}$/);
    expect(phone?.uri).toBe(`tel:+1-202-555-0143,,${phone?.pin}%23`);
    expect(more).toMatchObject({ entryPointType: 'more', pin: phone?.pin });
    expect(more).not.toHaveProperty('label');
  });
});
