/** Rules for forms: what the server would refuse, told before it is asked. Runs in browsers and in Node.js. */
export { eventIssues, type EventIssuesOptions } from './event.ts';
export { notificationIssues } from './notification.ts';
export type { Issue } from '../core/kernel/errors.ts';
