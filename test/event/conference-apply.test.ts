import type { ConferenceData } from '../../src/event/conference.ts';
import { applyConference } from '../../src/event/conference-apply.ts';
import type { ConferencePatch } from '../../src/event/conference-change.ts';
import { isSigned } from '../../src/event/conference-signature.ts';
import { apply, create, kept, other, secret, stored, warned } from './conference.harness.ts';

const withNulls = (conference: ConferenceData): ConferencePatch =>
  JSON.parse(JSON.stringify({ notes: null, conferenceId: null, ...conference }));

describe('applyConference: nothing changes', () => {
  test.each<[string, ConferencePatch | undefined]>([
    ['nothing was sent', undefined],
    ['an empty object', {}],
    ['what is stored', stored.conference],
    ['what is stored, unset fields as null', withNulls(stored.conference)],
    ['the same request', { createRequest: { requestId: 'r1', conferenceSolutionKey: { type: 'hostedCall' } } }],
    ['the id of the request alone', { createRequest: { requestId: 'r1' } }],
    ['another read-only status', { createRequest: { requestId: 'r1', status: { statusCode: 'failure' } } }],
    ['entry points without region codes', {
      entryPoints: stored.conference.entryPoints?.map(({ regionCode: _, ...entry }) => entry),
    }],
  ])('%s', (_, patch) => {
    expect(apply(stored.conference, patch)).toEqual({ ...kept, warnings: [] });
  });

  test('nothing is stored and nothing was sent', () => {
    expect(apply(undefined, {})).toEqual({ changed: false, issues: [], warnings: [] });
    const input = { patch: {} };
    expect(applyConference(input, { isSigned: () => false, create })).toMatchObject({ changed: false });
  });

  test('the same requestId with another type is ignored, with a warning', () => {
    const result = apply(stored.conference, {
      createRequest: { requestId: 'r1', conferenceSolutionKey: { type: 'laterCall' } },
    });
    expect(result).toMatchObject(kept);
    expect(warned(result)).toEqual(['conferenceData.createRequest ignored']);
  });

  test.each([null, 'forged'])('another signature for the same content is ignored, with a warning (%s)', (signature) => {
    const result = apply(stored.conference, { signature });
    expect(result).toMatchObject(kept);
    expect(warned(result)).toEqual(['conferenceData.signature ignored']);
  });
});

describe('applyConference: null', () => {
  test('removes the conference and the call link', () => {
    expect(apply(stored.conference, null)).toEqual({ changed: true, issues: [], warnings: [] });
    expect(apply(undefined, null, 'https://a.example')).toMatchObject({ changed: true });
  });

  test('changes nothing where there is none', () => {
    expect(apply(undefined, null)).toEqual({ changed: false, issues: [], warnings: [] });
  });
});

describe('applyConference: createRequest', () => {
  const request = (requestId: string | undefined, type: string | undefined): ConferencePatch => ({
    createRequest: { requestId, conferenceSolutionKey: { type } },
  });

  test('makes a signed conference', () => {
    const result = apply(undefined, request('r9', 'hostedCall'));
    expect(result).toMatchObject({ changed: true, issues: [], warnings: [] });
    expect(result.conference?.createRequest?.status?.statusCode).toBe('success');
    expect(isSigned(result.conference ?? {}, secret)).toBe(true);
    expect(result.callLink).toBe(result.conference?.entryPoints?.[0]?.uri);
  });

  test('a new requestId replaces the old conference, notes and all', () => {
    const result = apply({ ...stored.conference, notes: 'old' }, request('r9', 'eventCall'));
    expect(result.conference?.conferenceSolution?.key?.type).toBe('eventCall');
    expect(result.conference).not.toHaveProperty('conferenceId');
    expect(result.conference).not.toHaveProperty('notes');
    expect(result.callLink).not.toBe(stored.callLink);
    expect(result.warnings).toEqual([]);
  });

  test('a new requestId beside what is stored makes a new one without a warning', () => {
    const sent = { ...stored.conference, createRequest: { ...stored.conference.createRequest, requestId: 'r9' } };
    const result = apply(stored.conference, sent);
    expect(result).toMatchObject({ changed: true, warnings: [] });
    expect(result.conference?.conferenceId).not.toBe(stored.conference.conferenceId);
  });

  test('notes and parameters that were sent along stay', () => {
    const parameters = { addOnParameters: { parameters: { a: 'b' } } };
    const result = apply(undefined, { ...request('r9', 'eventCall'), notes: 'n', parameters });
    expect(result.conference).toMatchObject({ notes: 'n', parameters });
    expect(isSigned(result.conference ?? {}, secret)).toBe(true);
  });

  test('other content that was sent along is ignored, with a warning each', () => {
    const result = apply(stored.conference, {
      ...request('r9', 'eventCall'),
      conferenceId: 'mine',
      conferenceSolution: { key: { type: 'eventCall' } },
      entryPoints: null,
      signature: 'forged',
    });
    expect(result).toMatchObject({ changed: true, issues: [] });
    expect(warned(result)).toEqual([
      'conferenceData.conferenceId ignored',
      'conferenceData.conferenceSolution ignored',
      'conferenceData.signature ignored',
    ]);
  });

  test('an incomplete or unknown request is an issue, and nothing is made', () => {
    const refused = (patch: ConferencePatch): string[] => {
      const result = apply(undefined, patch);
      expect(result).toMatchObject({ changed: false, warnings: [] });
      return result.issues.map(({ path, reason }) => `${path.slice(2).join('.')} ${reason}`);
    };
    expect(refused({ createRequest: {} })).toEqual(['requestId required', 'conferenceSolutionKey.type required']);
    expect(refused(request('r9', undefined))).toEqual(['conferenceSolutionKey.type required']);
    expect(refused(request(undefined, 'eventCall'))).toEqual(['requestId required']);
    expect(refused(request('r9', 'laterCall'))).toEqual(['conferenceSolutionKey.type invalid']);
  });

  test('after a failure a new request is carried out', () => {
    const failed: ConferenceData = { createRequest: { requestId: 'r1', status: { statusCode: 'failure' } } };
    expect(apply(failed, request('r9', 'eventCall'))).toMatchObject({ changed: true, issues: [] });
  });

  test('clearing it leaves the conference', () => {
    const result = apply(stored.conference, { createRequest: null });
    const { createRequest: _, ...rest } = stored.conference;
    expect(result).toEqual({ ...kept, conference: rest, changed: true, warnings: [] });
  });

  test('works with a maker that gives no call link', () => {
    const pending: ConferenceData = { createRequest: { requestId: 'r9', status: { statusCode: 'pending' } } };
    const patch = request('r9', 'eventCall');
    const context = { isSigned: () => false, create: () => ({ conference: pending }) };
    const result = applyConference({ patch, after: patch as ConferenceData }, context);
    expect(result).toEqual({ conference: pending, changed: true, issues: [], warnings: [] });
  });
});

describe('applyConference: notes and parameters', () => {
  const parameters = { addOnParameters: { parameters: { a: 'b' } } };

  test('may be changed without a new signature, and a copy stays valid', () => {
    const result = apply(stored.conference, { notes: 'n', parameters });
    const conference = { ...stored.conference, notes: 'n', parameters };
    expect(result).toEqual({ ...kept, conference, changed: true, warnings: [] });
    expect(isSigned(result.conference ?? {}, secret)).toBe(true);
    expect(apply(undefined, result.conference).changed).toBe(true);
  });

  test('may be cleared', () => {
    const result = apply({ ...stored.conference, notes: 'n', parameters }, { notes: null, parameters: null });
    expect(result).toEqual({ ...kept, changed: true, warnings: [] });
  });

  test('a signature or an altered request beside them is ignored, with a warning', () => {
    const createRequest = { requestId: 'r1', conferenceSolutionKey: { type: 'eventCall' } };
    const result = apply(stored.conference, { notes: 'n', signature: 'forged', createRequest });
    expect(result).toMatchObject({ conference: { ...stored.conference, notes: 'n' }, changed: true });
    expect(warned(result)).toEqual(['conferenceData.createRequest ignored', 'conferenceData.signature ignored']);
  });

  test('need a conference', () => {
    const result = apply(undefined, { notes: 'n' });
    expect(result).toMatchObject({ conference: undefined, changed: false });
    expect(warned(result)).toEqual(['conferenceData.signature ignored']);
  });

  test('are checked; what is stored beside them is not', () => {
    const old: ConferenceData = { ...stored.conference, conferenceId: 'too short', entryPoints: [{}] };
    expect(apply(old, { notes: 'n' })).toMatchObject({ changed: true, issues: [] });
    const result = apply(old, { notes: 'x'.repeat(2049) });
    expect(result).toMatchObject({ conference: old, changed: false });
    expect(result.issues.map(({ path }) => path)).toEqual([['conferenceData', 'notes']]);
  });
});

describe.each([{ conferenceSolution: { key: { type: 'laterCall' } } }, { conferenceSolution: {} }, {}])(
  'applyConference: a stored conference of type %o',
  (solution) => {
    const { conferenceSolution: _, ...rest } = stored.conference;
    const locked: ConferenceData = { ...rest, ...solution };

    test.each<[string, ConferencePatch]>([
      ['notes', { notes: 'n' }],
      ['a copy', other.conference],
      ['a request', { createRequest: { requestId: 'r9', conferenceSolutionKey: { type: 'eventCall' } } }],
    ])('cannot be modified: %s', (_name, patch) => {
      const result = apply(locked, patch);
      expect(result).toMatchObject({ conference: locked, changed: false, warnings: [] });
      expect(result.issues).toMatchObject([{ path: ['conferenceData'], reason: 'invalid' }]);
    });

    test('can be sent back as it is, and removed', () => {
      expect(apply(locked, locked)).toMatchObject({ changed: false, issues: [], warnings: [] });
      expect(apply(locked, null)).toEqual({ changed: true, issues: [], warnings: [] });
    });
  },
);
