/** Validates input for forms by the rules of the server, in browsers and in Node.js. */
export { attendeeChangesIssues, eventIssues, type EventIssuesOptions } from './event.ts';
export { notificationIssues } from './notification.ts';
export type { Issue } from '../core/errors.ts';
