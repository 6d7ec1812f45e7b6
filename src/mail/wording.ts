import { addressKey } from '../core/text/email.ts';
import { displayedFields, type MailReason } from './mail.ts';
import { onOneLine } from './content-lines.ts';
import { type ReceiverView, toldSpan, toldTime } from './receiver-view.ts';

/** What a mail says, whatever it is written in. Descriptions and comments may have several lines. */
export interface Wording {
  readonly subject: string;
  readonly title: string;
  readonly lead: string;
  readonly facts: readonly { readonly label: string; readonly text: string }[];
  readonly changes: readonly { readonly label: string; readonly before: string; readonly now: string }[];
  readonly notes: readonly string[];
  readonly link: string;
}

type Answer = 'needsAction' | 'accepted' | 'declined' | 'tentative';
type Person = { readonly email?: string; readonly displayName?: string };

const answers: Readonly<Record<Answer, { readonly subject: string; readonly lead: string }>> = {
  accepted: { subject: 'Accepted', lead: 'accepted the invitation.' },
  declined: { subject: 'Declined', lead: 'declined the invitation.' },
  tentative: { subject: 'Tentative', lead: 'may come, but is not sure yet.' },
  needsAction: { subject: 'Unanswered', lead: 'took back the answer to the invitation.' },
};

/** With and without a name of who made the change. */
const news = {
  invited: {
    subject: 'Invitation',
    by: 'invited you to this event.',
    told: 'You are invited to this event.',
  },
  updated: { subject: 'Updated', by: 'changed this event.', told: 'The event was changed.' },
  removed: {
    subject: 'Cancelled',
    by: 'took you off the guest list of this event.',
    told: 'You were taken off the guest list of this event.',
  },
  cancelled: { subject: 'Cancelled', by: 'cancelled this event.', told: 'The event was cancelled.' },
} as const satisfies Readonly<Record<Exclude<MailReason, 'answered'>, object>>;

const labels = {
  summary: 'Title',
  start: 'Start',
  end: 'End',
  location: 'Place',
  description: 'Description',
} as const;

const omitted = [
  ['instances', 'Some changes of single events of this series are not listed in this mail.'],
  ['guests', 'The other guests are not listed in this mail.'],
  ['description', 'The description is cut in this mail.'],
] as const;

export function wordingOf(view: ReceiverView): Wording {
  const {
    attributes: { reason, link },
    event,
    instance,
    organizer,
    zone,
    by,
    guest,
    missing,
  } = view;
  const summary = onOneLine(event.summary ?? '');
  const { subject, lead } = newsOf(reason, by, guest);
  const isSeries = instance === undefined && event.recurrence.length > 0;
  const facts = [
    { label: isSeries ? 'First time' : 'Time', text: toldSpan(event.start, event.end, zone) },
    { label: 'Place', text: onOneLine(event.location ?? '') },
    { label: 'Organizer', text: nameOf(organizer) },
    { label: 'Comment', text: guest?.comment ?? '' },
    { label: 'Description', text: reason === 'invited' ? (event.description ?? '') : '' },
  ];
  return {
    subject: `${subject}: ${summary}`,
    title: summary || '(no title)',
    lead,
    link,
    facts: facts.filter(({ text }) => text.trim() !== ''),
    changes: reason === 'updated' ? changesOf(view) : [],
    notes: [
      ...(instance ? ['This is one event of a series.'] : isSeries ? ['This event repeats.'] : []),
      ...omitted.filter(([name]) => missing[name]).map(([, note]) => note),
    ],
  };
}

function newsOf(
  reason: MailReason,
  by: Person | undefined,
  guest: (Person & { readonly responseStatus?: Answer }) | undefined,
): { readonly subject: string; readonly lead: string } {
  if (reason === 'answered') {
    const { subject, lead } = answers[guest?.responseStatus ?? 'needsAction'];
    const isOwn = addressKey(by?.email ?? '') === addressKey(guest?.email ?? '');
    return {
      subject,
      lead: `${nameOf(guest ?? {})} ${lead}${by && !isOwn ? ` ${nameOf(by)} wrote that for this guest.` : ''}`,
    };
  }
  const { subject, by: named, told } = news[reason];
  const name = nameOf(by ?? {});
  return { subject, lead: name === '' ? told : `${name} ${named}` };
}

/** Each field that changed, before and after. */
function changesOf({ before, event, zone }: ReceiverView): Wording['changes'] {
  return displayedFields
    .filter((name) => before[name] !== undefined)
    .map((name) => {
      const text = (fields: typeof before): string => {
        if (name === 'start' || name === 'end') return toldTime(fields[name], zone, name === 'end');
        return name === 'description' ? (fields[name] ?? '') : onOneLine(fields[name] ?? '');
      };
      return { label: labels[name], before: text(before) || 'none', now: text(event) || 'none' };
    });
}

function nameOf({ email = '', displayName = '' }: Person): string {
  const [name, address] = [onOneLine(displayName), onOneLine(email)];
  if (name === '' || name === address) return address;
  return address === '' ? name : `${name} (${address})`;
}
