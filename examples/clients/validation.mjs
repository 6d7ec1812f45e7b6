import { attendeeChangesIssues, eventIssues, notificationIssues } from 'resource-gateway/validation';

// A whole event: [{ path, reason, message, params }]
const emptyDay = { start: { date: '2030-01-01' }, end: { date: '2030-01-01' } };
console.log(eventIssues(emptyDay));

// A patch, checked together with the event as it was read
const seen = { ...emptyDay, end: { date: '2030-01-03' } };
console.log(eventIssues({ start: { date: '2030-01-03' } }, { patch: true, seen }));

// A change of the guest list
console.log(attendeeChangesIssues({ add: [{ displayName: 'Bob' }] }));

console.log(notificationIssues({ topic: 'photos' }));
