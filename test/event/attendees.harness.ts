import { bob, type Outcome } from './event-http.harness.ts';

export const carol = 'carol@elsewhere.example';
export const room = 'room3@resource.example';
export const bad = (path: string, reason: string): string => `BAD_USER_INPUT event.attendees${path} ${reason}`;
export const emails = ({ event }: Outcome): string[] => event.attendees.map(({ email }: { email: string }) => email);
export const entryOf = ({ event }: Outcome, address: string) =>
  event.attendees.find(({ email }: { email: string }) => email === address);

export const guests = [
  { email: bob, displayName: 'Bob', responseStatus: 'accepted', comment: 'Gladly', additionalGuests: 2 },
  { email: carol, optional: true, responseStatus: 'tentative' },
  { email: room, resource: true, responseStatus: 'accepted' },
];
