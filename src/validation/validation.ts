/** Validates input for forms by the rules of the server, in browsers and in Node.js. */
export { attendeeChangesIssues } from './event.ts';
export { eventIssues, type EventIssuesOptions } from './event.ts';
export { notificationIssues } from './event.ts';
export type { Issue } from '../core/errors.ts';
