import { useEffect, useRef } from 'react';
import { describeGroup, isGroupChanged, fieldGroups, zonesOf, type Draft, type FieldGroup } from './draft.ts';
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
            <tr
              key={group}
              data-both={
                isGroupChanged(before, mine, group) &&
                isGroupChanged(before, theirs, group) &&
                isGroupChanged(mine, theirs, group)
                  ? true
                  : undefined
              }
            >
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
        <button type="button" onClick={onTakeTheirs} disabled={isBusy}>
          Take theirs
        </button>
        <button type="button" className="primary" onClick={onKeepMine} disabled={isBusy}>
          Keep mine
        </button>
      </div>
    </section>
  );
}
