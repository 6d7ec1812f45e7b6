import type { Api } from './method.ts';
import { calendarMethods } from './methods/calendars.ts';
import { eventMethods } from './methods/events.ts';
import { storageMethods } from './methods/storage.ts';
import type { Route } from './routes.ts';

/** Methods of the official APIs that look like an event's or a rule's, and are not offered. */
export const notOffered: readonly Route[] = [
  ...['import', 'quickAdd', 'watch'].map((name) => `calendars/{calendarId}/events/${name}`),
  'calendars/{calendarId}/acl/watch',
  'users/me/calendarList/watch',
].map((path) => ({ verb: 'POST', template: `/calendar/v3/${path}` }));

/** The APIs that are served, with all their methods. */
export const apis: readonly Api[] = [
  {
    name: 'calendar',
    version: 'v3',
    title: 'Calendar API',
    description: 'Calendars and events.',
    basePath: '/calendar/v3/',
    batchPath: '/batch/calendar/v3',
    methods: [...calendarMethods, ...eventMethods],
  },
  {
    name: 'storage',
    version: 'v1',
    title: 'Cloud Storage JSON API',
    description: 'Buckets and their notifications.',
    basePath: '/storage/v1/',
    batchPath: '/batch/storage/v1',
    methods: storageMethods,
  },
];
