import type { ChangeClass } from '../src/core/fields/table.ts';

/**
 * Names and meanings of the change classes (who may change a field), for `docs/event-rules.md` and the tests
 * of its table.
 */
export const changeClassTexts: Readonly<
  Record<ChangeClass, { readonly word: string; readonly meaning: string }>
> = {
  readOnly: {
    word: 'Read-only',
    meaning: 'Set by the server. Sent values are ignored, with a warning where they differ.',
  },
  immutable: {
    word: 'Fixed',
    meaning:
      'Set when the event is created. Later the same value is accepted; another is refused with reason `immutable`.',
  },
  once: {
    word: 'Set once',
    meaning:
      'Set when the entry is added to its list. Later values are ignored, with a warning where they differ.',
  },
  request: { word: 'For this request', meaning: 'An instruction for this request, which is not stored.' },
  shared: {
    word: 'Shared',
    meaning: 'Seen on every copy; changed by the organizer, and by guests where `guestsCanModify` is true.',
  },
  organizer: { word: "The organizer's", meaning: 'Seen on every copy; changed by the organizer only.' },
  creator: { word: "The creator's", meaning: 'Seen and changed by the creator only.' },
  copy: {
    word: "This copy's",
    meaning: 'Stored for each copy; changed by everybody who may write to its calendar.',
  },
  caller: { word: 'Your own', meaning: 'Stored for each user of each copy; changed by that user.' },
  own: {
    word: "The guest's own",
    meaning:
      "The response of a guest: changed on the guest's calendar, or by the organizer for guests without a calendar here.",
  },
};
