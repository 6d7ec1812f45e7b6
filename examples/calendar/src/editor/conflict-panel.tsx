import { useEffect, useRef } from 'react';
import { differs, parts, wordsOf, type Draft, type Part } from './draft.ts';
import type { Conflict } from './use-editor.ts';

interface ConflictProps {
  readonly conflict: Conflict;
  readonly mine: Draft;
  readonly busy: boolean;
  readonly onTheirs: () => void;
  readonly onMine: () => void;
}

const names: Readonly<Record<Part, string>> = {
  title: 'Title',
  times: 'When',
  location: 'Place',
  description: 'Description',
  reminders: 'Reminders',
  repeats: 'Repeats',
};

/** Shows two versions of an event that somebody else changed meanwhile, to choose from. */
export function ConflictPanel({ conflict: { before, theirs }, mine, busy, onTheirs, onMine }: ConflictProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const rows = parts.filter((part) => differs(before, theirs, part) || differs(before, mine, part));
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
          {rows.map((part) => (
            <tr
              key={part}
              data-both={
                differs(before, mine, part) && differs(before, theirs, part) && differs(mine, theirs, part)
                  ? true
                  : undefined
              }
            >
              <th scope="row">{names[part]}</th>
              <td>
                {differs(before, theirs, part) ? wordsOf(theirs, part) || '(empty)' : <i>not changed</i>}
              </td>
              <td>{differs(before, mine, part) ? wordsOf(mine, part) || '(empty)' : <i>not changed</i>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        “Keep mine” saves what you changed and leaves the rest as they have it. Their guest changes are kept.
      </p>
      <div className="buttons">
        <button type="button" onClick={onTheirs} disabled={busy}>
          Take theirs
        </button>
        <button type="button" className="primary" onClick={onMine} disabled={busy}>
          Keep mine
        </button>
      </div>
    </section>
  );
}
