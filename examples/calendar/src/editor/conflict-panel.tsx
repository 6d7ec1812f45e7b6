import { useEffect, useRef } from 'react';
import { describeTimes, formatDayWithYear } from '../calendar/event-times.ts';
import { Button } from '../ui/button.tsx';
import { hasCompleteTimes, readTypedTimes } from './draft-times.ts';
import { isGroupChanged, fieldGroups, type Draft, type FieldGroup } from './draft.ts';
import { eventColors } from './event-colors.ts';
import { describeRepeats } from './repeats.ts';
import type { Conflict } from './use-editor.ts';

interface ConflictPanelProps {
  readonly conflict: Conflict;
  readonly mine: Draft;
  readonly isBusy: boolean;
  readonly onTakeTheirs: () => void;
  readonly onKeepMine: () => void;
}

const groupLabels: Readonly<Record<FieldGroup, string>> = {
  title: 'Title',
  times: 'When',
  location: 'Place',
  description: 'Description',
  color: 'Colour',
  reminders: 'Reminders',
  repeats: 'Repeats',
};

/** Shows the user’s version and that of somebody who saved first, and lets the user choose. */
export function ConflictPanel({
  conflict: { before, theirs },
  mine,
  isBusy,
  onTakeTheirs,
  onKeepMine,
}: ConflictPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const changedGroups = fieldGroups.filter(
    (group) => isGroupChanged(before, theirs, group) || isGroupChanged(before, mine, group),
  );
  const isChangedByBoth = (group: FieldGroup): boolean =>
    isGroupChanged(before, mine, group) &&
    isGroupChanged(before, theirs, group) &&
    isGroupChanged(mine, theirs, group);
  const includesZones = new Set([before, mine, theirs].flatMap(zonesOf)).size > 1;
  const describeChange = (draft: Draft, group: FieldGroup) =>
    isGroupChanged(before, draft, group) ? (
      describeGroup(draft, group, includesZones) || '(empty)'
    ) : (
      <i>not changed</i>
    );
  return (
    <section className="conflict" aria-labelledby="conflict-title">
      <h3 id="conflict-title" ref={heading} tabIndex={-1}>
        Somebody else changed this event meanwhile
      </h3>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">Theirs</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {changedGroups.map((group) => (
            <tr key={group} data-both={isChangedByBoth(group) || undefined}>
              <th scope="row">{groupLabels[group]}</th>
              <td>{describeChange(theirs, group)}</td>
              <td>{describeChange(mine, group)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        “Keep mine” saves what you changed and leaves the rest as they have it. Their guest changes are kept.
      </p>
      <div className="buttons">
        <Button onClick={onTakeTheirs} disabled={isBusy}>
          Take theirs
        </Button>
        <Button className="primary" onClick={onKeepMine} disabled={isBusy}>
          Keep mine
        </Button>
      </div>
    </section>
  );
}

/** Describes a group of fields in words; empty if it is, or if its times are incomplete. */
function describeGroup(draft: Draft, group: FieldGroup, includesZones: boolean): string {
  switch (group) {
    case 'title':
      return draft.summary;
    case 'times':
      return hasCompleteTimes(draft)
        ? describeTimes(readTypedTimes(draft), formatDayWithYear) +
            (includesZones && !draft.allDay ? ` (${zonesOf(draft).join(' – ')})` : '')
        : '';
    case 'color':
      return eventColors[draft.colorId]?.[1] ?? 'calendar’s colour';
    case 'reminders':
      return draft.useDefault
        ? 'calendar default'
        : draft.reminders.map(({ method, minutes }) => `${method}, ${minutes} min before`).join('; ') ||
            'none';
    case 'repeats':
      return describeRepeats(draft);
    case 'location':
    case 'description':
      return draft[group];
  }
}

/** Lists the time zones of a timed event, each once. */
const zonesOf = ({ allDay, startZone, endZone }: Draft): readonly string[] =>
  allDay ? [] : [...new Set([startZone, endZone])];
