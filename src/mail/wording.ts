import { addressKey } from '../core/text/email.ts';
import { displayedFields, type MailReason } from './mail.ts';
import { toSingleLine } from '../icalendar/content-lines.ts';
import { type RecipientView, formatTimeSpan, formatTime } from './recipient-view.ts';

/** The texts of a mail, independent of its format. Descriptions and comments may have several lines. */
export interface Wording {
  readonly subject: string;
  /** Summary of the event. */
  readonly title: string;
  /** First sentence: the change, and its author. */
  readonly lead: string;
  /** Properties of the event as it is now. */
  readonly details: readonly { readonly label: string; readonly text: string }[];
  /** Fields with their values before and after the change. */
  readonly changes: readonly { readonly label: string; readonly before: string; readonly now: string }[];
  /** Sentences below the details, such as that the event repeats. */
  readonly notes: readonly string[];
  readonly link: string;
}

type ResponseStatus = 'needsAction' | 'accepted' | 'declined' | 'tentative';
type Person = { readonly email?: string; readonly displayName?: string };

/** Texts of a reply by the guest's response. `lead` follows the name of the guest. */
const responseTexts: Readonly<Record<ResponseStatus, { readonly subject: string; readonly lead: string }>> = {
  accepted: { subject: 'Accepted', lead: 'accepted the invitation.' },
  declined: { subject: 'Declined', lead: 'declined the invitation.' },
  tentative: { subject: 'Tentative', lead: 'may come, but is not sure yet.' },
  needsAction: { subject: 'Unanswered', lead: 'withdrew the answer to the invitation.' },
};

/** Texts by reason. `named` follows the name of the author, `anonymous` is used without one. */
const reasonTexts = {
  invited: {
    subject: 'Invitation',
    named: 'invited you to this event.',
    anonymous: 'You are invited to this event.',
  },
  updated: { subject: 'Updated', named: 'changed this event.', anonymous: 'The event was changed.' },
  removed: {
    subject: 'Cancelled',
    named: 'removed you from the guest list of this event.',
    anonymous: 'You were removed from the guest list of this event.',
  },
  cancelled: { subject: 'Cancelled', named: 'cancelled this event.', anonymous: 'The event was cancelled.' },
} as const satisfies Readonly<Record<Exclude<MailReason, 'answered'>, object>>;

const fieldLabels = {
  summary: 'Title',
  start: 'Start',
  end: 'End',
  location: 'Place',
  description: 'Description',
} as const;

/** Notes to the recipient about contents that a mail omits. */
const omissionNotes = [
  ['instances', 'Some changed events of this series are not listed in this mail.'],
  ['guests', 'The other guests are not listed in this mail.'],
  ['description', 'The description is cut in this mail.'],
] as const;

/** Writes the texts of a mail for its recipient. */
export function writeWording(view: RecipientView): Wording {
  const {
    attributes: { reason, link },
    event,
    instance,
    organizer,
    zone,
    by,
    guest,
    omitted,
  } = view;
  const summary = toSingleLine(event.summary ?? '');
  const { subject, lead } = writeSubjectAndLead(reason, by, guest);
  const isSeries = instance === undefined && event.recurrence.length > 0;
  const details = [
    { label: isSeries ? 'First time' : 'Time', text: formatTimeSpan(event.start, event.end, zone) },
    { label: 'Place', text: toSingleLine(event.location ?? '') },
    { label: 'Organizer', text: formatPerson(organizer) },
    { label: 'Comment', text: guest?.comment ?? '' },
    { label: 'Description', text: reason === 'invited' ? (event.description ?? '') : '' },
  ];
  return {
    subject: `${subject}: ${summary}`,
    title: summary || '(no title)',
    lead,
    link,
    details: details.filter(({ text }) => text.trim() !== ''),
    changes: reason === 'updated' ? formatChanges(view) : [],
    notes: [
      ...(instance ? ['This is one event of a series.'] : isSeries ? ['This event repeats.'] : []),
      ...omissionNotes.filter(([name]) => omitted[name]).map(([, note]) => note),
    ],
  };
}

function writeSubjectAndLead(
  reason: MailReason,
  author: Person | undefined,
  guest: (Person & { readonly responseStatus?: ResponseStatus }) | undefined,
): { readonly subject: string; readonly lead: string } {
  if (reason === 'answered') {
    const { subject, lead } = responseTexts[guest?.responseStatus ?? 'needsAction'];
    const isOwnResponse = addressKey(author?.email ?? '') === addressKey(guest?.email ?? '');
    return {
      subject,
      lead: `${formatPerson(guest ?? {})} ${lead}${author && !isOwnResponse ? ` ${formatPerson(author)} wrote that for this guest.` : ''}`,
    };
  }
  const { subject, named, anonymous } = reasonTexts[reason];
  const name = formatPerson(author ?? {});
  return { subject, lead: name === '' ? anonymous : `${name} ${named}` };
}

function formatChanges({ before, event, zone }: RecipientView): Wording['changes'] {
  return displayedFields
    .filter((name) => before[name] !== undefined)
    .map((name) => {
      const formatField = (fields: typeof before): string => {
        if (name === 'start' || name === 'end') return formatTime(fields[name], zone, name === 'end');
        return name === 'description' ? (fields[name] ?? '') : toSingleLine(fields[name] ?? '');
      };
      return {
        label: fieldLabels[name],
        before: formatField(before) || 'none',
        now: formatField(event) || 'none',
      };
    });
}

function formatPerson({ email = '', displayName = '' }: Person): string {
  const [name, address] = [toSingleLine(displayName), toSingleLine(email)];
  if (name === '' || name === address) return address;
  return address === '' ? name : `${name} (${address})`;
}
