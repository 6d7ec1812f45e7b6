import type { ChangeClass } from '../src/core/fields/table.ts';

/** Names and meanings of the change classes, for the SDL and the documentation. */
export const ruleWords: Readonly<Record<ChangeClass, { readonly word: string; readonly meaning: string }>> = {
  readOnly: {
    word: 'Read-only',
    meaning: 'The server sets it; what is sent is ignored, with a warning where it differs.',
  },
  immutable: {
    word: 'Fixed',
    meaning:
      'Settled when the event is made; later the same value passes and another is refused, reason `immutable`.',
  },
  once: {
    word: 'Set once',
    meaning: 'Settled when the entry of a list is added; later ignored, with a warning where it differs.',
  },
  request: { word: 'For this request', meaning: 'Says how this one request is meant, and is not stored.' },
  shared: {
    word: 'Shared',
    meaning: 'Seen on every copy; changed by the organizer, and by guests where `guestsCanModify` is true.',
  },
  organizer: { word: "The organizer's", meaning: 'Seen on every copy; changed by the organizer only.' },
  creator: { word: "The creator's", meaning: 'Seen and changed by the creator only.' },
  copy: {
    word: "This copy's",
    meaning: 'Kept by each copy for itself; changed by whoever may write to its calendar.',
  },
  caller: { word: 'Your own', meaning: 'Kept for each user of each copy; changed by that user.' },
  own: {
    word: "The guest's own",
    meaning:
      'The answer of a guest: given on the own calendar, or by the organizer for guests who have none here.',
  },
};
