import { eventDefaults, eventRules, lockedFields } from '../../src/event/event.rules.ts';
import { inputPaths, pathsOf, tablePaths } from '../schema/input-paths.ts';

const below = (path: string, names: string) => [path, ...names.split(' ').map((name) => `${path}.${name}`)];

/** The table of who may change what, as it is promised; all other fields are shared. */
const promised: Record<string, string[]> = {
  readOnly: [
    'created',
    'updated',
    ...below('creator', 'displayName email id self'),
    ...below('organizer', 'displayName email id self'),
    'htmlLink',
    'callLink',
    'locked',
    'kind',
    'etag',
    'attendees[].self',
    'attendees[].organizer',
    'attachments[].fileId',
    'attachments[].iconLink',
    ...below('conferenceData.createRequest.status', 'statusCode'),
    'conferenceData.entryPoints[].regionCode',
  ],
  immutable: ['id', 'iCalUID', 'recurringEventId', ...below('originalStartTime', 'date dateTime timeZone'), 'privateCopy'],
  once: ['attendees[].resource'],
  creator: below('source', 'title url'),
  copy: [
    ...below('reminders', 'overrides[] overrides[].method overrides[].minutes useDefault'),
    ...below('extendedProperties.private', '*'),
    'colorId',
    'transparency',
    'visibility',
  ],
  own: ['attendees[].responseStatus', 'attendees[].comment', 'attendees[].additionalGuests'],
  request: ['attendeesOmitted'],
};

describe('the rules of an event', () => {
  test('say of every field a client can send who may change it, and of no other', () => {
    expect(Object.keys(eventRules).sort()).toEqual(inputPaths('EventInput').sort());
  });

  test('cover the 118 parameters of the resource', () => {
    const parameters = tablePaths('event');
    expect(parameters).toHaveLength(118);
    expect(Object.keys(eventRules).sort()).toEqual(parameters.sort());
  });

  test.each(Object.keys(promised))('the %s fields are those of the public table', (rule) => {
    expect(pathsOf(eventRules, rule)).toEqual(promised[rule]?.toSorted());
  });

  test('everything else is shared', () => {
    const others = Object.values(promised).flat();
    const rest = inputPaths('EventInput').filter((path) => !others.includes(path));
    expect(pathsOf(eventRules, 'shared')).toEqual(rest.sort());
  });

  test('what a locked copy keeps and what has a default are fields of the event', () => {
    const names = inputPaths('EventInput').map((path) => path.replace('[]', ''));
    expect(names).toEqual(expect.arrayContaining([...lockedFields, ...Object.keys(eventDefaults)]));
  });
});
